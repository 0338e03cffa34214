package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/store"
)

// withdrawBound bounds how long the withdrawal of a question may take after the
// one who asked has gone.
const withdrawBound = 5 * time.Second

// ApproverOptions configure an [Approver].
type ApproverOptions struct {
	// Life is how long a question waits; [store.DefaultApprovalLife] when zero.
	Life time.Duration
	// CallOnly confirms the one call in the session, whatever the answer's extent:
	// who asked keeps what it covers beside.
	CallOnly bool
}

// Approver brings questions to the people who answer the store's queue.
type Approver struct {
	ledger *Ledger
	queue  store.Approvals
	o      ApproverOptions
}

// NewApprover makes an approver for the sessions of a ledger, with the queue of
// the same store.
func NewApprover(l *Ledger, queue store.Approvals, o ApproverOptions) *Approver {
	return &Approver{ledger: l, queue: queue, o: o}
}

// Answer is what came of a question.
type Answer struct {
	// Approval is the question as it was settled.
	Approval store.Approval
	// Decision is what holds now. Its verdict is Allow only when a person
	// agreed, in time, to all the reasons that there are; it is Ask again when
	// reasons came up that the person has not seen, and else Deny.
	Decision *remit.Decision
}

// Ask asks a person about a call that was held back, and waits. It returns when
// somebody answered, the question expired or the context ended; only a decision
// with the verdict Allow lets the call run, and everything else is a denial.
func (a *Approver) Ask(ctx context.Context, d *remit.Decision) (Answer, error) {
	s, err := a.ledger.Open(ctx, d.Session)
	if err != nil {
		return Answer{}, fmt.Errorf("ask about %s: %w", d.Tool, err)
	}
	return a.AskIn(ctx, s, d)
}

// AskIn is [Approver.Ask] for a session that is open, under its monitor.
func (a *Approver) AskIn(ctx context.Context, s *Session, d *remit.Decision) (Answer, error) {
	asked, err := a.Put(ctx, s, d)
	if err != nil {
		return Answer{}, err
	}
	settled, err := a.queue.Wait(ctx, asked.ID)
	if err != nil {
		return Answer{}, fmt.Errorf("ask about %s: %w", d.Tool, errors.Join(err, a.withdraw(ctx, asked.ID)))
	}
	return a.Use(ctx, s, settled)
}

// Put puts a question into the queue and doesn't wait: for those who come back
// later, with [Approver.Use].
func (a *Approver) Put(ctx context.Context, s *Session, d *remit.Decision) (store.Approval, error) {
	fail := func(err error) (store.Approval, error) {
		return store.Approval{}, fmt.Errorf("ask about %s: %w", d.Tool, err)
	}
	if s.ID() != d.Session {
		return fail(fmt.Errorf("the decision is of session %q, not of %q", d.Session, s.ID()))
	}
	places, err := sighting.Of(ctx, s, d)
	if err != nil {
		return fail(err)
	}
	asked, err := a.queue.Ask(ctx, store.Question{Decision: d, Places: places, Life: a.o.Life, Settles: s.settles})
	if err != nil {
		return fail(err)
	}
	return asked, nil
}

// Use acts on what became of a question, once: it confirms the call where a
// person agreed to it.
func (a *Approver) Use(ctx context.Context, s *Session, settled store.Approval) (Answer, error) {
	d := settled.Decision
	fail := func(err error) (Answer, error) {
		return Answer{}, fmt.Errorf("use the answer about %s: %w", d.Tool, err)
	}
	if s.ID() != settled.Session {
		return fail(fmt.Errorf("the question is of session %q, not of %q", settled.Session, s.ID()))
	}
	if settled.State != store.Approved {
		return Answer{settled, denied(d)}, nil
	}
	used, err := a.queue.Claim(ctx, settled.ID, store.ArgumentsHash(d))
	switch {
	case errors.Is(err, store.ErrSettled): // the answer came too late to be used
		settled.State = store.Expired
		return Answer{settled, denied(d)}, nil
	case err != nil:
		return fail(err)
	}
	extent := used.Extent
	if a.o.CallOnly {
		extent = store.Once
	}
	confirmed, err := s.ConfirmAsked(ctx, d, extent)
	if err != nil {
		return fail(err)
	}
	return Answer{used, confirmed}, nil
}

// withdraw cancels a question although the context of the one who asked has
// ended.
func (a *Approver) withdraw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawBound)
	defer cancel()
	return a.queue.Cancel(ctx, id)
}

// denied is a decision that nobody let through.
func denied(d *remit.Decision) *remit.Decision {
	out := *d
	out.Verdict = remit.Deny
	return &out
}
