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

// Approver brings a question to a person: a queue, a console, a form.
type Approver interface {
	// Ask asks about a call of the session that was held back, and returns when
	// the person has answered.
	Ask(ctx context.Context, s *Session, d *remit.Decision) (Answer, error)
}

// Answer is what came of a question.
type Answer struct {
	// Decision is what holds now. Its verdict is Allow only when a person clearly
	// agreed, in time, to all the reasons that there are, and the session has
	// noted so. It is Ask again when reasons came up that the person has not seen.
	Decision *remit.Decision
	// Approval is the question as it was settled; without a queue it has only how
	// far the answer reaches, and who gave it.
	Approval store.Approval
}

// withdrawBound bounds how long it may take to withdraw a question after the
// caller has gone.
const withdrawBound = 5 * time.Second

// Queue is the [Approver] that puts questions into a store's queue, which people
// answer.
type Queue struct {
	// Approvals is the queue, of the store that has the sessions.
	Approvals store.Approvals
	// Life is how long a question waits; [store.DefaultApprovalLife] when zero.
	Life time.Duration
	// CallOnly confirms the one call in the session, whatever the answer's extent:
	// the caller keeps what else it covers.
	CallOnly bool
}

// Ask implements [Approver]. It returns when a person answered, the question
// expired or the context ended. A call may run only by a decision with the verdict
// Allow.
func (q *Queue) Ask(ctx context.Context, s *Session, d *remit.Decision) (Answer, error) {
	asked, err := q.Put(ctx, s, d)
	if err != nil {
		return Answer{}, err
	}
	settled, err := q.Approvals.Wait(ctx, asked.ID)
	if err != nil {
		return Answer{}, fmt.Errorf("ask about %s: %w", d.Tool, errors.Join(err, q.withdraw(ctx, asked.ID)))
	}
	return q.Use(ctx, s, settled)
}

// Put puts a question into the queue and doesn't wait: for callers that come back
// later, with [Queue.Use].
func (q *Queue) Put(ctx context.Context, s *Session, d *remit.Decision) (store.Approval, error) {
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
	asked, err := q.Approvals.Ask(ctx, store.Question{Decision: d, Places: places, Life: q.Life, Settles: s.settles})
	if err != nil {
		return fail(err)
	}
	return asked, nil
}

// Use acts on a settled question, once: it confirms the call where a person agreed
// to it.
func (q *Queue) Use(ctx context.Context, s *Session, settled store.Approval) (Answer, error) {
	d := settled.Decision
	fail := func(err error) (Answer, error) {
		return Answer{}, fmt.Errorf("use the answer about %s: %w", d.Tool, err)
	}
	if s.ID() != settled.Session {
		return fail(fmt.Errorf("the question is of session %q, not of %q", settled.Session, s.ID()))
	}
	if settled.State != store.Approved {
		return Answer{denied(d), settled}, nil
	}

	used, err := q.Approvals.Claim(ctx, settled.ID, store.ArgumentsHash(d))
	switch {
	case errors.Is(err, store.ErrSettled): // the answer came too late to be used
		settled.State = store.Expired
		return Answer{denied(d), settled}, nil
	case err != nil:
		return fail(err)
	}

	extent := used.Extent
	if q.CallOnly {
		extent = store.Once
	}
	confirmed, err := s.ConfirmAsked(ctx, d, extent)
	if err != nil {
		return fail(err)
	}
	return Answer{confirmed, used}, nil
}

// withdraw cancels a question although the context of its caller has ended.
func (q *Queue) withdraw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawBound)
	defer cancel()
	return q.Approvals.Cancel(ctx, id)
}

// denied returns the decision with the verdict Deny.
func denied(d *remit.Decision) *remit.Decision {
	out := *d
	out.Verdict = remit.Deny
	return &out
}
