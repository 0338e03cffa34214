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
	// Ask asks about calls of the session that were held back, all in one question, and
	// returns when the person has answered. There are at most [store.MaxAsked].
	Ask(ctx context.Context, s *Session, held ...*remit.Decision) (Answer, error)
}

// Answer is the outcome of a question.
type Answer struct {
	// Decisions are what holds now, one for each call, in their order. A verdict is
	// Allow only when a person clearly agreed to the call, in time, and to all the
	// reasons that there are, and the session has noted so. It is Ask again when
	// reasons came up that the person has not seen.
	Decisions []*remit.Decision
	// Approval is the question as it was settled; without a queue it has only how
	// far the answer reaches, and who gave it.
	Approval store.Approval
	// Failed says why the session could not note the person's agreement to some of the calls,
	// which may not run. It is nil where there is none.
	Failed error
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
func (q *Queue) Ask(ctx context.Context, s *Session, held ...*remit.Decision) (Answer, error) {
	asked, err := q.Put(ctx, s, held...)
	if err != nil {
		return Answer{}, err
	}
	settled, err := q.Approvals.Wait(ctx, asked.ID)
	if err != nil {
		return Answer{}, fmt.Errorf("ask about %s: %w", held[0].Tool, errors.Join(err, q.withdraw(ctx, asked.ID)))
	}
	return q.Use(ctx, s, settled)
}

// Put puts one question about calls into the queue and doesn't wait: for callers that
// come back later, with [Queue.Use].
func (q *Queue) Put(ctx context.Context, s *Session, held ...*remit.Decision) (store.Approval, error) {
	if len(held) == 0 {
		return store.Approval{}, errors.New("ask: there is no call to ask about")
	}

	calls := make([]store.Asked, len(held))
	for i, d := range held {
		if s.ID() != d.Session {
			return store.Approval{}, fmt.Errorf("ask about %s: the decision is of session %q, not of %q", d.Tool, d.Session, s.ID())
		}
		places, err := sighting.Of(ctx, s, d)
		if err != nil {
			return store.Approval{}, fmt.Errorf("ask about %s: %w", d.Tool, err)
		}
		calls[i] = store.Asked{Decision: d, Places: places}
	}

	first := calls[0]
	asked, err := q.Approvals.Ask(ctx, store.Question{Decision: first.Decision, Places: first.Places, More: calls[1:], ByValue: !q.CallOnly, Life: q.Life, Settles: s.settles})
	if err != nil {
		return store.Approval{}, fmt.Errorf("ask about %s: %w", first.Decision.Tool, err)
	}
	return asked, nil
}

// Use acts on a settled question, once: it confirms the calls to which a person agreed,
// in their order, each as if it had been asked about alone: one that fails takes nothing
// from the others. After an error, none of them may run.
func (q *Queue) Use(ctx context.Context, s *Session, settled store.Approval) (Answer, error) {
	calls := settled.Calls()
	out := Answer{Approval: settled}
	for _, c := range calls {
		out.Decisions = append(out.Decisions, denied(c.Decision))
	}
	fail := func(err error) (Answer, error) {
		return Answer{}, fmt.Errorf("use the answer about %s: %w", settled.Decision.Tool, err)
	}
	if s.ID() != settled.Session {
		return fail(fmt.Errorf("the question is of session %q, not of %q", settled.Session, s.ID()))
	}
	if settled.State != store.Approved {
		for i := range out.Decisions {
			out.Decisions[i].Refused = settled.State == store.Denied
		}
		return out, nil
	}

	stopped, err := s.stopped(ctx, settled.Decision.Call)
	if err != nil {
		return fail(err)
	}
	if stopped {
		out.Approval.State = store.Expired
		return out, nil
	}
	used, err := q.Approvals.Claim(ctx, settled.ID, store.QuestionHash(calls))
	switch {
	case errors.Is(err, store.ErrSettled): // the answer came too late to be used
		out.Approval.State = store.Expired
		return out, nil
	case err != nil:
		return fail(err)
	}

	out.Approval = used
	extent := used.Extent
	if q.CallOnly {
		extent = store.Once
	}
	confirmed := 0
	for i, c := range calls {
		if !used.Agrees(c.Decision.Call) {
			out.Decisions[i].Refused = true
			continue
		}
		d, err := s.ConfirmAsked(ctx, c.Decision, extent)
		if err != nil {
			out.Failed = errors.Join(out.Failed, fmt.Errorf("call %q: %w", c.Decision.Call, err))
			continue
		}
		out.Decisions[i] = d
		confirmed++
	}
	if out.Failed != nil && confirmed == 0 {
		return fail(out.Failed)
	}
	return out, nil
}

// withdraw cancels a question although the context of its caller has ended.
func (q *Queue) withdraw(ctx context.Context, id string) error {
	why := whyGone(context.Cause(ctx))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawBound)
	defer cancel()
	return q.Approvals.Cancel(ctx, id, why)
}

// whyGone says for people why a caller no longer waits.
func whyGone(cause error) string {
	switch {
	case cause == nil:
		return "the store could not be asked for the answer"
	case errors.Is(cause, context.Canceled):
		return "it has gone"
	case errors.Is(cause, context.DeadlineExceeded):
		return "it waited as long as it could"
	}
	return cause.Error()
}

// denied returns the decision with the verdict Deny.
func denied(d *remit.Decision) *remit.Decision {
	out := *d
	out.Verdict = remit.Deny
	return &out
}
