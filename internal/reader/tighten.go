package reader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/label"
)

// Disagreement is a place where model and rules judge differently.
type Disagreement struct {
	Tool string `json:"tool"`
	// Path is the part of the tool: "effect", "output", or "args PATTERN role" and
	// "args PATTERN floor".
	Path  string `json:"path"`
	Rules string `json:"rules"`
	Model string `json:"model"`
	// Taken is set where the contract has what the model says, since it is stricter. All others
	// keep what the rules say until a person decides.
	Taken bool `json:"taken"`
	// Why is the model's reason, which the definition may have dictated.
	Why string `json:"why,omitempty"`

	weight int
}

// String returns one line for people.
func (d Disagreement) String() string {
	took := "kept " + d.Rules
	if d.Taken {
		took = "took " + d.Model
	}
	s := fmt.Sprintf("%s %s: the rules say %s, the model %s; %s", display.Line(d.Tool), display.Line(d.Path), d.Rules, d.Model, took)
	if d.Why != "" {
		s += " (" + display.Line(clip(d.Why)) + ")"
	}
	return s
}

// maxWhy bounds the model's reason, in bytes.
const maxWhy = 160

func clip(s string) string {
	if len(s) > maxWhy {
		return strings.ToValidUTF8(s[:maxWhy], "") + "…"
	}
	return s
}

// Sort puts the most consequential disagreements first: what the rules had missed, then
// what holds up calls with effects, then the rest.
func Sort(ds []Disagreement) {
	slices.SortStableFunc(ds, func(a, b Disagreement) int { return cmp.Compare(b.weight, a.weight) })
}

// What makes a disagreement consequential.
const (
	missed    = 100 // the rules saw less than the model
	authority = 40  // an argument decides where authority goes
	outward   = 20  // the call has an effect that can't be taken back
	changing  = 10
)

// opinion compares one tool's contract with a reading.
type opinion struct {
	tool *contract.Tool
	out  []Disagreement
}

func (o *opinion) differ(path, rules, model string, taken bool, weight int, why string) {
	if taken {
		weight += missed
	}
	switch {
	case o.tool.Effect.Outward():
		weight += outward
	case o.tool.Effect != contract.Read:
		weight += changing
	}
	o.out = append(o.out, Disagreement{Tool: o.tool.Name, Path: path, Rules: rules, Model: model, Taken: taken, Why: why, weight: weight})
}

// Tighten returns the contract of a tool with what a model says that is stricter than
// the rules, and all disagreements. What a call may do after it, it may do by the
// rules' contract as well.
//
// A tool with variants is judged by its cases, which no model was asked about: there
// all disagreements are left to people.
func Tighten(made contract.Tool, r *Reading) (contract.Tool, []Disagreement) {
	f := (&contract.File{Tools: []contract.Tool{made}}).Clone()
	t := &f.Tools[0]
	o := &opinion{tool: t}
	open := t.Variants == nil && t.Unwrap == nil
	for i := range t.Args {
		if m := r.about(t.Args[i].Pattern); m != nil {
			o.arg(&t.Args[i], m, open, m.At == t.Args[i].Pattern)
		}
	}
	o.output(r, open)
	o.effect(r, open)
	return *t, o.out
}

// about finds what a reading says about a pattern of the contract. What is said about
// the elements of a list holds for the list.
func (r *Reading) about(pattern string) *Arg {
	is := func(p string) int { return slices.IndexFunc(r.Args, func(a Arg) bool { return a.At == p }) }
	for p := strings.TrimSuffix(pattern, "/**"); ; p += "/*" {
		if i := is(p); i >= 0 {
			return &r.Args[i]
		}
		if strings.HasSuffix(p, "/*/*/*/*") {
			return nil
		}
	}
}

