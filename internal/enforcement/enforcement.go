// Package enforcement finds which rules each enforcement point can decide, and what becomes of
// calls where it can't.
//
// The examples of a rule are the proof: each is judged by what the point hears of its
// conversation, and by the schemas that it knows.
package enforcement

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
)

// Point is an enforcement point.
type Point struct {
	// Name is the command that runs it.
	Name string
	// Lookups says in words who makes the look-ups of rules there.
	Lookups string
	// hears are the kinds of texts that it is told.
	hears []guard.EntryKind
	// untyped is set where it knows no schemas of tools.
	untyped bool
}

// everything is every kind of text in a session.
var everything = []guard.EntryKind{guard.SystemEntry, guard.UserEntry, guard.AssistantEntry, guard.AttachmentEntry}

// Gateway returns a gateway by itself: it hears calls and results, and no conversation.
func Gateway() Point {
	return Point{Name: "remit gateway", Lookups: "the gateway, with its servers"}
}

// Points returns the enforcement points, those that hear the most first.
func Points() []Point {
	return []Point{
		{Name: "remit proxy", hears: everything, Lookups: "the servers of --lookups, or the agent before the call"},
		{Name: "remit session", hears: everything, Lookups: "the program that runs the tools"},
		{Name: "remit serve", hears: everything, Lookups: "the caller, if it answers look-ups, the servers of --lookups, or the agent before the call"},
		{Name: "remit hook", hears: []guard.EntryKind{guard.UserEntry, guard.AttachmentEntry}, untyped: true, Lookups: "the servers of --lookups, or the agent before the call"},
		Gateway(),
	}
}

// Outcome is what becomes of the calls of a rule at a point.
type Outcome string

// The outcomes, the worst first.
const (
	// Pass means that calls pass which the rule is against.
	Pass Outcome = "calls pass"
	// Deny means that calls are denied which the rule lets run.
	Deny Outcome = "calls are denied"
	// Ask means that a person is asked about calls, whatever the rule says of them.
	Ask Outcome = "a person is asked"
	// Decide means that the rule is decided as it is written.
	Decide Outcome = "decided"
)

// Mistaken is why calls are denied by a rule that doesn't compile for a point.
const Mistaken = "the rule has mistakes with what is known of the tools there"

// Absent is why calls pass by a rule whose tool is none of those that are known there.
const Absent = "no tool is called so: the rule decides no call"

// worst orders outcomes.
var worst = []Outcome{Pass, Deny, Ask, Decide}

// Finding is what becomes of the calls of one rule at a point.
type Finding struct {
	Server  string  `json:"server,omitempty"`
	Tool    string  `json:"tool"`
	Policy  string  `json:"policy"`
	Outcome Outcome `json:"outcome"`
	// Why says it in words; empty for a rule that is decided.
	Why string `json:"why,omitempty"`
}

// Report is what a point makes of rules.
type Report struct {
	Point Point
	// Rules counts the rules, Decided those that are decided for all their tools that there are,
	// and Lookups those of them that look things up.
	Rules, Decided, Lookups int
	// Others are the rules that are not, and those with tools that there aren't, in the order of the
	// guards.
	Others []Finding
}

// Examine reports what the point makes of the rules of guard files.
func (p Point) Examine(ctx context.Context, files []*guard.File, d guard.Deployment) Report {
	if p.untyped {
		d.Complete = len(d.Tools)+len(d.Contracts) > 0
		d.Tools = nil
	}
	r := Report{Point: p}
	set, _ := guard.Compile(files, d) // a guard with mistakes says so itself

	for _, g := range set.Guards() {
		for i := range g.File.Policies {
			it := &g.File.Policies[i]
			r.Rules++
			absent := g.Absent(it.Name)
			if len(absent) > 0 {
				r.Others = append(r.Others, Finding{g.Server, strings.Join(absent, ", "), it.Name, Pass, Absent})
			}
			if len(absent) > 0 && len(absent) == len(it.Tools) {
				continue
			}

			f := p.examine(ctx, g, it)
			if f.Outcome != Decide {
				r.Others = append(r.Others, f)
				continue
			}
			r.Decided++
			if len(g.Needs(f.Policy).Lookups) > 0 {
				r.Lookups++
			}
		}
	}
	return r
}

func (p Point) examine(ctx context.Context, g *guard.Guard, it *guard.Policy) Finding {
	f := Finding{Server: g.Server, Tool: g.Tool, Policy: it.Name, Outcome: Decide}
	one, ok := g.Only(it.Name)
	switch {
	case errors.Is(g.Err(), guard.ErrNoTool):
		f.Outcome, f.Why = Pass, Absent
		return f
	case g.Err() != nil || !ok:
		f.Outcome, f.Why = Deny, Mistaken
		return f
	case it.Require.Empty():
		f.Outcome, f.Why = denial(it.Otherwise), "nothing checks the policy yet"
		return f
	}

	for i := range it.Examples {
		e := &it.Examples[i]
		var whole, heard guardtest.Result
		guardtest.Judge(ctx, one, e, &whole)
		guardtest.Judge(ctx, one, p.hearing(e), &heard)
		if o := compare(e, whole, heard); slices.Index(worst, o) < slices.Index(worst, f.Outcome) {
			f.Outcome, f.Why = o, "shown by the example "+e.Name
		}
	}
	if len(it.Examples) == 0 {
		f.Outcome, f.Why = p.untested(g.Needs(it.Name).Words)
	}
	return f
}

// compare returns what the point makes of an example. One that is wrong everywhere shows nothing.
func compare(e *guard.Example, whole, heard guardtest.Result) Outcome {
	if whole.Got != e.Expect || whole.Failed != "" || (heard.Got == whole.Got && heard.Failed == "") {
		return Decide
	}
	return map[label.Verdict]Outcome{label.Allow: Pass, label.Ask: Ask, label.Deny: Deny}[heard.Got]
}

// denial returns the outcome of a rule that every call violates.
func denial(otherwise label.Verdict) Outcome {
	if otherwise == label.Ask {
		return Ask
	}
	return Deny
}

// hearing returns an example as the point hears it.
func (p Point) hearing(e *guard.Example) *guard.Example {
	out := *e
	out.History = slices.DeleteFunc(slices.Clone(e.History), func(h guard.Entry) bool { return h.Call == nil && !slices.Contains(p.hears, h.Kind) })
	return &out
}

// untested returns what is known of a rule without examples: it may be laxer where something
// isn't heard.
func (p Point) untested(words []string) (Outcome, string) {
	if len(words) == 0 || len(p.hears) == len(everything) {
		return Decide, ""
	}
	return Pass, "the rule hangs on what is said, which isn't heard there, and no example shows how"
}
