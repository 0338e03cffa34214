package remit

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/guard"
)

// guards holds the call to the company's policies. They come last and only add
// reasons: they can make a decision worse and never better.
func (x *deciding) guards() {
	if x.in.deployment.guards == nil {
		return
	}
	x.out.record.made = &guard.Call{ID: x.d.Call, Server: x.d.Server, Tool: x.d.Tool, Arguments: x.target.arguments, Message: x.in.call.Message}
	if x.in.call.Past {
		return
	}
	for _, t := range x.targets() {
		x.guard(t)
	}
}

// guard holds the call to the rules for one of its tools.
func (x *deciding) guard(t target) {
	denied := x.worst() == Deny
	request := guard.Request{
		Server: t.server, Tool: t.contract.Tool.Name, Arguments: t.arguments, Labels: func() []guard.LabeledValue { return x.guardLeaves(t) },
		History: x.history, Now: x.in.now, Recorded: x.in.facts, Message: x.in.call.Message, Beside: x.in.call.Beside,
	}
	out := x.in.deployment.guards.Recall(request)
	if !denied {
		x.d.Facts = x.d.Facts.With(out.Facts)
		if out.Missing { // nothing is looked up with values that were refused
			x.out.wants = append(x.out.wants, request)
		}
	}
	for _, v := range out.Violations {
		if v.Failed == "" || !denied { // a denied call is not worth a look-up
			x.d.Reasons = append(x.d.Reasons, violation(v))
		}
	}
}

// violation returns the reason that a rule gives which doesn't hold.
func violation(v guard.Violation) Reason {
	r := Reason{Code: PolicyViolation, Verdict: Deny, Message: v.Message, Policy: v.Policy, References: v.References, Values: v.Values, Guard: v.Place}
	if v.Verdict == Ask {
		r.Verdict = Ask
	}
	if v.Unclear != "" {
		r.Message = strings.TrimSpace(v.Message + " What was said doesn't settle it: " + v.Unclear)
	}
	if v.Failed != "" {
		r.Code = GuardFailed
		r.Message = strings.TrimSpace(v.Message + " Whether this holds could not be decided: " + v.Failed)
	}
	if v.Unproven {
		r.Code = GuardUnproven
		r.Message += ". The rule rests on a guess of what this look-up returns, so a person decides"
		r.Remedies = []string{"whoever keeps the rules proves this one on the real look-up: remit policy test --live"}
	}
	return r
}

// guardLeaves returns the arguments of a tool with the labels that they are checked with.
func (x *deciding) guardLeaves(t target) []guard.LabeledValue {
	inner := x.through != nil && t.binding == x.bound
	var out []guard.LabeledValue
	for i, l := range x.leaves {
		pointer := l.Pointer
		if inner {
			pointer = l.place
		}
		if inner && l.outer {
			continue
		}
		v := x.resolved[i].Label
		if i < len(x.checked) {
			v = x.checked[i].Certified
		}
		out = append(out, guard.LabeledValue{Pointer: pointer, Type: l.Kind.String(), Text: l.Text, Trust: v.Trust,
			Origins: x.in.classes.Names(v.Origins), Obligations: x.in.obligations.Names(v.Obligations)})
	}
	return out
}

// history is what guards see of a session. It is kept only when there are guards.
type history struct {
	seen  guard.History
	calls map[string]*guard.Call
}

func (h *history) view() *guard.History {
	if h == nil {
		return nil
	}
	return &h.seen
}

// snapshot returns what guards see of the session now, to be read while the session
// goes on.
func (h *history) snapshot() *guard.History {
	out := h.seen
	out.Entries = slices.Clone(out.Entries)
	for i, e := range out.Entries {
		if e.Call != nil {
			c := *e.Call
			out.Entries[i].Call = &c
		}
	}
	return &out
}

// ReadAhead reads for the guards what was told last, while the model thinks, so that the decisions that follow find
// it read. They decide as they would without it. [Session.User] and [Session.Result] do it themselves; who adds
// events with [Session.Replay] may do it when the session goes on.
func (s *Session) ReadAhead() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history != nil {
		s.monitor.guards.ReadAhead(&s.history.seen)
	}
}

// addEntry adds a text to what guards see.
func (s *Session) addEntry(kind guard.EntryKind, text string) {
	if s.history != nil {
		s.history.seen.Entries = append(s.history.seen.Entries, guard.Entry{Kind: kind, Time: s.at, Text: text})
	}
}

// ran adds a call that may run, or has run.
func (s *Session) ran(c *guard.Call, at time.Time) {
	if s.history == nil || s.history.calls[c.ID] != nil {
		return
	}
	s.history.calls[c.ID] = c
	s.history.seen.Entries = append(s.history.seen.Entries, guard.Entry{Kind: guard.CallEntry, Time: at, Call: c})
}

// refused adds a call that may not run, or not yet.
func (s *Session) refused(o *outcome) {
	if s.history == nil {
		return
	}
	c := guard.Call{ID: o.in.call.ID, Server: o.in.call.Server, Tool: o.in.call.Tool, Arguments: json.RawMessage("{}"), Message: o.in.call.Message}
	if o.record.made != nil {
		c = *o.record.made
	}
	s.history.seen.Entries = append(s.history.seen.Entries, guard.Entry{Kind: guard.DeniedEntry, Time: o.in.now, Call: &c})
}

// returned adds the result of a call. A call that was not allowed has run all the
// same when it returns something: the enforcement point only watches, or the rules
// have changed since.
func (s *Session) returned(record *callRecord, r Result) {
	if s.history == nil || record == nil || record.made == nil {
		return
	}
	s.ran(record.made, s.at)
	if record.made.Result == nil {
		record.made.Result = &guard.Result{Content: r.Content, Structured: r.Structured, Failed: r.Failed}
	}
}

// Principal sets the session's principal, for the rules that ask. It comes from configuration or
// from an authenticated user, never from text of the session. A later one replaces it.
func (s *Session) Principal(p guard.Principal) { s.setPrincipal(p, time.Time{}) }

func (s *Session) setPrincipal(p guard.Principal, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(at)
	if s.history != nil {
		s.history.seen.Principal = p
	}
}

// Duties returns the duties that calls of the session have brought by its guards and
// that are not yet fulfilled. Enforcement points report them when a session ends.
func (s *Session) Duties() []guard.OpenDuty {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history == nil {
		return nil
	}
	return s.monitor.guards.Duties(&s.history.seen, s.monitor.now())
}
