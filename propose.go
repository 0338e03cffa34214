package remit

import (
	"context"
	"fmt"
)

// Proposal is a decision that its session doesn't know of yet, for those who
// write decisions down before they count.
type Proposal struct{ x *deciding }

// Propose is [Session.Decide] up to the decision. The session learns of it by
// [Proposal.Note], before which nothing else may happen in it; a proposal that is
// given up leaves no trace. The monitor's [Confirmer] is not asked.
func (s *Session) Propose(ctx context.Context, c Call) (*Proposal, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("decide %s: %w", c.Tool, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Proposal{s.decide(ctx, &c, none, Allow, nil)}, nil
}

// ProposeConfirm is to [Session.Confirm] what Propose is to Decide, or to
// [Session.ConfirmOnce] when the agreement is to this call alone.
func (s *Session) ProposeConfirm(ctx context.Context, call string, callOnly bool) (*Proposal, error) {
	agreed := forSession
	if callOnly {
		agreed = once
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x, err := s.confirming(ctx, call, agreed)
	if err != nil {
		return nil, err
	}
	return &Proposal{x}, nil
}

// Decision is what was decided.
func (p *Proposal) Decision() *Decision { return p.x.d }

// Storage is what [Session.Storage] returns once the proposal is noted.
func (p *Proposal) Storage() (Storage, bool) {
	s := p.x.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.storage(p.x.record)
}

// Note takes the decision into the session. It is called once at most.
func (p *Proposal) Note() {
	p.x.s.mu.Lock()
	defer p.x.s.mu.Unlock()
	p.x.note()
}
