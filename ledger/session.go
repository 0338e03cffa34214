package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// Session is a [remit.Session] whose every step is in its log when the method
// returns. An error means that the step may not be taken as done.
type Session struct {
	ledger  *Ledger
	id      string
	monitor *remit.Monitor
	settles *store.Settlement
	// unplanned is set where decisions don't wait for a plan.
	unplanned bool
	// shadow is set where nothing is held to the decisions.
	shadow bool
	// unless, if it is set and returns an error, keeps a decision from being made.
	unless func() error
}

// Settling returns a handle of the session whose next step, or question, carries
// the request out: the reply is kept with what is written.
func (s *Session) Settling(x *store.Settlement) *Session {
	other := *s
	other.settles = x
	return &other
}

// Unplanned returns a handle of the session that asks no planner: for calls of turns that
// have passed, which an enforcement point decides again when it rebuilds a session.
func (s *Session) Unplanned() *Session {
	other := *s
	other.unplanned = true
	return &other
}

// Shadowed returns a handle of the session whose decisions are recorded as not enforced:
// the enforcement point lets their calls run.
func (s *Session) Shadowed() *Session {
	other := *s
	other.shadow = true
	return &other
}

// Unless returns a handle of the session whose decisions are neither made nor written when f
// returns an error, which the caller gets instead. f is called when everything that a decision
// needs is looked up, perhaps more than once.
func (s *Session) Unless(f func() error) *Session {
	other := *s
	other.unless = f
	return &other
}

// Under returns a handle of the session that another monitor decides.
func (s *Session) Under(ctx context.Context, m *remit.Monitor) (*Session, error) {
	return s.ledger.Open(ctx, m, s.id)
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// System adds text of the deployment.
func (s *Session) System(ctx context.Context, text string) error {
	return s.add(ctx, remit.Event{Kind: remit.SystemEvent, Text: text})
}

// User adds what the user said. It vouches for the values that it names.
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

// Scope puts what the user's last turn authorises into force; see
// [remit.Session.Scope]. The log keeps it as its planner wrote it.
func (s *Session) Scope(ctx context.Context, data []byte) (parsed *scope.Scope, refused []scope.Refusal, err error) {
	err = s.step(ctx, func(r *remit.Session, _ int64) (remit.Event, error) {
		if parsed, refused, err = r.CheckScope(data); err != nil {
			return remit.Event{}, err
		}
		return remit.Event{Kind: remit.ScopeEvent, Scope: data}, nil
	})
	return parsed, refused, err
}

// CheckScope returns what [Session.Scope] would, and changes nothing.
func (s *Session) CheckScope(ctx context.Context, data []byte) (*scope.Scope, []scope.Refusal, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()

	v.behind = true // another replica may have gone on
	if _, err := s.refresh(ctx, v); err != nil {
		return nil, nil, err
	}
	return v.session.CheckScope(data)
}

// LastScope finds the scope of the user's last turn in the log, which takes time in
// proportion to the session's length. Where there is none, it returns the event that says
// why, and nil where there is no such event either.
func (s *Session) LastScope(ctx context.Context) (*remit.Event, error) {
	var last *remit.Event
	for e, err := range s.Events(ctx) {
		switch {
		case err != nil:
			return nil, err
		case e.Kind == remit.UserEvent:
			last = nil
		case e.Kind == remit.ScopeEvent && e.Delegated == nil && e.Named == nil && (len(e.Scope) > 0 || last == nil):
			last = &e
		}
	}
	return last, nil
}

// LastNames finds in the log what the planner said, after results, of the names in the scope of the user's last turn.
func (s *Session) LastNames(ctx context.Context) ([]scope.Named, error) {
	var out []scope.Named
	for e, err := range s.Events(ctx) {
		switch {
		case err != nil:
			return nil, err
		case e.Kind == remit.UserEvent:
			out = nil
		case e.Named != nil:
			out = append(out, *e.Named)
		}
	}
	return out, nil
}

// Agree adds the event of an answer by which the user agrees to calls that were held
// back, before the model proposes them again; [remit.Agree] makes it.
func (s *Session) Agree(ctx context.Context, e remit.Event) error {
	if e.Kind != remit.AgreementEvent {
		return fmt.Errorf("a %s event is not an agreement", e.Kind)
	}
	return s.add(ctx, e)
}

// Principal sets the session's principal; see [remit.Session.Principal].
func (s *Session) Principal(ctx context.Context, p guard.Principal) error {
	return s.add(ctx, remit.Event{Kind: remit.PrincipalEvent, Principal: &p})
}

// Result adds what a call returned. It survives the process, and with some stores not a loss of
// power: a session that is restored without the result of a call that ran counts it as text that
// an outsider may have written.
func (s *Session) Result(ctx context.Context, result remit.Result) error {
	return s.result(ctx, result, false)
}

// AwaitedResult is [Session.Result] for a call that waits for its result. For any
// other call it returns [remit.ErrUnknownCall] or [remit.ErrNotAwaited] and adds
// nothing.
func (s *Session) AwaitedResult(ctx context.Context, result remit.Result) error {
	return s.result(ctx, result, true)
}

func (s *Session) result(ctx context.Context, result remit.Result, awaited bool) error {
	err := s.addResult(ctx, result, awaited)
	if err == nil {
		s.nameAhead(ctx)
	}
	return err
}

func (s *Session) addResult(ctx context.Context, result remit.Result, awaited bool) error {
	return s.step(ctx, func(r *remit.Session, _ int64) (e remit.Event, err error) {
		if awaited {
			if err := r.Awaits(result.Call); err != nil {
				return e, err
			}
		}

		result := result
		if result.Suspended && result.Content == "" && len(result.Structured) == 0 {
			return remit.Event{Kind: remit.ResultEvent, Result: &result}, nil
		}
		if result.Stored, err = s.ledger.found(ctx, r, result.Call); err != nil {
			return e, err
		}
		if err := s.ledger.created(ctx, r, &result); err != nil {
			return e, err
		}
		return remit.Event{Kind: remit.ResultEvent, Result: &result}, nil
	})
}

// Decide decides a proposed call. A call without an id gets one. Where the monitor has a
// planner, the first call of a turn waits for the turn's scope.
func (s *Session) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	// The turn may be one that another enforcement point wrote meanwhile.
	for range maxPlans {
		if err := s.Plan(ctx); err != nil {
			return nil, err
		}
		if err := s.Name(ctx, c.Tool); err != nil {
			return nil, err
		}
		d, err := s.decide(ctx, c, !s.unplanned)
		if !errors.Is(err, errUnplanned) {
			return d, err
		}
	}
	return s.decide(ctx, c, false)
}

