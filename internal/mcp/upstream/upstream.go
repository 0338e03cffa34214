// Package upstream connects a relay to the servers behind it: programs that
// speak over their standard input and output, and streamable HTTP endpoints.
//
// A link carries messages as bytes. Whatever a server does, crash, hang or flood,
// ends at its own link: sends never wait for it, and what it sends is bounded.
package upstream

import (
	"context"
	"errors"
	"net/http"
)

// Message is one message on its way to a server.
type Message struct {
	Raw []byte
	// ID is that of a request; zero for notifications and responses.
	ID int64
	// Ends is the request that a cancellation is about, which must not overtake it; zero
	// for other messages.
	Ends   int64
	Method string
	// Header are fields that go with the message over HTTP.
	Header http.Header
}

// Receiver gets what a server sends. Its methods are called from several
// goroutines; the messages of one stream come in their order.
type Receiver interface {
	// Receive takes a message. It came in answer to the request that about
	// names, zero when the link can't tell.
	Receive(raw []byte, about int64)
	// Failed says that a request will not be answered.
	Failed(id int64, err error)
	// Closed says that the link has ended, once.
	Closed(err error)
}

// Link is a connection to one server.
type Link interface {
	// Send passes a message on without waiting for the server. An error means
	// that the message was not sent.
	Send(m Message) error
	// Abandon says that a request is given up.
	Abandon(id int64)
	// Close ends the link and waits until it has ended, or until the context
	// has.
	Close(ctx context.Context) error
}

// Errors of links.
var (
	// ErrClosed is returned by Send after the link has ended.
	ErrClosed = errors.New("the server is not running")
	// ErrNoSession is the error of a request that an endpoint refused because it
	// doesn't know the session, as after a restart. It was not carried out.
	ErrNoSession = errors.New("the server has lost the session")
	// ErrTooLong is the error of a request whose answer is longer than the bound.
	ErrTooLong = errors.New("the answer is longer than the limit on messages")
	// ErrBusy is returned by Send when the server doesn't take what is sent.
	ErrBusy = errors.New("the server doesn't read what is sent to it")
)

const (
	// maxQueued is how many bytes wait for a server that reads slowly: a few
	// messages of the largest size.
	maxQueued = 64 << 20
	// maxQueue is how many messages wait.
	maxQueue = 1024
	// maxLogLine is how much of a line is logged that a server writes to its
	// standard error.
	maxLogLine = 4096
)
