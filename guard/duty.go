package guard

import (
	"encoding/json"
	"errors"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// OpenDuty is a duty that a call brought and that nothing has fulfilled yet.
type OpenDuty struct {
	// Duty is the rule's name, References its sentences, Message its words.
	Duty       string   `json:"duty"`
	References []string `json:"references,omitempty"`
	Message    string   `json:"message"`
	// Call is the id of the call that brought it, Server and Tool its tool.
	Call   string `json:"call"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	// Failed says why nobody can tell whether it is fulfilled; empty when it
	// isn't.
	Failed string `json:"failed,omitempty"`
}

// Duties returns the duties that are open in a session, in the order of the
// calls that brought them. They are decided by the session alone: a duty that
// would need a look-up stays open.
func (s *Set) Duties(session *Session, now time.Time) []OpenDuty {
	var out []OpenDuty
	for i := range session.Events {
		e := &session.Events[i]
		if e.Kind != CallEvent {
			continue
		}
		if g, ok := s.Guard(e.Call.Server, e.Call.Tool); ok {
			out = append(out, g.open(session, i, now)...)
		}
	}
	return out
}

// Duties returns the duties that calls of this guard's tool brought and that are
// open; see [Set.Duties].
func (g *Guard) Duties(session *Session, now time.Time) []OpenDuty {
	var out []OpenDuty
	for i := range session.Events {
		if e := &session.Events[i]; e.Kind == CallEvent && e.Call.Tool == g.Tool {
			out = append(out, g.open(session, i, now)...)
		}
	}
	return out
}

// open returns the duties that one call brought.
func (g *Guard) open(session *Session, i int, now time.Time) []OpenDuty {
	c := session.Events[i].Call
	var out []OpenDuty
	add := func(d *Duty, err error) {
		open := OpenDuty{Duty: d.Name, References: d.References, Message: d.Message, Call: c.ID, Server: c.Server, Tool: c.Tool}
		if err != nil {
			open.Failed = cut(err.Error(), MaxShown)
		}
		out = append(out, open)
	}
	for j := range g.File.Duties {
		if g.broken != nil {
			add(&g.File.Duties[j], errors.New("the rules of this tool have mistakes: remit policy lint lists them"))
		}
	}
	if g.broken != nil || len(g.duties) == 0 {
		return out
	}
	args, err := g.args.Decode(c.Arguments)
	if err != nil {
		for _, d := range g.duties {
			add(d.duty, err)
		}
		return out
	}
	x := newEvaluation(g, Request{Arguments: json.RawMessage(c.Arguments), Session: session, Now: now}, args)
	x.closed = true
	x.call = x.session.call(i, &session.Events[i])
	for _, d := range g.duties {
		if d.when != nil {
			brings, err := x.holds(d.when)
			if err == nil && !brings {
				continue
			}
			if err != nil {
				add(d.duty, err)
				continue
			}
		}
		if fulfilled, err := x.holds(d.require); !fulfilled {
			add(d.duty, err)
		}
	}
	return out
}

// holds evaluates a condition of a duty.
func (x *evaluation) holds(e *expression) (bool, error) {
	x.failures = nil
	v := x.run(e, &scope{x: x})
	if len(x.failures) > 0 {
		return false, errors.Join(x.failures...)
	}
	if err, ok := v.Value().(error); ok && types.IsError(v) {
		return false, err
	}
	if v != ref.Val(types.True) && v != ref.Val(types.False) {
		return false, errNotBoolean
	}
	return v == ref.Val(types.True), nil
}
