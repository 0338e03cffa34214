package store

import (
	"context"
	"errors"
	"fmt"
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

// ErrReused is returned by Accept for the key of another request.
var ErrReused = errors.New("the key was used for another request")

// UnderwayError is returned by Accept for a request that was accepted before
// and has no reply: it is being carried out, or whoever did has died, and then
// nobody knows how far it came.
type UnderwayError struct{ Since time.Time }

func (e *UnderwayError) Error() string {
	return fmt.Sprintf("the request was accepted at %s and has no reply", e.Since.Format(time.RFC3339))
}

// Requests remembers requests that change something by the keys that their
// senders gave them, so that one which is sent again is carried out once.
type Requests interface {
	// Accept notes that a request is going to be carried out. When it has been,
	// it returns the reply; when it is underway, an [UnderwayError].
	Accept(ctx context.Context, r Request) (*Reply, error)
	// Settle keeps the reply to an accepted request.
	Settle(ctx context.Context, r Request, reply Reply) error
	// Release forgets an accepted request that was certainly not carried out.
	Release(ctx context.Context, r Request) error
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
