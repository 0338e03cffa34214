// Package ledger runs the sessions of monitors over a store of their logs: durable
// ones over SQLite or PostgreSQL, which outlive the process and go on in another
// one, and ones in memory.
//
// Every step of a session is written before its method returns, at the place in
// the session's log that it was decided for. When another replica has written
// there first, the session reads what that wrote and decides the step again:
// replicas that share a store decide as one monitor would. After an error
// nothing may be taken as decided, and a call must not run.
package ledger

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// The bounds of a ledger.
const (
	// DefaultSessions is how many sessions are kept live when the options don't
	// say. A live session costs memory in proportion to what it has read, and one
	// that is not live costs only time: it is read from the store again.
	DefaultSessions = 1024
	// MaxTries bounds how often a step is decided again because others wrote to
	// the session first. Each time one of them has got on, so that only a
	// session that is flooded from several replicas comes near.
	MaxTries = 64
)

var (
	// ErrContended is returned when other replicas wrote to the session before
	// every one of [MaxTries] tries. Nothing was written.
	ErrContended = errors.New("other replicas keep writing to the session")
	// ErrNotYours is returned by [Ledger.OpenFor] for a session of another
	// principal.
	ErrNotYours = errors.New("the session belongs to another principal")
)

// Options configure a [Ledger]. The zero value is a good one.
type Options struct {
	// Sessions bounds the sessions that are kept live; [DefaultSessions] when
	// zero.
	Sessions int
}

// Ledger opens sessions. It is safe for concurrent use, and so are any number of
// ledgers on one store.
type Ledger struct {
	logs store.Logs
	// resources are the labels of what tools keep, by which what one session
	// wrote is no better when another reads it; nil where the store keeps none.
	resources store.Resources
	max       int
	// only is the one session of a ledger that has no other; nil otherwise.
	only *live
	// trouble is why the store could last not be written to; nil since it could.
	trouble atomic.Pointer[error]

	mu   sync.Mutex
	live map[string]*list.Element // of *live
	used list.List                // most recently used first
}

// live is a session that is held in memory.
type live struct {
	id string
	// holders counts the callers that use the session or wait for it; guarded
	// by the ledger.
	holders int
	// turn holds one token: its holder may use the fields below.
	turn chan struct{}
	// planning holds one token while a planner is asked about a turn, and naming one while it is asked about names: a call
	// whose entries have none waits for no name.
	planning, naming chan struct{}

	session *remit.Session // nil when it must be read from the store
	monitor *remit.Monitor
	seq     int64
	// behind is set when the log goes on after seq.
	behind bool
}

func newLive(id string) *live {
	return &live{id: id, turn: make(chan struct{}, 1), planning: make(chan struct{}, 1), naming: make(chan struct{}, 1)}
}

// forget drops what is in memory, which may not be what is in the store.
func (v *live) forget() { v.session, v.monitor, v.seq, v.behind = nil, nil, 0, false }

// New returns a ledger over the logs of a store. A store that is also a
// [store.Resources] keeps the labels of what tools keep; with any other one, a
// session knows only of what happened in itself. The [remit.Confirmer] of a
// monitor is never asked: an [Approver] asks people.
func New(logs store.Logs, o Options) *Ledger {
	l := &Ledger{logs: logs, max: o.Sessions, live: map[string]*list.Element{}}
	l.resources, _ = logs.(store.Resources)
	if l.max <= 0 {
		l.max = DefaultSessions
	}
	return l
}

// Begin begins a session that is in memory alone and ends with its last
// reference.
func Begin(m *remit.Monitor, id string) *Session {
	l := &Ledger{logs: &store.Memory{}, only: newLive(id)}
	return &Session{ledger: l, id: id, monitor: m}
}

// Open returns the session of an id, decided by the monitor: the session that the store has, or a
// new one, which the store knows after its first step. Handles of one session under different
// monitors are right but slow, since each use after the other reads the session again.
func (l *Ledger) Open(ctx context.Context, m *remit.Monitor, id string) (*Session, error) {
	s := &Session{ledger: l, id: id, monitor: m}
	v, release, err := l.hold(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open session %q: %w", id, err)
	}
	defer release()

	if _, err := s.refresh(ctx, v); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenFor is [Ledger.Open] for a principal. A session belongs to the principal
// that opens it first, and is [ErrNotYours] for any other. The empty principal
// is the operator, who may open every session.
func (l *Ledger) OpenFor(ctx context.Context, m *remit.Monitor, id, principal string) (*Session, error) {
	if principal != "" {
		if err := l.claim(ctx, id, principal); err != nil {
			return nil, err
		}
	}
	return l.Open(ctx, m, id)
}

// claim creates a session for its principal, unless the principal has it.
func (l *Ledger) claim(ctx context.Context, id, principal string) error {
	info, err := l.logs.Create(ctx, store.Creation{ID: id, Principal: principal})
	if errors.Is(err, store.ErrExists) {
		info, err = l.logs.Session(ctx, id)
	}
	if err == nil && info.Principal != principal {
		err = ErrNotYours
	}
	return err
}

// hold waits for the turn of a session in this process. The returned function
// gives it back.
func (l *Ledger) hold(ctx context.Context, id string) (*live, func(), error) {
	v := l.enter(id)
	select {
	case v.turn <- struct{}{}:
		return v, func() { <-v.turn; l.leave(v) }, nil
	case <-ctx.Done():
		l.leave(v)
		return nil, nil, ctx.Err()
	}
}

// enter makes the caller a holder of a session until it leaves.
func (l *Ledger) enter(id string) *live {
	if l.only != nil {
		return l.only
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.live[id]
	if e == nil {
		e = l.used.PushFront(newLive(id))
		l.live[id] = e
	}
	l.used.MoveToFront(e)

	v := e.Value.(*live)
	v.holders++
	l.evict()
	return v
}

func (l *Ledger) leave(v *live) {
	if l.only != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v.holders--
	l.evict()
}

// evict drops the sessions that were not used for longest. A session that is in
// use stays, so that it is never live twice.
func (l *Ledger) evict() {
	for e := l.used.Back(); e != nil && l.used.Len() > l.max; {
		v, before := e.Value.(*live), e.Prev()
		if v.holders == 0 {
			l.used.Remove(e)
			delete(l.live, v.id)
		}
		e = before
	}
}
