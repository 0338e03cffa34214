package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// MaxTools bounds the tools that a session is created with, in bytes: ten times
// the largest catalogues that servers are known to have.
const MaxTools = 4 << 20

var (
	// ErrExists is returned by Create for an id that is taken, be it by a
	// session that was pruned.
	ErrExists = errors.New("there is a session of that id already")
	// ErrEnded is returned by Append and Ask for a session that was ended.
	ErrEnded = errors.New("the session has ended")
)

// Principals knows the owners of sessions, where several principals share a store.
type Principals interface {
	// End ends a session for all callers: every later append is [ErrEnded]. Ending it again
	// changes nothing.
	End(ctx context.Context, session string) (SessionInfo, error)
	// Tools are what the session was created with; nil when there were none.
	Tools(ctx context.Context, session string) (json.RawMessage, error)
	// SessionsOf lists the selected sessions, as [Sessions] does.
	SessionsOf(ctx context.Context, w Whose, after string, limit int) ([]SessionInfo, error)
	// PendingOf lists the open questions in the selected sessions, oldest first, after a given
	// place: the zero value begins at the first.
	PendingOf(ctx context.Context, w Whose, after Turn, limit int) ([]Approval, error)
}

// Creation is a session that is to be created.
type Creation struct {
	ID string
	// Principal is whose the session is.
	Principal string
	// Tools are JSON that the store keeps with the session and doesn't read.
	Tools json.RawMessage
	// Settles is the request that creating it carries out; nil for none.
	Settles *Settlement
}

// Whose selects sessions by owner. The zero value selects those
// without an owner.
type Whose struct {
	Principal string
	// Everybody selects all, whatever the owner.
	Everybody bool
}

// Turn is the place of a question in the queue: the time when it was asked, and
// its id where that is the same.
type Turn struct {
	Created time.Time
	ID      string
}
