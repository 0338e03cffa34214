// Package store keeps what Remit must not forget: the events of sessions with
// the decisions they led to, questions that wait for a person, labels of
// resources that outlive a session, and an audit log over all of it.
//
// There is one [Store], over SQLite in one file, and over PostgreSQL or a stream of NATS
// JetStream for several replicas, and one suite of tests, storetest, that all pass. Everything that a
// method wrote before it returned without an error is durable: it survives the end of the process and,
// except after [Logs.AppendRelaxed], a loss of power. After an error it may or may not have been
// written, and the caller must not act on it.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/remit-project/remit"
)

// The bounds of a store. They are there so that no client and no payload can
// fill memory or hold the writer; each is far beyond honest use.
const (
	// MaxID bounds the ids of sessions and calls, in bytes: what indexes hold
	// comfortably, and several times a UUID with a prefix.
	MaxID = 256
	// MaxRecord bounds one record as it is written, in bytes: the bound of one
	// line of the session protocol, and of one recorded session.
	MaxRecord = 64 << 20
	// MaxRecords bounds the records of one append. They are written in one
	// transaction, for which every other writer waits.
	MaxRecords = 1024
	// MaxPage bounds what one call of a listing returns.
	MaxPage = 1000
	// MaxOrigins bounds the named origins of one stored resource. Further ones
	// are counted as the origin [MoreOrigins]: a label is lowered, never lost.
	MaxOrigins = 64
	// MaxResource bounds the parts of a resource's key, in bytes: the longest
	// path of common systems is 4096.
	MaxResource = 8 << 10
	// MaxNote bounds the text of one member of a note in the audit log.
	MaxNote = 64 << 10
)

// Errors that callers distinguish. Any other is a failure of the database: the caller must not
// act as if anything was written.
var (
	// ErrConflict is returned by Append when the session has other events than
	// the caller knows: read them, and decide again.
	ErrConflict = errors.New("the session has moved on")
	// ErrPruned is returned for a session that the retention setting removed.
	// Its id is never used again: a conversation that came back under it would
	// have forgotten what it had seen.
	ErrPruned = errors.New("the session was pruned")
	// ErrNotFound is returned for what the store doesn't have.
	ErrNotFound = errors.New("not found")
	// ErrInvalid is returned for what a store can't hold: an empty or overlong
	// id, a record beyond the bound.
	ErrInvalid = errors.New("invalid")
	// ErrCorrupt is returned when what was read can't have been written so.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrSettled is returned for an approval that is no longer open to what was
	// asked of it: answered, used, expired or cancelled before.
	ErrSettled = errors.New("already settled")
	// ErrTooMany is returned by Ask when too many questions wait already.
	ErrTooMany = errors.New("too many questions are waiting")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the store is closed")
)

// ConflictError is an [ErrConflict] with the numbers.
type ConflictError struct {
	Session string
	// Expected is what the caller took for the session's length, Actual what it
	// is.
	Expected, Actual int64
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("session %q has %d events, not %d: read it again", e.Session, e.Actual, e.Expected)
}

// Is makes it an [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Store is the durable state of Remit. Its methods are safe for concurrent use by any number of
// goroutines, processes and, except for SQLite, machines.
type Store interface {
	Sessions
	Approvals
	Resources
	Principals
	Requests
	Audit
	Views
	io.Closer
}

// Logs are the logs of conversations.
type Logs interface {
	// Append adds records to the end of a session's log, all or none, with
	// their entries in the audit log. The first append, with expected 0, begins
	// the session. It returns [ErrConflict] when the log is not expected
	// records long.
	Append(ctx context.Context, session string, expected int64, records ...Record) error
	// AppendRelaxed is Append for what may be lost with the power: where the
	// store can, it doesn't wait for the disk. The records survive the process;
	// they are on the disk when the next Append returns, of any session. When
	// the machine stops before, they are gone, and records that came before
	// them are read with Restarted set.
	AppendRelaxed(ctx context.Context, session string, expected int64, records ...Record) error
	// Read yields a session's records from a sequence number on. A session that
	// was never begun has none. A hole in the log is [ErrCorrupt].
	Read(ctx context.Context, session string, from int64) iter.Seq2[Record, error]
	// Session describes one session, or returns [ErrNotFound].
	Session(ctx context.Context, id string) (SessionInfo, error)
	// Create begins a session before anything has happened in it, for its
	// principal. A session that its first append begins has no principal.
	Create(ctx context.Context, c Creation) (SessionInfo, error)
}

// Sessions are logs that are listed and pruned.
type Sessions interface {
	Logs
	// Sessions lists sessions by id, bytewise, those after a given one: pass
	// the last id of a page for the next, and the empty string for the first.
	// Pruned sessions are not among them.
	Sessions(ctx context.Context, after string, limit int) ([]SessionInfo, error)
	// Prune removes the sessions in which nothing happened since before,
	// events, approvals and audit entries, and leaves in the audit log what the
	// rest is verified by. It returns how many there were.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// Record is one entry of a session's log: what happened, and what was decided.
type Record struct {
	// Seq is its place in the log, from 0. Append sets it.
	Seq   int64
	Event remit.Event
	// Decision is what a call or a confirmation led to; nil otherwise.
	Decision *remit.Decision
	// Settles is the request that the append of the record carries out; nil for
	// none. It is not kept with the record.
	Settles *Settlement
	// Took is how long the decision took, to the microsecond; 0 where it was not measured.
	Took time.Duration
	// Shadow is set on a decision that is recorded and not enforced: the call runs, whatever the
	// verdict.
	Shadow bool
	// Restarted is set on a decision that is read when the machine has started again since: what
	// [Logs.AppendRelaxed] wrote after it may be missing.
	Restarted bool
}

// SessionInfo describes a session.
type SessionInfo struct {
	ID string `json:"id"`
	// Length is the number of its events: the expected number of the next
	// append.
	Length int64 `json:"length"`
	// Begun and Active are the times of the first and the last append.
	Begun  time.Time `json:"begun"`
	Active time.Time `json:"active"`
	// Principal owns it; empty when it has no owner.
	Principal string `json:"principal,omitempty"`
	// Ended is when it was ended; zero while it goes on.
	Ended time.Time `json:"ended,omitzero"`
}

// Events yields the events of records, as [remit.Monitor.Restore] takes them.
func Events(records iter.Seq2[Record, error]) iter.Seq2[remit.Event, error] {
	return func(yield func(remit.Event, error) bool) {
		for r, err := range records {
			if !yield(r.Event, err) {
				return
			}
		}
	}
}
