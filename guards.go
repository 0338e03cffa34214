package remit

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/rawjson"
	"github.com/remit-project/remit/internal/strictjson"
)

// guards asks the company's policies. They come last and only add reasons: what
// they say can make a decision worse and never better. The session is held
// meanwhile, since the rules are about what it is now: look-ups and questions
// take [guard.FactsTimeout] at most, and end with the context.
func (x *deciding) guards(ctx context.Context, recorded *guard.Facts) {
	set := x.s.monitor.guards
	if set == nil {
		return
	}
	x.record.made = x.made()
	if x.outer != nil {
		x.judge(ctx, x.outer, x.d.Arguments, "", recorded)
	}
	x.judge(ctx, x.bound, x.inner(), x.prefix, recorded)
}

// inner are the arguments of the tool that is decided, where it is called
// through another one.
func (x *deciding) inner() json.RawMessage {
	if x.outer == nil {
		return x.d.Arguments
	}
	var path []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(x.prefix, "/"), "/") {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(segment))
	}
	raw := rawjson.Get(x.d.Arguments, path...)
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil || doc.Root() != strictjson.Object {
		return json.RawMessage("{}") // there are none
	}
	return doc.Canonical()
}

// judge judges the call by the rules that hold for one of its tools.
func (x *deciding) judge(ctx context.Context, tool *binding, arguments json.RawMessage, prefix string, recorded *guard.Facts) {
	denied := x.worst() == Deny
	request := guard.Request{
		Server: tool.server, Tool: tool.contract.Tool.Name, Arguments: arguments, Labels: func() []guard.LabeledValue { return x.guardLeaves(prefix) },
		History: x.s.history.view(), Now: x.s.now(),
		Reader: x.s.monitor.reader, Judge: x.s.monitor.judge, Recorded: recorded,
	}
	if denied {
		// Nothing is looked up with values that the contract refused.
		request.Reader, request.Judge = nil, nil
	}
	out := x.s.monitor.guards.Evaluate(ctx, request)
	if out.Facts != nil && !denied {
		if x.d.Facts == nil {
			x.d.Facts = &guard.Facts{}
		}
		x.d.Facts.Lookups = append(x.d.Facts.Lookups, out.Facts.Lookups...)
		x.d.Facts.Judgments = append(x.d.Facts.Judgments, out.Facts.Judgments...)
	}
	for _, v := range out.Violations {
		r := Reason{Code: PolicyViolation, Verdict: v.Verdict, Message: v.Message, Policy: v.Policy, References: v.References, Values: v.Values, Guard: v.Place}
		if v.Failed != "" {
			if denied {
				continue // the call was not worth a look-up
			}
			r.Code = GuardFailed
			r.Message = strings.TrimSpace(v.Message + " Whether this holds could not be decided: " + v.Failed)
		}
		if r.Verdict != Ask {
			r.Verdict = Deny
		}
		x.d.Reasons = append(x.d.Reasons, r)
	}
}

// guardLeaves are the arguments below a prefix with the labels that they are
// checked with.
func (x *deciding) guardLeaves(prefix string) []guard.LabeledValue {
	var out []guard.LabeledValue
	for i, l := range x.leaves {
		pointer, ok := strings.CutPrefix(l.Pointer, prefix)
		if !ok {
			continue
		}
		v := x.resolved[i].Label
		if i < len(x.checked) {
			v = x.checked[i].Certified
		}
		out = append(out, guard.LabeledValue{Pointer: pointer, Kind: l.Kind, Text: l.Text, Trust: v.Trust,
			Origins: x.s.monitor.classes.Names(v.Origins), Obligations: x.s.monitor.obligations.Names(v.Obligations)})
	}
	return out
}

// history is what guards see of a session. It is kept only where there are
// guards.
type history struct {
	seen  guard.History
	calls map[string]*guard.Call
}

func (h *history) view() *guard.History {
	if h == nil {
		return &guard.History{}
	}
	return &h.seen
}

func (s *Session) said(kind guard.EntryKind, text string) {
	if s.history != nil {
		s.history.seen.Entries = append(s.history.seen.Entries, guard.Entry{Kind: kind, Time: s.now(), Text: text})
	}
}

// ran notes a call that may run, or has.
func (s *Session) ran(c *guard.Call) {
	if s.history == nil || s.history.calls[c.ID] != nil {
		return
	}
	s.history.calls[c.ID] = c
	s.history.seen.Entries = append(s.history.seen.Entries, guard.Entry{Kind: guard.CallEntry, Time: s.now(), Call: c})
}

// made is the call as guards see it. Where it was made through another tool, it
// is the inner one.
func (x *deciding) made() *guard.Call {
	return &guard.Call{ID: x.d.Call, Server: x.d.Server, Tool: x.d.Tool, Arguments: x.inner()}
}

// returned notes what a call returned. A call that was not allowed has run all
// the same when it returns something: somebody only watches, or the rules have
// changed since.
func (s *Session) returned(record *callRecord, r Result) {
	if s.history == nil || record == nil || record.made == nil {
		return
	}
	s.ran(record.made)
	if record.made.Result == nil {
		record.made.Result = &guard.Result{Content: r.Content, Structured: r.Structured}
	}
}

// Principal says for whom the agent works, for the rules that ask. It comes from
// configuration or from an authenticated user, never from text of the session;
// the last one counts.
func (s *Session) Principal(p guard.Principal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	if s.history != nil {
		s.history.seen.Principal = p
	}
}

// Duties returns what calls of the session have brought about and nothing has
// fulfilled yet, as the guards have it. Enforcement points report it when a
// session ends.
func (s *Session) Duties() []guard.OpenDuty {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.history == nil {
		return nil
	}
	return s.monitor.guards.Duties(&s.history.seen, s.now())
}
