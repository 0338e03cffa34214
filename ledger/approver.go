package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// withdrawBound bounds how long the withdrawal of a question may take after the
// one who asked has gone.
const withdrawBound = 5 * time.Second

// ApproverOptions configure an [Approver].
type ApproverOptions struct {
	// Life is how long a question waits; [store.DefaultApprovalLife] when zero.
	Life time.Duration
	// Always writes down what a person allowed for always, before the call is
	// allowed. When nil, such an approval is for the session.
	Always func(ctx context.Context, a store.Approval) error
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
	places, err := places(ctx, s, d)
	if err != nil {
		return fail(err)
	}
	asked, err := a.queue.Ask(ctx, store.Question{Decision: d, Places: places, Life: a.o.Life})
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
	if used.Extent == store.Always && a.o.Always != nil {
		if err := a.o.Always(ctx, used); err != nil {
			return fail(fmt.Errorf("write down what is allowed for always: %w", err))
		}
	}
	confirmed, err := s.ConfirmAsked(ctx, d, used.Extent)
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

// places are where the arguments that fell short came from, with the text
// around: what vouches for one first, then the lowest trust.
func places(ctx context.Context, s *Session, d *remit.Decision) ([]store.Place, error) {
	var out []store.Place
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Satisfied && !slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == f.Path }) {
			continue
		}
		evidence := slices.SortedStableFunc(slices.Values(f.Evidence), func(a, b remit.Evidence) int {
			if a.Vouches != b.Vouches {
				if a.Vouches {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.Trust, b.Trust)
		})
		for _, e := range evidence[:min(len(evidence), maxPlacesEach)] {
			if len(out) == store.MaxPlaces {
				return out, nil
			}
			text, ok, err := s.Text(ctx, e.Origin)
			if err != nil {
				return nil, err
			}
			out = append(out, place(f.Path, e, text, ok))
		}
	}
	return out, nil
}

// maxPlacesEach bounds the places of one argument: evidence can be plentiful,
// and a person's patience isn't.
const maxPlacesEach = 4

func place(path string, e remit.Evidence, text string, ok bool) store.Place {
	p := store.Place{Path: path, Origin: e.Origin, Trust: e.Trust, Vouches: e.Vouches, Text: e.Text}
	if !ok || e.Start < 0 || e.Start > e.End || e.End > len(text) {
		return p
	}
	p.Before = text[runeStart(text, e.Start-store.MaxPlaceText):e.Start]
	p.After = text[e.End:max(e.End, runeStart(text, e.End+store.MaxPlaceText))]
	return p
}

// runeStart is the nearest place at or before n where a character begins. What
// is no text is cut anywhere.
func runeStart(s string, n int) int {
	n = min(max(n, 0), len(s))
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if i == len(s) || utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}
