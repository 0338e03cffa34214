package store

import (
	"context"
	"errors"
	"time"
)

// The bounds of requests.
const (
	// MaxKey bounds the key that a sender gives a request, in bytes.
	MaxKey = 255
	// RequestLife is how long a request is remembered: clients that repeat one
	// do so within minutes, and a client that was down does within a day.
	RequestLife = 24 * time.Hour
)

var (
	// ErrReused is returned for the key of another request.
	ErrReused = errors.New("the key was used for another request")
	// ErrAnswered is returned by a write whose request has a reply by now:
	// another one has carried it out. Nothing was written.
	ErrAnswered = errors.New("the request has been carried out")
)

// Requests remembers requests that change something by the keys that their
// senders gave them, so that one which is sent again is carried out once.
//
// The reply is kept by the write that carries the request out, in one
// transaction. A request without a reply has changed nothing, however its server
// ended, and can be carried out at once, by any replica: of several that do so at
// a time, one writes, and the others get [ErrAnswered].
type Requests interface {
	// Reply returns the reply to a request, or nil when it has none, or
	// [ErrReused].
	Reply(ctx context.Context, r Request) (*Reply, error)
	// Settle keeps the reply to a request that changes nothing, or returns
	// [ErrAnswered].
	Settle(ctx context.Context, r Request, reply Reply) error
}

// Request is a request as it is remembered.
type Request struct {
	// Principal is who sent it, and Key what the principal calls it.
	Principal, Key string
	// Content is a hash of all that was asked for.
	Content Hash
}

// Reply is what a request was answered.
type Reply struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Settlement is a request that a write carries out.
type Settlement struct {
	Request Request
	// Reply makes the reply of what the write led to: the decision of a record
	// (nil where it has none), a [SessionInfo] or an [Approval]. It is called
	// within the write, and again where the write is tried again.
	Reply func(outcome any) (Reply, error)
}
