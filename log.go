package remit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/scope"
)

// EventKind says what an [Event] is about.
type EventKind string

// The kinds of events.
const (
	SystemEvent       EventKind = "system"       // text of the deployment
	UserEvent         EventKind = "user"         // text that the user wrote
	AttachmentEvent   EventKind = "attachment"   // material that the user passed on
	AssistantEvent    EventKind = "assistant"    // text that the model wrote
	CallEvent         EventKind = "call"         // a proposed call and what was decided
	ConfirmationEvent EventKind = "confirmation" // a person agreed to a call, and what was decided then
	ResultEvent       EventKind = "result"       // what a call returned
	ScopeEvent        EventKind = "scope"        // what the turn before it authorises
	AgreementEvent    EventKind = "agreement"    // the user agreed to calls that are yet to be proposed again
	PrincipalEvent    EventKind = "principal"    // the principal of the session
)

// Event is one entry of a session's log, in the order in which they happened.
// [Monitor.Restore] rebuilds a session from its log.
type Event struct {
	Kind EventKind `json:"kind"`
	// Time is when the event happened: relative dates and expiries count from there.
	Time time.Time `json:"time"`
	// Name is that of an attachment.
	Name string `json:"name,omitempty"`
	// Text is that of a system, user, attachment or assistant event, and the user's answer
	// of an agreement event or of the scope event of a delegation.
	Text string `json:"text,omitempty"`
	// Call is the proposed call of a call event, with its id; a confirmation
	// event has the id alone.
	Call *Call `json:"call,omitempty"`
	// Verdict is what was decided in a call or confirmation event.
	Verdict Verdict `json:"verdict,omitempty"`
	// Once is set when a confirmation was for the call alone: see
	// [Session.ConfirmOnce].
	Once   bool    `json:"once,omitempty"`
	Result *Result `json:"result,omitempty"`
	// Facts are what guards looked up and asked for the decision. A replay decides by them and
	// looks nothing up.
	Facts *guard.Facts `json:"facts,omitempty"`
	// Scope is that of a scope event, as its planner wrote it.
	Scope json.RawMessage `json:"scope,omitempty"`
	// Planned is what a planner was shown for the scope of a scope event, or why there is
	// no scope; nil where the trusted side wrote the scope itself.
	Planned *scope.Planned `json:"planned,omitempty"`
	// Named is what the planner said, after a result, of the names in the scope of the turn; nil for any other scope
	// event. The event has no scope then.
	Named *scope.Named `json:"named,omitempty"`
	// Delegated is what the scope of a scope event was made of, where a person agreed to a
	// plan for a delegated source; nil for the scope of a turn.
	Delegated *scope.Delegated `json:"delegated,omitempty"`
	// Agreed are the calls of an agreement event, whose Text is the user's answer.
	Agreed []Agreed `json:"agreed,omitempty"`
	// Readings are those to which a person agreed with the call of a call or confirmation event.
	Readings []scope.Reading `json:"readings,omitempty"`
	// Principal is that of a principal event.
	Principal *guard.Principal `json:"principal,omitempty"`
}

// Restore rebuilds a session from its event log. It decides every call again by
// this monitor's contracts, which may have changed since. A call that was not
// allowed then is not allowed now, so that a restored session never trusts more
// than the recorded one. Restore returns an error, and no session, when the log
// can't be read or has an impossible event.
func (m *Monitor) Restore(ctx context.Context, id string, events iter.Seq2[Event, error]) (*Session, error) {
	s := m.Session(id)
	if err := s.Replay(ctx, events); err != nil {
		return nil, err
	}
	return s, nil
}

// Replay adds the events that follow in the session's log, as [Monitor.Restore]
// does. After an error the session can't be used.
func (s *Session) Replay(ctx context.Context, events iter.Seq2[Event, error]) error {
	for _, err := range s.review(ctx, events) {
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

// Review compares a call in a session's log with this monitor's decision on it.
type Review struct {
	// Event is the call or confirmation event, with what was decided then.
	Event Event
	// Decision is this monitor's, given that everything before it happened as the
	// log has it.
	Decision *Decision
}

// Review reads a session's log and yields this monitor's decision on every call and
// confirmation in it. It shows the effect of a changed contract before that is
// enforced. It ends with an error where the log can't be read.
func (m *Monitor) Review(ctx context.Context, id string, events iter.Seq2[Event, error]) iter.Seq2[Review, error] {
	return func(yield func(Review, error) bool) {
		for r, err := range m.Session(id).review(ctx, events) {
			if err != nil {
				err = fmt.Errorf("review: %w", err)
			} else if r.Decision == nil {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// review applies events to a new session.
func (s *Session) review(ctx context.Context, events iter.Seq2[Event, error]) iter.Seq2[Review, error] {
	return func(yield func(Review, error) bool) {
		n := 0
		for e, err := range events {
			r := Review{Event: e}
			if err == nil {
				r.Decision, err = s.restore(ctx, e)
			}
			if err != nil {
				err = fmt.Errorf("session %q: event %d: %w", s.id, n, err)
			}
			if !yield(r, err) || err != nil {
				return
			}
			n++
		}
	}
}

// restore applies an event, and returns this monitor's decision when the event is
// about a call.
func (s *Session) restore(ctx context.Context, e Event) (*Decision, error) {
	switch e.Kind {
	case SystemEvent, UserEvent, AttachmentEvent, AssistantEvent:
		s.addText(e)
	case ResultEvent:
		if e.Result == nil {
			return nil, errors.New("a result event without a result")
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("result of %s: %w", e.Result.Call, err)
		}
		s.addResult(*e.Result, e.Time)
	case ScopeEvent:
		return nil, s.restoreScope(e)
	case AgreementEvent:
		return nil, s.agree(e)
	case PrincipalEvent:
		if e.Principal == nil {
			return nil, errors.New("a principal event without a principal")
		}
		s.setPrincipal(*e.Principal, e.Time)
	case CallEvent, ConfirmationEvent:
		return s.restoreCall(ctx, e)
	default:
		return nil, fmt.Errorf("unknown kind %q", e.Kind)
	}

	return nil, nil
}

// restoreCall decides a call of the log again, or a confirmation, by the facts in
// the log and no better than the verdict in it.
func (s *Session) restoreCall(ctx context.Context, e Event) (*Decision, error) {
	if e.Call == nil || e.Call.ID == "" {
		return nil, fmt.Errorf("a %s event without a call id", e.Kind)
	}
	if e.Verdict != Allow && e.Verdict != Ask && e.Verdict != Deny {
		return nil, fmt.Errorf("a %s event with verdict %q", e.Kind, e.Verdict)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{call: *e.Call, now: s.timeOr(e.Time)}
	if e.Kind == ConfirmationEvent {
		q.consent = forSession
		if e.Once {
			q.consent = once
		}
	}
	in, err := s.input(q, e.Facts)
	if err != nil {
		return nil, err
	}

	in.replay, in.best = true, e.Verdict
	o := decide(in)
	o.readings = slices.DeleteFunc(slices.Clone(o.readings), func(r scope.Reading) bool { return !slices.Contains(e.Readings, r) })
	s.commit(o)
	if e.Verdict == Allow && o.record != nil && !o.record.allowed {
		s.pass(o)
	}
	if e.Verdict == Allow && o.record != nil && o.record.made != nil {
		s.ran(o.record.made, in.now) // whatever is decided now
	}
	d := *o.decision
	d.Verdict = o.own
	return &d, nil
}
