package remit

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/scope"
)

// MaxCalls bounds the calls of one session: beyond it every call is denied. A call that was held
// back counts each time that it is proposed.
const MaxCalls = 100_000

// Session is one conversation of one agent. Its methods may be called from
// several goroutines; they take effect one after the other.
type Session struct {
	monitor *Monitor
	id      string
	asking  chan struct{} // holds a token while look-ups of guards are under way
	// planning holds a token while the planner is asked about a turn, and naming one while it is asked about names: a call whose
	// entries have none waits for no name.
	planning, naming chan struct{}

	mu        sync.Mutex
	version   uint64    // counts the changes
	at        time.Time // the time of the last change
	seen      *provenance.Session
	calls     map[string]*callRecord
	counts    struct{ system, user, attached, model, calls, repeats, named int }
	confirmed discharge.Confirmations
	agreed    agreements
	ahead     ahead
	foreign   map[string]bool // the origins that no tool of the monitor has
	task      task
	passages  passages
	readings  []scope.Reading // to which a person agreed
	codeFor   *codeRequest    // the last call whose result asks for a one-time code
	history   *history        // nil where there are no guards
}

// callRecord is what a session keeps of a call.
type callRecord struct {
	decided
	bound     *binding
	variant   *contract.Variant
	args      []provenance.Argument // at their places, as certificates name them
	returned  bool
	suspended bool     // it has not run, as the enforcement point says
	resumed   bool     // it was proposed again after a person had agreed
	covered   bool     // by a scope
	early     bool     // the session had read nothing that others may have written
	counted   string   // the id under which rules and scopes count it
	passage   *passage // that it is of; nil for none
	completes bool     // an earlier call, by a one-time code
	scopeArgs []match.Argument
	made      *guard.Call // as guards see it; nil where there are none
}

var (
	// ErrUnknownCall is returned by [Session.Confirm] and [Session.Awaits] for a
	// call that was never proposed in the session.
	ErrUnknownCall = errors.New("no such call in this session")
	// ErrNotAwaited is returned by [Session.Awaits] for a call that was not allowed,
	// or that has its result.
	ErrNotAwaited = errors.New("the call has no result to come")
)

// Awaits returns nil when the session waits for the result of a call, otherwise
// [ErrUnknownCall] or [ErrNotAwaited]. [Session.Result] takes any result, and counts
// an unexpected one as text of unknown origin. An enforcement point that can refuse
// it calls Awaits before.
func (s *Session) Awaits(call string) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	record, ok := s.calls[call]
	switch {
	case !ok:
		return ErrUnknownCall
	case !record.allowed:
		return fmt.Errorf("%w: it was not allowed", ErrNotAwaited)
	case record.returned:
		return fmt.Errorf("%w: it has its result", ErrNotAwaited)
	case record.suspended:
		return fmt.Errorf("%w: it is suspended, and has to be decided again", ErrNotAwaited)
	}
	return nil
}

// resumable reports whether an allowed call may be proposed again under its id: where it has not
// run, as its enforcement point says, or where a person agreed to it after it was held back, and
// it has not been proposed since. Anything else would let one decision run a call twice.
func (r *callRecord) resumable() bool {
	agreed := r.agreed != none && !r.resumed
	return r.allowed && !r.returned && (r.suspended || agreed)
}

// Session begins a conversation. The id is for records and need not be unique: two
// sessions never share anything.
func (m *Monitor) Session(id string) *Session {
	s := &Session{monitor: m, id: id, calls: map[string]*callRecord{}, agreed: agreements{}, ahead: ahead{}, passages: passages{}, asking: make(chan struct{}, 1), planning: make(chan struct{}, 1), naming: make(chan struct{}, 1)}
	s.seen = provenance.New(func() time.Time { return s.at })
	if m.unseen {
		s.seen.Unseen()
	}
	s.task.talk.tainted = m.hearsay != nil // unreviewed definitions are others' text
	if m.guards != nil {
		s.history = &history{calls: map[string]*guard.Call{}}
		s.history.seen.Remember()
	}
	return s
}

// ID returns the id that was given to [Monitor.Session].
func (s *Session) ID() string { return s.id }

// System adds text of the deployment: a system or developer message.
func (s *Session) System(text string) { s.addText(Event{Kind: SystemEvent, Text: text}) }

// User adds what the user said. The values that it names are vouched for, so that
// only text from the user's own channel belongs here.
func (s *Session) User(text string) {
	s.addText(Event{Kind: UserEvent, Text: text})
	s.ReadAhead()
}

// Attach adds material that the user passed on and did not write: an uploaded
// file, a pasted page, retrieved context. It is EXTERNAL.
func (s *Session) Attach(name, text string) {
	s.addText(Event{Kind: AttachmentEvent, Name: name, Text: text})
}

// Assistant adds text that the model wrote to the user.
func (s *Session) Assistant(text string) { s.addText(Event{Kind: AssistantEvent, Text: text}) }

func (s *Session) addText(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(e.Time)
	s.task.talk.heard(e, s.at)

	switch e.Kind {
	case SystemEvent:
		s.seen.System(next("system", &s.counts.system), e.Text)
		s.addEntry(guard.SystemEntry, e.Text)
	case UserEvent:
		s.task.turn, s.task.scope, s.task.planned, s.task.delegated, s.task.named = e.Text, nil, false, s.task.carried(), nil
		s.task.proposal, s.task.talk.unseen = s.task.talk.unseen, ""
		s.endReadings()
		clear(s.passages)
		s.seen.User(next("user", &s.counts.user), e.Text)
		s.addEntry(guard.UserEntry, e.Text)
	case AttachmentEvent:
		s.task.foreign = true
		s.seen.External(next("attachment", &s.counts.attached), e.Text)
		s.addEntry(guard.AttachmentEntry, e.Text)
	case AssistantEvent:
		s.seen.Model(next("model", &s.counts.model), e.Text)
		s.addEntry(guard.AssistantEntry, e.Text)
	}
}

// begin starts a change of the session that happens at a time; the zero time is
// now.
func (s *Session) begin(at time.Time) {
	s.version++
	s.at = s.timeOr(at)
}

// timeOr returns a time, or the monitor's clock for the zero time.
func (s *Session) timeOr(at time.Time) time.Time {
	if at.IsZero() {
		return s.monitor.now()
	}
	return at
}

func next(kind string, n *int) string {
	name := kind + ":" + strconv.Itoa(*n)
	*n++
	return name
}

// Text returns the text of an event, or of a field of a result, by the name
// that the Origin of [Evidence] gives it.
func (s *Session) Text(origin string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.Text(origin)
}
