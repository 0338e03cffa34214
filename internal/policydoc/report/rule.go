package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/mutation"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// Rule is the rule of a policy in the guard file.
type Rule struct {
	// Place is the rule's place, as file:line:column.
	Place     string
	Variables []Variable
	// Require is the condition; empty if there is none.
	Require string
	// Partial reports that the condition says only to which calls the policy applies.
	Partial bool
	Message string
	// Otherwise is the verdict of a violation.
	Otherwise label.Verdict
	// Needs are what the rule hangs on beside the call, Remarks the same in words.
	Needs   guard.Needs
	Remarks []string
	// Unseen are the states that it compares with and that nobody shows a record to have.
	Unseen []string
	// Broken reports whether the guard file has mistakes, so that tests can't run.
	Broken bool
	Tests  []Test
	// Measured reports whether mutants of the rule were counted, and Mutated whether
	// they were run now, not when the rule was made.
	Measured, Mutated bool
	Killed, Survived  int
	// Survivors are the mutants that pass all tests; known only if Mutated is set.
	Survivors []Survivor
}

// Variable is a named part of a rule.
type Variable struct{ Name, Text string }

// Test is a test of a rule, with its result.
type Test struct {
	Name      string
	Want, Got label.Verdict
	Passed    bool
	// Failed says why the rule could not be decided.
	Failed string
	// Steps are the history, the results of look-ups, and the call itself.
	Steps []Step
	// Values are the values that decided, for a test that didn't pass.
	Values []guard.Value
}

// Step is a part of a test.
type Step struct{ What, Text string }

// Survivor is a mutant that passes all tests.
type Survivor struct {
	Change, Text string
	// Apart says which call would tell it; empty where none is known.
	Apart string
}

// Failing counts the tests that the rule doesn't pass.
func (r *Rule) Failing() int {
	n := 0
	for _, t := range r.Tests {
		if !t.Passed {
			n++
		}
	}
	return n
}

// rules returns the rules for a tool, by name; where they are tried, with their tests run.
func (b *builder) rules(ctx context.Context, key string, set *guard.Set, try bool) (map[string]*Rule, error) {
	f := b.files[key]
	if f == nil {
		return nil, nil
	}

	out := map[string]*Rule{}
	for i := range f.Policies {
		p := &f.Policies[i]
		r := &Rule{Place: p.Position.String(), Require: strings.TrimSpace(p.Require.Text), Message: p.Message, Otherwise: cmp.Or(p.Otherwise, f.Otherwise, label.Deny)}
		if b.lock != nil {
			r.Partial = b.lock.Policies[key][p.Name].Rule.Partial(p)
		}
		for _, v := range p.Variables {
			r.Variables = append(r.Variables, Variable{v.Name, strings.TrimSpace(v.Value.Text)})
		}
		out[p.Name] = r
	}

	for _, g := range set.Guards() {
		if policydoc.Key(g.File.Server, g.File.Tool) != key {
			continue
		}
		for name, r := range out {
			r.Broken, r.Needs = g.Err() != nil, g.Needs(name)
			r.Remarks = r.Needs.Remarks()
		}
		if !try {
			continue
		}
		if err := b.try(ctx, g, out); err != nil {
			return nil, err
		}
	}

	return out, nil
}

// try runs the tests of a guard, and changes its rules where that is asked for.
func (b *builder) try(ctx context.Context, g *guard.Guard, rules map[string]*Rule) error {
	results := map[string][]guardtest.Result{}
	for _, r := range guardtest.Run(ctx, g) {
		results[r.Rule] = append(results[r.Rule], r)
	}
	for i := range g.File.Policies {
		p := &g.File.Policies[i]
		rule := rules[p.Name]
		for j, r := range results[p.Name] {
			if j >= len(p.Examples) {
				break // the examples of a duty of the same name
			}
			t := Test{Name: r.Example, Want: r.Want, Got: r.Got, Passed: r.Passed(), Failed: r.Failed, Steps: steps(&p.Examples[j])}
			if !t.Passed {
				t.Values = r.Values
			}
			rule.Tests = append(rule.Tests, t)
		}
	}

	if !b.in.Mutate || g.Err() != nil {
		return nil
	}
	result, err := mutation.Run(ctx, g)
	if err != nil {
		return err
	}

	for _, rule := range rules {
		rule.Mutated = true
	}
	for _, m := range result.Mutants {
		rules[m.Part.Policy].mutant(&m)
	}
	return nil
}

// mutant counts a change of the rule.
func (r *Rule) mutant(m *mutation.Mutant) {
	switch m.Fate {
	case mutation.Killed:
		r.Killed++
	case mutation.Survived:
		r.Survived++
		s := Survivor{Change: m.Change, Text: strings.TrimSpace(m.Text)}
		if a := m.Apart; a != nil {
			s.Apart = fmt.Sprintf("%s with %s = %s: %s becomes %s", a.Example, a.Where, cmp.Or(a.Value, "nothing"), a.Rule, a.Mutant)
		}
		r.Survivors = append(r.Survivors, s)
	}
	r.Measured = r.Killed+r.Survived > 0
}

// steps returns an example in the order in which it happens.
func steps(e *guard.Example) []Step {
	var out []Step
	for _, event := range e.History {
		if event.Call == nil {
			out = append(out, Step{string(event.Kind), event.Text})
			continue
		}
		c := Step{"called before", spaced(event.Call.Tool, event.Call.Arguments)}
		if event.Kind == guard.DeniedEntry {
			c.What = "denied before"
		}
		if r := event.Call.Result; r != nil {
			c.Text += " → " + cmp.Or(string(r.Structured), r.Content)
		}
		out = append(out, c)
	}

	for _, g := range e.Given {
		out = append(out, given(&g))
	}
	if !e.Now.IsZero() {
		out = append(out, Step{"time", e.Now.Format("2006-01-02 15:04:05 -07:00")})
	}
	for _, pointer := range sortedKeys(e.Labels) {
		out = append(out, Step{"origin of " + pointer, e.Labels[pointer].String()})
	}
	if e.Principal.ID != "" {
		out = append(out, Step{"principal", e.Principal.ID})
	}
	return append(out, Step{"call", spaced(e.Tool, e.Args)})
}

func given(g *guard.Fixture) Step {
	if g.Judge == guard.AnyQuestion {
		return Step{"judged", fmt.Sprintf("what words don't settle → %t", g.Answer)}
	}
	if g.Judge != "" {
		return Step{"judged", fmt.Sprintf("%s → %s", g.Judge, cmp.Or(g.Error, fmt.Sprint(g.Answer)))}
	}
	return Step{"looked up", spaced(g.Tool, g.Args) + " → " + cmp.Or(string(g.Result), g.Error)}
}

// spaced returns a tool with arguments, either of which may be missing.
func spaced(tool string, arguments json.RawMessage) string {
	return strings.TrimSpace(tool + " " + string(arguments))
}
