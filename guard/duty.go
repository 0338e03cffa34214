package guard

import (
	"errors"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// OpenDuty is a duty that a call brought and that is not fulfilled yet.
type OpenDuty struct {
	// Duty is the duty's name; References and Message are as in [Duty].
	Duty       string   `json:"duty"`
	References []string `json:"references,omitempty"`
	Message    string   `json:"message"`
	// Call is the id of the call that brought it, Server and Tool its tool.
	Call   string `json:"call"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	// Failed says why the duty could not be decided; empty if it is not fulfilled.
	Failed string `json:"failed,omitempty"`
}

// Duties returns the duties that are open in a session, in the order of the calls
// that brought them. It makes no look-ups: a duty that needs one stays open.
func (s *Set) Duties(session *History, now time.Time) []OpenDuty {
	return duties(session, now, func(c *Call) []*Guard { return s.Applying(c.Server, c.Tool) })
}

// Duties returns the duties of this guard that are open; see [Set.Duties].
func (g *Guard) Duties(session *History, now time.Time) []OpenDuty {
	return duties(session, now, func(c *Call) []*Guard {
		if g.concerns(c) {
			return []*Guard{g}
		}
		return nil
	})
}

// duties returns the open duties of a session; by returns the guards of a call.
func duties(session *History, now time.Time, by func(*Call) []*Guard) []OpenDuty {
	var out []OpenDuty
	var x *evaluation
	for i := range session.Entries {
		e := &session.Entries[i]
		if e.Kind != CallEntry {
			continue
		}
		for _, g := range by(e.Call) {
			if len(g.File.Duties) == 0 {
				continue
			}
			if x == nil {
				x = newEvaluation(g, Request{History: session, Now: now})
				x.closed = true
			}
			x.request.Server, x.request.Tool, x.request.Arguments = e.Call.Server, e.Call.Tool, e.Call.Arguments
			x.present, x.shape = x.session.call(i, e), nil
			out = append(out, x.open(g, e.Call)...)
		}
	}

	return out
}

// open returns the duties of a guard that a call brought and that are open.
func (x *evaluation) open(g *Guard, c *Call) []OpenDuty {
	var out []OpenDuty
	add := func(d *Duty, failed string) {
		out = append(out, OpenDuty{Duty: d.Name, References: d.References, Message: d.Message, Call: c.ID, Server: c.Server, Tool: c.Tool, Failed: cut(failed, MaxShown)})
	}
	v, failed := x.view(g)
	if failed != nil {
		for i := range g.File.Duties {
			add(&g.File.Duties[i], failed.Failed)
		}
		return out
	}

	for _, d := range g.duties {
		if d.when != nil {
			brings, err := v.holds(d.when)
			if err == nil && !brings {
				continue
			}
			if err != nil {
				add(d.duty, err.Error())
				continue
			}
		}

		fulfilled, err := v.holds(d.require)
		switch {
		case err != nil:
			add(d.duty, err.Error())
		case !fulfilled:
			add(d.duty, "")
		}
	}

	return out
}

// holds evaluates a condition of a duty.
func (x *view) holds(e *expression) (bool, error) {
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
