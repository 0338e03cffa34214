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
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// System adds text of the deployment.
func (s *Session) System(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.SystemEvent, Text: text}, func(r *remit.Session) error { return r.System(text) })
}

// User adds what the user said: what it names, it vouches for.
func (s *Session) User(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.UserEvent, Text: text}, func(r *remit.Session) error { return r.User(text) })
}

// Attach adds material that the user passed on and did not write.
func (s *Session) Attach(ctx context.Context, name, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.AttachmentEvent, Name: name, Text: text}, func(r *remit.Session) error { return r.Attach(name, text) })
}

// Assistant adds text that the model wrote to the user.
func (s *Session) Assistant(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.AssistantEvent, Text: text}, func(r *remit.Session) error { return r.Assistant(text) })
}

// Result adds what a call returned.
func (s *Session) Result(ctx context.Context, result remit.Result) error {
	return s.step(ctx, func(r *remit.Session, _ int64) (rec store.Record, err error) {
		result := result
		if result.Stored, err = s.ledger.found(ctx, r, result.Call); err != nil {
			return rec, err
		}
		if err := s.ledger.created(ctx, r, &result); err != nil {
			return rec, err
		}
		return store.Record{Event: remit.Event{Kind: remit.ResultEvent, Result: &result}}, r.Result(ctx, result)
	})
}

// Decide decides a proposed call. A call without an id gets one.
func (s *Session) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	var d *remit.Decision
	err := s.step(ctx, func(r *remit.Session, seq int64) (rec store.Record, err error) {
		call := c
		if call.ID == "" {
			// The session's own numbers begin again when it is restored.
			call.ID = fmt.Sprintf("call-%d", seq)
		}
		if d, err = r.Decide(ctx, call); err != nil {
			return rec, err
		}
		if d.Confirmed {
			return rec, errConfirmer
		}
		if err := s.ledger.keep(ctx, r, d.Call); err != nil {
			return rec, err
		}
		return store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: &call, Verdict: d.Verdict}, Decision: d}, nil
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

// errUnseen ends a step that confirms nothing.
var errUnseen = errors.New("the person has not seen all reasons")

func (s *Session) confirm(ctx context.Context, call string, shown *remit.Decision, once bool) (*remit.Decision, error) {
	var d *remit.Decision
	err := s.step(ctx, func(r *remit.Session, _ int64) (rec store.Record, err error) {
		if shown != nil {
			if d, err = s.Last(ctx, call); err != nil {
				return rec, err
			}
			if !covers(shown, d) {
				return rec, errUnseen
			}
		}
		confirm := r.Confirm
		if once {
			confirm = r.ConfirmOnce
		}
		if d, err = confirm(ctx, call); err != nil {
			return rec, err
		}
		if err := s.ledger.keep(ctx, r, call); err != nil {
			return rec, err
		}
		return store.Record{Event: remit.Event{Kind: remit.ConfirmationEvent, Call: &remit.Call{ID: call}, Verdict: d.Verdict, Once: once}, Decision: d}, nil
	})
	if err != nil && !errors.Is(err, errUnseen) {
		return nil, err
	}
	return d, nil
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
			return r.Code == want.Code && r.Path == want.Path && r.Verdict == want.Verdict
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
		restored, err := s.fresh(ctx, v)
		if err != nil {
			return "", false, err
		}
		if text, ok = v.session.Text(origin); ok || restored {
			return text, ok, nil
		}
		v.forget() // it may have come by another replica
	}
}

// add is a step that decides nothing.
func (s *Session) add(ctx context.Context, e remit.Event, f func(*remit.Session) error) error {
	return s.step(ctx, func(r *remit.Session, _ int64) (store.Record, error) { return store.Record{Event: e}, f(r) })
}

// step applies a change to the session and writes it, both or neither as far as
// anybody can see. While it does, no other step of this session runs in this
// process; that none came between in another one is what the append makes sure
// of.
func (s *Session) step(ctx context.Context, f func(r *remit.Session, seq int64) (store.Record, error)) error {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	for range MaxTries {
		restored, err := s.fresh(ctx, v)
		if err != nil {
			return err
		}
		at := s.ledger.now()
		rec, err := f(v.session, v.seq)
		if err != nil {
			// The session in memory may have been changed, and, if it was in
			// memory before, may not have known what the log knows.
			v.forget()
			if restored || ctx.Err() != nil || errors.Is(err, errUnseen) {
				return err
			}
			continue
		}
		rec.Event.Time = at
		err = s.ledger.store.Append(ctx, s.id, v.seq, rec)
		if err == nil {
			v.seq++
			return nil
		}
		v.forget()
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("session %q: %w, %d times in a row", s.id, ErrContended, MaxTries)
}

// fresh makes the live session from the log when it has to, and tells whether
// it has.
func (s *Session) fresh(ctx context.Context, v *live) (restored bool, err error) {
	m := s.monitor()
	if m == nil {
		return false, fmt.Errorf("session %q: there is no monitor", s.id)
	}
	if v.session != nil && v.monitor == m {
		return false, nil
	}
	v.forget()
	n := int64(0)
	session, err := m.Restore(ctx, s.id, func(yield func(remit.Event, error) bool) {
		for rec, err := range s.ledger.store.Read(ctx, s.id, 0) {
			if !yield(rec.Event, err) {
				return
			}
			n++
		}
	})
	if err != nil {
		return false, err
	}
	v.session, v.monitor, v.seq = session, m, n
	return true, nil
}
