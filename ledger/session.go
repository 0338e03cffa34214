package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// Session is a [remit.Session] whose every step is durable when its method
// returns. An error means that the step may not be taken as done.
type Session struct {
	ledger  *Ledger
	id      string
	monitor func() *remit.Monitor
	settles *store.Settlement
}

// Settling returns a handle of the session whose next step, or question, carries
// the request out: the reply is kept with what is written.
func (s *Session) Settling(x *store.Settlement) *Session {
	other := *s
	other.settles = x
	return &other
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// System adds text of the deployment.
func (s *Session) System(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.SystemEvent, Text: text})
}

// User adds what the user said: what it names, it vouches for.
func (s *Session) User(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.UserEvent, Text: text})
}

// Attach adds material that the user passed on and did not write.
func (s *Session) Attach(ctx context.Context, name, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.AttachmentEvent, Name: name, Text: text})
}

// Assistant adds text that the model wrote to the user.
func (s *Session) Assistant(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.AssistantEvent, Text: text})
}

// Result adds what a call returned. It survives the process, and with some
// stores not the power: a session that comes back without the result of a call
// that ran counts it as one that anybody may have written.
func (s *Session) Result(ctx context.Context, result remit.Result) error {
	return s.result(ctx, result, false)
}

// AwaitedResult is Result, but for a call whose result doesn't come now it returns
// [remit.ErrUnknownCall] or [remit.ErrNotAwaited], and adds nothing.
func (s *Session) AwaitedResult(ctx context.Context, result remit.Result) error {
	return s.result(ctx, result, true)
}

func (s *Session) result(ctx context.Context, result remit.Result, awaited bool) error {
	return s.step(ctx, func(r *remit.Session, _ int64) (e remit.Event, err error) {
		if awaited {
			if err := r.Awaits(result.Call); err != nil {
				return e, err
			}
		}
		result := result
		if result.Stored, err = s.ledger.found(ctx, r, result.Call); err != nil {
			return e, err
		}
		if err := s.ledger.created(ctx, r, &result); err != nil {
			return e, err
		}
		return remit.Event{Kind: remit.ResultEvent, Result: &result}, nil
	})
}

// Decide decides a proposed call. A call without an id gets one.
func (s *Session) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	var d *remit.Decision
	err := s.take(ctx, func(v *live, write func(store.Record) error) (err error) {
		call := c
		if call.ID == "" {
			// The session's own numbers begin again when it is restored.
			call.ID = fmt.Sprintf("call-%d", v.seq)
		}
		d, err = v.session.DecideRecorded(ctx, call, s.recorder(ctx, write))
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Confirm notes that a person agreed to a call that was held back, and decides
// it again. The person must have seen the last decision on it: see
// [Session.ConfirmAsked] for when that is not certain.
func (s *Session) Confirm(ctx context.Context, call string) (*remit.Decision, error) {
	return s.confirm(ctx, call, nil, false)
}

// ConfirmOnce is [Session.Confirm] for this call alone.
func (s *Session) ConfirmOnce(ctx context.Context, call string) (*remit.Decision, error) {
	return s.confirm(ctx, call, nil, true)
}

// ConfirmAsked is [Session.Confirm] for a person who was shown this decision.
// When the call was decided again since, for reasons that the person has not
// seen, nothing is confirmed, and that decision is returned. An agreement for
// once is to this call alone.
func (s *Session) ConfirmAsked(ctx context.Context, shown *remit.Decision, extent store.Extent) (*remit.Decision, error) {
	return s.confirm(ctx, shown.Call, shown, extent == store.Once)
}

// Agree is [Session.ConfirmAsked] for the one call.
func (s *Session) Agree(ctx context.Context, shown *remit.Decision) (*remit.Decision, error) {
	return s.ConfirmAsked(ctx, shown, store.Once)
}

// errUnseen ends a step that confirms nothing.
var errUnseen = errors.New("the person has not seen all reasons")

func (s *Session) confirm(ctx context.Context, call string, shown *remit.Decision, once bool) (*remit.Decision, error) {
	var d *remit.Decision
	err := s.take(ctx, func(v *live, write func(store.Record) error) (err error) {
		if shown != nil {
			if d, err = s.Last(ctx, call); err != nil {
				return err
			}
			if !covers(shown, d) {
				return errUnseen
			}
		}
		d, err = v.session.ConfirmRecorded(ctx, call, once, s.recorder(ctx, write))
		return err
	})
	if err != nil && !errors.Is(err, errUnseen) {
		return nil, err
	}
	return d, nil
}

// recorder writes a decision down before the session knows of it, and before that
// what its call will write.
func (s *Session) recorder(ctx context.Context, write func(store.Record) error) func(*remit.Proposal) error {
	return func(p *remit.Proposal) error {
		if err := s.ledger.keep(ctx, p); err != nil {
			return err
		}
		return write(store.Record{Event: p.Event(), Decision: p.Decision()})
	}
}

// Last finds the last decision on a call in the log, which takes time in
// proportion to the session's length.
func (s *Session) Last(ctx context.Context, call string) (*remit.Decision, error) {
	var d *remit.Decision
	for rec, err := range s.ledger.store.Read(ctx, s.id, 0) {
		if err != nil {
			return nil, err
		}
		if rec.Decision != nil && rec.Decision.Call == call {
			d = rec.Decision
		}
	}
	if d == nil {
		return nil, fmt.Errorf("call %q: %w", call, remit.ErrUnknownCall)
	}
	return d, nil
}

// covers tells whether who was shown one decision has seen every reason of the
// other, for the same call.
func covers(shown, d *remit.Decision) bool {
	if store.ArgumentsHash(shown) != store.ArgumentsHash(d) {
		return false
	}
	for _, want := range d.Reasons {
		if !slices.ContainsFunc(shown.Reasons, func(r remit.Reason) bool {
			return r.Same(want) && r.Verdict == want.Verdict
		}) {
			return false
		}
	}
	return true
}

// Text returns the text of an event, or of a field of a result, by the name
// that [remit.Evidence] gives it.
func (s *Session) Text(ctx context.Context, origin string) (text string, ok bool, err error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return "", false, fmt.Errorf("text of %s: %w", origin, err)
	}
	defer release()
	for {
		current, err := s.fresh(ctx, v)
		if err != nil {
			return "", false, err
		}
		if text, ok = v.session.Text(origin); ok || current {
			return text, ok, nil
		}
		v.behind = true // it may have come by another replica
	}
}