// maxPlans is how often a decision waits for a plan because the user has spoken again.
const maxPlans = 3

// errUnplanned ends a step for a call of a turn without a plan.
var errUnplanned = errors.New("nobody has planned for the turn")

func (s *Session) decide(ctx context.Context, c remit.Call, planned bool) (*remit.Decision, error) {
	began := time.Now()
	known, err := s.inquire(ctx, c)
	if err != nil {
		return nil, err
	}

	var d *remit.Decision
	err = s.take(ctx, func(v *live, write func(store.Record) error) (err error) {
		if planned && v.session.Unplanned() {
			return errUnplanned
		}
		call := c
		if call.ID == "" && s.ledger.only == nil {
			// The place in the log is the same for every replica. The session's own
			// numbers begin again when it is restored.
			call.ID = fmt.Sprintf("call-%d", v.seq)
		}
		d, err = v.session.DecideRecorded(ctx, call, known, s.recorder(ctx, began, write))
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Confirm records that a person agreed to a call that was held back, and decides
// it again. The person must have seen the last decision on it: see
// [Session.ConfirmAsked] for when that is not certain.
func (s *Session) Confirm(ctx context.Context, call string) (*remit.Decision, error) {
	return s.confirm(ctx, call, nil, store.ForSession)
}

// ConfirmOnce is [Session.Confirm] for this call alone.
func (s *Session) ConfirmOnce(ctx context.Context, call string) (*remit.Decision, error) {
	return s.confirm(ctx, call, nil, store.Once)
}

// ConfirmAsked is [Session.Confirm] for a person who was shown this decision.
// When the call was decided again since, for reasons that the person has not
// seen, nothing is confirmed, and that decision is returned. With [store.Once],
// the agreement is to this call alone.
func (s *Session) ConfirmAsked(ctx context.Context, shown *remit.Decision, extent store.Extent) (*remit.Decision, error) {
	return s.confirm(ctx, shown.Call, shown, extent)
}

// errUnseen ends a step that confirms nothing.
var errUnseen = errors.New("the person has not seen all reasons")

// confirm confirms a call for a person who was shown a decision; nil means that it
// was the last one.
func (s *Session) confirm(ctx context.Context, call string, shown *remit.Decision, extent store.Extent) (*remit.Decision, error) {
	began := time.Now()
	known, err := s.inquire(ctx, remit.Call{ID: call})
	if err != nil && !errors.Is(err, remit.ErrUnknownCall) { // the log may know it
		return nil, err
	}

	var d *remit.Decision
	err = s.take(ctx, func(v *live, write func(store.Record) error) (err error) {
		if shown != nil {
			if d, err = s.Last(ctx, call); err != nil {
				return err
			}
			if !covers(shown, d) {
				return errUnseen
			}
		}
		d, err = v.session.ConfirmRecorded(ctx, call, extent == store.Once, known, s.recorder(ctx, began, write))
		return err
	})
	if err != nil && !errors.Is(err, errUnseen) {
		return nil, err
	}
	return d, nil
}

// inquire looks up what guards want for a call before its step, so that other steps
// of the session need not wait.
func (s *Session) inquire(ctx context.Context, c remit.Call) (*remit.Answers, error) {
	if s.monitor.Guards() == nil {
		return nil, nil
	}
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	_, err = s.refresh(ctx, v)
	r := v.session
	release()
	if err != nil {
		return nil, err
	}
	return r.Inquire(ctx, c)
}

// recorder writes a decision that began at a time down before the session knows of it, and
// before that what its call will write.
func (s *Session) recorder(ctx context.Context, began time.Time, write func(store.Record) error) func(*remit.Proposal) error {
	return func(p *remit.Proposal) error {
		if s.unless != nil {
			if err := s.unless(); err != nil {
				return err
			}
		}
		// The clock of the machine: the monitor's may stand still.
		took := time.Since(began)
		if err := s.ledger.keep(ctx, p); err != nil {
			return err
		}
		return write(store.Record{Event: p.Event(), Decision: p.Decision(), Took: took, Shadow: s.shadow})
	}
}

// Events yields the session's log.
func (s *Session) Events(ctx context.Context) iter.Seq2[remit.Event, error] {
	return store.Events(s.ledger.logs.Read(ctx, s.id, 0))
}

// Last finds the last decision on a call in the log, which takes time in
// proportion to the session's length. What was refused for its repeated id
// ([remit.Decision.Repeats]) decided nothing about the call that has the id.
func (s *Session) Last(ctx context.Context, call string) (*remit.Decision, error) {
	var d *remit.Decision
	for rec, err := range s.ledger.logs.Read(ctx, s.id, 0) {
		if err != nil {
			return nil, err
		}
		if rec.Decision != nil && rec.Decision.Call == call && !rec.Decision.Repeats() {
			d = rec.Decision
		}
	}
	if d == nil {
		return nil, fmt.Errorf("call %q: %w", call, remit.ErrUnknownCall)
	}
	return d, nil
}

// stopped reports whether the user has said since a call was first decided that it isn't to be made:
// whoever agreed to it may not have read that. It takes time in proportion to the session's length.
func (s *Session) stopped(ctx context.Context, call string) (bool, error) {
	decided := false
	for rec, err := range s.ledger.logs.Read(ctx, s.id, 0) {
		if err != nil {
			return false, err
		}
		decided = decided || (rec.Decision != nil && rec.Decision.Call == call)
		if decided && rec.Event.Kind == remit.UserEvent && reply.Stops(rec.Event.Text) {
			return true, nil
		}
	}
	return false, nil
}

// covers reports whether a person who was shown one decision has seen every
// reason of the other, for the same call.
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
		current, err := s.refresh(ctx, v)
		if err != nil {
			return "", false, err
		}
		if text, ok = v.session.Text(origin); ok || current {
			return text, ok, nil
		}
		v.behind = true // it may have come by another replica
	}
}

// Duties returns the duties of the session's calls that are not yet fulfilled; see
// [remit.Session.Duties].
func (s *Session) Duties(ctx context.Context) ([]guard.OpenDuty, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("duties of session %q: %w", s.id, err)
	}
	defer release()

	v.behind = true // another replica may have gone on
	if _, err := s.refresh(ctx, v); err != nil {
		return nil, fmt.Errorf("duties of session %q: %w", s.id, err)
	}
	return v.session.Duties(), nil
}
