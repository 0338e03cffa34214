package remit

import (
	"context"
	"errors"
	"fmt"
)

// ErrChanged is returned when a session changed between a decision and its
// commit. The decision doesn't count: a session whose log has it must be restored
// from the log.
var ErrChanged = errors.New("the session changed since the call was decided")

// A Proposal is a decision that its session has not committed. It is what
// [Session.DecideRecorded] hands to its record function, and is of no use after
// that returned.
type Proposal struct {
	x     *deciding
	event Event
}

// Decision returns the proposed decision.
func (p *Proposal) Decision() *Decision { return p.x.d }

// Event returns the entry of the session's log from which [Monitor.Restore]
// decides the same again.
func (p *Proposal) Event() Event { return p.event }

// Storage returns what [Session.Storage] returns once the decision is committed.
func (p *Proposal) Storage() (Storage, bool) { return p.x.s.storage(p.x.record) }

// DecideRecorded is [Session.Decide] for sessions that are kept in a log: record
// writes the proposal down before the session commits it. When record fails, the
// session is as it was, and the error is returned. Record runs without the
// session's lock; the caller makes sure that nothing else is added to the session
// meanwhile, else the error is [ErrChanged]. The monitor's [Confirmer] is not
// asked.
func (s *Session) DecideRecorded(ctx context.Context, c Call, record func(*Proposal) error) (*Decision, error) {
	return s.recorded(record, func() (*Proposal, error) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("decide %s: %w", c.Tool, err)
		}
		now := s.now()
		x := s.decide(ctx, &c, none, Allow, nil)
		return &Proposal{x: x, event: Event{Kind: CallEvent, Time: now, Call: &c, Verdict: x.d.Verdict, Facts: x.d.Facts}}, nil
	})
}

// ConfirmRecorded is to [Session.Confirm] what DecideRecorded is to Decide; to
// [Session.ConfirmOnce] when the agreement is to this call alone.
func (s *Session) ConfirmRecorded(ctx context.Context, call string, callOnly bool, record func(*Proposal) error) (*Decision, error) {
	return s.recorded(record, func() (*Proposal, error) {
		agreed := forSession
		if callOnly {
			agreed = once
		}
		now := s.now()
		x, err := s.confirming(ctx, call, agreed)
		if err != nil {
			return nil, err
		}
		return &Proposal{x: x, event: Event{Kind: ConfirmationEvent, Time: now, Call: &Call{ID: call}, Verdict: x.d.Verdict, Once: callOnly, Facts: x.d.Facts}}, nil
	})
}

// recorded commits a proposal after it was recorded.
func (s *Session) recorded(record func(*Proposal) error, propose func() (*Proposal, error)) (*Decision, error) {
	s.mu.Lock()
	p, err := propose()
	version := s.version
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}

	if err := record(p); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != version {
		return nil, ErrChanged
	}
	p.x.note()
	return p.x.d, nil
}
