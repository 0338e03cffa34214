package remit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// MaxCalls bounds the calls of one session: beyond it every call is denied.
const MaxCalls = 100_000

// Session is one conversation of one agent. Its methods may be called from
// several goroutines; they take effect one after the other.
type Session struct {
	monitor *Monitor
	id      string
	past    time.Time // the time of the event that is being restored

	asking chan struct{} // holds a token while look-ups of guards are under way

	mu        sync.Mutex
	version   uint64 // counts what was added
	seen      *provenance.Session
	calls     map[string]*callRecord
	counts    struct{ system, user, attached, model, calls int }
	confirmed discharge.Confirmations
	agreed    agreements
	foreign   map[string]bool // the origins that no tool of the monitor has
	history   *history        // nil where there are no guards
}

// callRecord is what later events of a session need to know about a call.
type callRecord struct {
	decided
	bound    *binding
	variant  *contract.Variant
	args     []provenance.Resolved
	keys     []string // the places of the arguments, as certificates name them
	returned bool
	made     *guard.Call // as guards see it; nil where there are none
}

var (
	// ErrUnknownCall is returned by [Session.Confirm] and [Session.Awaits] for a
	// call that was never proposed in the session.
	ErrUnknownCall = errors.New("no such call in this session")
	// ErrNotAwaited is returned by [Session.Awaits] for a call that can't have a
	// result any more, or at all.
	ErrNotAwaited = errors.New("the call has no result to come")
)

// Awaits reports why the session doesn't wait for the result of a call; nil where
// it does. [Session.Result] takes others as well, as text of unknown origin:
// enforcement points that can say so to who made the mistake ask before.
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
	}
	return nil
}

// Session begins a conversation. The id is for records; it need not be unique,
// and two sessions never share anything.
func (m *Monitor) Session(id string) *Session {
	s := &Session{monitor: m, id: id, calls: map[string]*callRecord{}, agreed: agreements{}, asking: make(chan struct{}, 1)}
	s.seen = provenance.New(s.now)
	if m.unseen {
		s.seen.Unseen()
	}
	if m.guards != nil {
		s.history = &history{calls: map[string]*guard.Call{}}
	}
	return s
}

// ID returns the id that the session was begun with.
func (s *Session) ID() string { return s.id }

// System adds text of the deployment: a system or developer message.
func (s *Session) System(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.seen.System(next("system", &s.counts.system), text)
	s.said(guard.SystemEntry, text)
}

// User adds what the user said. Only text that really came from the user's own
// channel belongs here: what it names, it vouches for.
func (s *Session) User(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.seen.User(next("user", &s.counts.user), text)
	s.said(guard.UserEntry, text)
}

// Attach adds material that the user passed on and did not write: an uploaded
// file, a pasted page, retrieved context. It is EXTERNAL.
func (s *Session) Attach(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.seen.External(next("attachment", &s.counts.attached), text)
	s.said(guard.AttachmentEntry, text)
}

// Assistant adds text that the model wrote to the user.
func (s *Session) Assistant(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.seen.Model(next("model", &s.counts.model), text)
	s.said(guard.AssistantEntry, text)
}

func next(kind string, n *int) string {
	name := kind + ":" + strconv.Itoa(*n)
	*n++
	return name
}

// Text returns the text of an event, or of a field of a result, by the name
// that [Evidence.Origin] gives it.
func (s *Session) Text(origin string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.Text(origin)
}

// Result adds what a call returned. A result of a call that was not allowed, or
// that the session doesn't know, is EXTERNAL: nothing is known about it.
func (s *Session) Result(ctx context.Context, r Result) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("result of %s: %w", r.Call, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	out := provenance.Result{Text: r.Content, Document: structured(r), Beside: len(r.Structured) > 0}
	name := "result:" + r.Call
	record, ok := s.calls[r.Call]
	if ok && len(r.Structured) == 0 && record.bound != nil && provenance.NameTells(record.bound.contract.Tool.Name, provenance.Verbatim) {
		// What somebody wrote is returned as it is: that it reads as JSON makes no
		// records of it.
		out.Document = nil
	}
	s.returned(record, r)
	if !ok || !record.allowed || record.returned {
		out.Origin = label.OriginsOf(label.OriginUnknown)
		if ok && record.bound != nil {
			out.Origin = out.Origin.Union(record.bound.origin)
		}
		s.seen.Output(name, out)
		return nil
	}
	record.returned = true
	out.Tool = record.bound.contract.Tool.Name
	out.Arguments, out.Made = record.args, record.variant.Effect != contract.Read
	out.Origin, out.Spec = s.lowered(record.bound.origin, s.spec(record, out.Document), r.Stored)
	s.seen.Output(name, out)
	return nil
}

// structured returns the structured form of a result: the one that the tool
// gave, or the text itself where that is JSON. Text that only looks like
// structure (YAML, key and value lines) is text: whoever may write one line of
// it may write them all.
func structured(r Result) *strictjson.Document {
	raw := []byte(r.Structured)
	if len(raw) == 0 {
		if r.Content == "" || r.Content[0] != '{' && r.Content[0] != '[' {
			return nil
		}
		raw = []byte(r.Content)
	}
	doc, err := strictjson.Parse(raw, strictjson.OutputLimits())
	if err != nil {
		return nil
	}
	if k := doc.Root().Kind(); k != strictjson.Object && k != strictjson.Array {
		return nil
	}
	return doc
}

// spec is the output spec of a call, with those certificates whose key was
// vouched for.
func (s *Session) spec(record *callRecord, result *strictjson.Document) provenance.Spec {
	o, tool := record.variant.Output, record.bound.contract.Tool.Name
	spec := provenance.Spec{Trust: o.Trust, Derived: o.Derived}
	if result == nil {
		return spec // fields are those of structure
	}
	records := contract.RecordsOf(result)
	spec.Field = func(pointer string) (label.Trust, bool) { return o.Field(pointer, records) }
	for _, c := range o.Certify() {
		key := ""
		for i, p := range record.keys {
			// A key that the user only happened to say, or ruled out, names nobody.
			if p == c.Key && record.args[i].Label.Trust >= c.KeyFloor && s.seen.Names(tool, record.args[i]) {
				key = record.args[i].Text
			}
		}
		if key == "" && c.Key != "" {
			continue // nobody vouched for it, or it names nothing
		}
		var by func(string) bool
		basis := fmt.Sprintf("%s of %s by a key that was vouched for (%s)", c.Procedure, tool, c.Key)
		if c.By != "" {
			by = c.Names
			basis = fmt.Sprintf("%s of %s: the user named the record by its %s", c.Procedure, tool, c.By)
		} else if c.Key == "" {
			continue
		}
		spec.Certify = append(spec.Certify, provenance.Certify{
			Procedure: c.Procedure,
			Basis:     basis,
			Key:       key,
			Field:     func(pointer string) bool { return c.Matches(pointer, records) },
			By:        by,
			Unique:    c.Unique,
			Roles:     label.RolesOf(c.Roles...),
			Max:       c.Max,
		})
	}
	return spec
}

func (s *Session) now() time.Time {
	if !s.past.IsZero() {
		return s.past
	}
	return s.monitor.now()
}