// effect takes an effect that is held to more.
func (o *opinion) effect(r *Reading, open bool) {
	t := o.tool
	if r.Effect == t.Effect {
		return
	}
	now := r.Effect
	if t.Effect == contract.Write && now == contract.Egress {
		// What is written stays where others read it, so its label is followed, unlike that of
		// what is only sent.
		now = contract.Destructive
	}
	taken := open && degree(now) > degree(t.Effect)
	o.differ("effect", string(t.Effect), string(r.Effect), taken, authority+outward, r.Does)
	if !taken {
		return
	}

	t.Why = join(t.Why, fmt.Sprintf("a model says %s: %s", r.Effect, clip(r.Does)))
	if t.Effect == contract.Read {
		o.becomesEffect()
	}
	t.Effect = now
}

// becomesEffect holds what the rules took for a read to what any effect is held to.
func (o *opinion) becomesEffect() {
	t := o.tool
	for i := range t.Args {
		if a := &t.Args[i]; a.Role == label.Selector {
			a.Floor = max(a.Floor, label.ToolOutput)
		}
	}
	// What a result vouches for rests on the call having been a mere read.
	t.Output = contract.Output{Trust: label.External, Review: t.Output.Review}
}

// degree orders effects by what they are held to.
func degree(e contract.Effect) int {
	switch {
	case e.Outward():
		return 2
	case e == contract.Read:
		return 0
	}
	return 1
}

// output takes a lower trust of the result.
func (o *opinion) output(r *Reading, open bool) {
	out := &o.tool.Output
	trust := label.External
	if r.Output > label.External {
		trust = label.ToolOutput
	}
	if trust == out.Trust {
		return
	}
	taken := open && trust < out.Trust
	o.differ("output", out.Trust.String(), trust.String(), taken, 0, r.Does)
	if taken {
		out.Trust = trust
	}
}

// arg takes a role that bears authority, and a higher floor. Only what a model was asked
// about is told as a disagreement.
func (o *opinion) arg(a *contract.Arg, m *Arg, open, tell bool) {
	role, floor := a.Role, max(a.Floor, m.Floor)
	heavier := m.Role.AuthorityBearing() && !a.Role.AuthorityBearing()
	// In a read, nothing hangs on which of the two it is.
	alike := o.tool.Effect == contract.Read && neither(a.Role) && neither(m.Role)
	if heavier || alike {
		role = m.Role
	}
	if heavier {
		floor = max(floor, contract.DefaultFloor(m.Role))
	}

	weight := 0
	if m.Role.AuthorityBearing() || a.Role.AuthorityBearing() {
		weight = authority
	}
	if tell && m.Role != a.Role {
		o.differ("args "+a.Pattern+" role", a.Role.String(), m.Role.String(), open && role == m.Role, weight, m.Why)
	}
	if tell && m.Floor != a.Floor && m.Role == a.Role {
		o.differ("args "+a.Pattern+" floor", a.Floor.String(), m.Floor.String(), open && m.Floor > a.Floor, weight, m.Why)
	}
	if !open {
		return
	}
	if role != a.Role || floor != a.Floor {
		a.Why = join(a.Why, fmt.Sprintf("a model says %s %s: %s", m.Role, m.Floor, clip(m.Why)))
	}
	a.Role, a.Floor = role, floor
}

// neither reports whether a role is one that picks nothing and goes nowhere.
func neither(r label.Role) bool { return r == label.Content || r == label.Control }

func join(why, more string) string {
	if why == "" {
		return more
	}
	return why + "; " + more
}

// Accept returns the contract of a tool with everything that a model says, as if a
// person had settled each disagreement by it. It is for measuring, and for people who
// have read the disagreements.
func Accept(made contract.Tool, r *Reading) contract.Tool {
	f := (&contract.File{Tools: []contract.Tool{made}}).Clone()
	t := &f.Tools[0]
	t.Effect = r.Effect
	t.Output.Trust = min(r.Output, label.ToolOutput)
	for i := range t.Args {
		if m := r.about(t.Args[i].Pattern); m != nil {
			t.Args[i].Role, t.Args[i].Floor = m.Role, m.Floor
		}
	}
	return *t
}
