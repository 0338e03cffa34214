// Package ledger runs the sessions of a monitor over a store, so that they
// outlive the process and go on in another one.
//
// Every step of a session is written before its method returns, at the place in
// the session's log that it was decided for. When another replica has written
// there first, the session goes on by what that wrote and the step is decided
// anew: replicas that share a store decide as one monitor would. After an error
// nothing may be taken as decided, and a call must not run.
package ledger

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// The bounds of a ledger.
const (
	// DefaultSessions is how many sessions are kept live when the options don't
	// say. One costs memory in proportion to what it has read, and one that is
	// not live only costs time: it is read from the store again.
	DefaultSessions = 1024
	// MaxTries bounds how often a step is decided anew because others wrote to
	// the session first. Each time one of them has got on, so that only a
	// session that is flooded from several replicas comes near.
	MaxTries = 64
)

// ErrContended is returned when other replicas wrote to the session before
// every one of [MaxTries] tries. Nothing was written.
var ErrContended = errors.New("other replicas keep writing to the session")

// Store is what a ledger keeps in a store: the sessions, and the labels of what
// tools keep, by which what one session wrote is no better when another reads it.
type Store interface {
	store.Sessions
	store.Resources
}

// Options configure a [Ledger]. The zero value is a good one.
type Options struct {
	// Sessions bounds the sessions that are kept live; [DefaultSessions] when
	// zero.
	Sessions int
	// Now is the clock of the log, which must be the monitor's; [time.Now] when
	// nil.
	Now func() time.Time
}

// Ledger opens durable sessions. It is safe for concurrent use, and so are any
// number of ledgers on one store.
type Ledger struct {
	store   Store
	monitor func() *remit.Monitor
	now     func() time.Time
	max     int

	mu   sync.Mutex
	live map[string]*list.Element // of *live
	used list.List                // most recently used first
}

// live is a session that is held in memory.
type live struct {
	id string
	// holders are those who use it or wait for it; guarded by the ledger.
	holders int
	// turn holds one token: whoever has it may use what is below.
	turn chan struct{}

	session *remit.Session // nil when it must be read from the store
	monitor *remit.Monitor
	seq     int64
	// behind is set when the log goes on after seq.
	behind bool
}

// forget leaves what is in memory, which may not be what is in the store.
func (v *live) forget() { v.session, v.monitor, v.seq, v.behind = nil, nil, 0, false }

// New makes a ledger over a store. Monitor gives the monitor that decides at
// the time: when it gives another one, sessions go on under that, made again
// from their logs. Its [remit.Confirmer] is never asked: people are asked through
// an [Approver].
func New(s Store, monitor func() *remit.Monitor, o Options) *Ledger {
	l := &Ledger{store: s, monitor: monitor, now: o.Now, max: o.Sessions, live: map[string]*list.Element{}}
	if l.now == nil {
		l.now = time.Now
	}
	if l.max <= 0 {
		l.max = DefaultSessions
	}
	return l
}

// Open returns the session of an id: the one that the store has, or a new one,
// of which the store knows after its first step.
func (l *Ledger) Open(ctx context.Context, id string) (*Session, error) {
	return l.open(ctx, id, l.monitor)
}

// OpenUnder returns a session that this monitor decides, whatever the ledger's
// own is: for clients that are offered tools of their own. Handles of one
// session under different monitors are right but slow, since each use after the
// other reads the session again.
func (l *Ledger) OpenUnder(ctx context.Context, m *remit.Monitor, id string) (*Session, error) {
	return l.open(ctx, id, func() *remit.Monitor { return m })
}

func (l *Ledger) open(ctx context.Context, id string, monitor func() *remit.Monitor) (*Session, error) {
	s := &Session{ledger: l, id: id, monitor: monitor}
	v, release, err := l.hold(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open session %q: %w", id, err)
	}
	defer release()
	if _, err := s.fresh(ctx, v); err != nil {
		return nil, err
	}
	return s, nil
}

// hold waits for the turn of a session in this process. The returned function
// gives it back.
func (l *Ledger) hold(ctx context.Context, id string) (*live, func(), error) {
	l.mu.Lock()
	e := l.live[id]
	if e == nil {
		e = l.used.PushFront(&live{id: id, turn: make(chan struct{}, 1)})
		l.live[id] = e
	}
	l.used.MoveToFront(e)
	v := e.Value.(*live)
	v.holders++
	l.evict()
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		v.holders--
		l.evict()
	}
	select {
	case v.turn <- struct{}{}:
		return v, func() { <-v.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, nil, ctx.Err()
	}
}

// evict drops the sessions that were not used for longest. One that is in use
// stays, so that a session is never live twice.
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
