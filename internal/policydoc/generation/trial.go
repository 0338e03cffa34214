package generation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/mutation"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// candidate is a rule that a model wrote.
type candidate struct {
	Variables []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"variables"`
	Require string `json:"require"`
	Message string `json:"message"`
}

// trial is the result of trying a candidate.
type trial struct {
	candidate candidate
	policy    guard.Policy
	// mistakes are why it isn't a rule at all, failed the tests that it fails.
	mistakes []string
	failed   []guardtest.Result
	mutants  []mutation.Mutant
	// spare are the labels of the tests without which the rule could do without
	// session.judged; see [work.spare].
	spare []string
	// told are the questions of session.judged that a function answers.
	told []notion
	// claims are what the rule takes as said, and planned what it takes by the time, although
	// records tell it.
	claims  []claim
	planned []state
	// revision is that of the tests that were run.
	revision int
}

// passes reports whether the rule does what its tests say.
func (t *trial) passes() bool { return t != nil && len(t.mistakes) == 0 && len(t.failed) == 0 }

// unfounded reports whether a rule rests a fact that a record tells on what is said, or on the time.
func (t *trial) unfounded() bool { return len(t.claims)+len(t.planned) > 0 }

// survivors returns the mutants that pass all tests.
func (t *trial) survivors() []mutation.Mutant {
	var out []mutation.Mutant
	for _, m := range t.mutants {
		if m.Fate == mutation.Survived {
			out = append(out, m)
		}
	}
	return out
}

// try compiles a candidate as part of a guard file, runs its tests and, if they pass,
// its mutants. An error is not about the candidate.
func (w *work) try(ctx context.Context, c candidate) (*trial, error) {
	t := &trial{candidate: c, revision: w.tests.revision}
	p := w.policy(c)
	switch {
	case p.Message == "" || len(p.Message) > maxMessage:
		t.mistakes = append(t.mistakes, fmt.Sprintf("message: say what is wrong with the call, and what would be right, in at most %d bytes", maxMessage))
	case strings.TrimSpace(c.Require) == "":
		t.mistakes = append(t.mistakes, "require: write what must be true for the call to run")
	case constant(c.Require):
		t.mistakes = append(t.mistakes, "require: it is the same for every call, whatever the policy asks: decide by the call and what is known about it")
	}

	if len(t.mistakes) > 0 {
		return t, nil
	}
	g, err := w.compile(&p)
	if err != nil {
		if t.mistakes = mistakesOf(err, c); t.mistakes == nil {
			return nil, err
		}
		return t, nil
	}
	if t.mistakes = append(w.borrowed(c), onWordsAlone(c)...); len(t.mistakes) > 0 {
		return t, nil
	}

	if g, t.mistakes, err = w.answer(ctx, &p, g); err != nil || len(t.mistakes) > 0 {
		return t, err
	}
	t.policy = g.File.Policies[0]
	for _, r := range guardtest.Run(ctx, g) {
		if !r.Passed() {
			t.failed = append(t.failed, r)
		}
	}

	if err := ctx.Err(); err != nil {
		return nil, err // what was cut off says nothing about the rule
	}
	if !t.passes() {
		return t, nil
	}
	r, err := mutation.Run(ctx, g)
	if err != nil {
		return nil, err
	}

	t.mutants = r.Mutants
	t.spare, t.told = w.spare(ctx, g), toldBy(g)
	t.claims, t.planned = w.onClaims(c), w.planned(g)
	return t, ctx.Err()
}

// policy returns a candidate as a policy of a guard file, with the tests as they are.
func (w *work) policy(c candidate) guard.Policy {
	policy := w.task.Policy
	p := guard.Policy{Name: policy.Name, Tools: policy.Tools, References: policy.References, Message: strings.TrimSpace(c.Message), Otherwise: label.Deny, Examples: w.tests.examples,
		Require: guard.Expression{Text: c.Require}}
	for _, v := range c.Variables {
		p.Variables = append(p.Variables, guard.Variable{Name: v.Name, Value: guard.Expression{Text: v.Value}})
	}
	return p
}

// maxMessage is the length of what an agent reads, in bytes.
const maxMessage = 600

// quoted finds the texts of an expression that have a digit, as ids have.
var quoted = pattern.OnUse(`"([^"\\]*[0-9][^"\\]*)"|'([^'\\]*[0-9][^'\\]*)'`)

// borrowed reports the values that a rule takes from its tests alone: such a rule would
// be about the tests. It ignores dates and times, which documents write in another way
// than rules.
func (w *work) borrowed(c candidate) []string {
	var out []string
	for name, text := range c.expressions() {
		for _, m := range quoted().FindAllStringSubmatch(text, -1) {
			value := m[1] + m[2]
			_, err := time.Parse(time.DateOnly, value[:min(len(value), len(time.DateOnly))])
			if err != nil && w.onlyInTests(value) {
				out = append(out, fmt.Sprintf("%s: it compares with %q, which only tests have: write what the sentences say, for every call", name, value))
			}
		}
	}
	slices.Sort(out)
	return out
}

// onlyInTests reports whether a text is a value in the tests and appears neither in the
// policy nor in the tools' definitions, in any spelling: "tier_1" is what a sentence
// calls tier 1.
func (w *work) onlyInTests(value string) bool {
	if !slices.ContainsFunc(w.tests.examples, func(e guard.Example) bool { return strings.Contains(key(&e), quote(value)) }) {
		return false
	}
	spelt := func(text string) string { return strings.ReplaceAll(plain(text), " ", "") }
	f, of := w.facts(), w.subject()
	return !strings.Contains(spelt(compact([]any{of, f.Definition, f.Lookups, f.Others, f.Context})), spelt(value))
}

// expressions returns the expressions of a candidate by what they are called.
func (c candidate) expressions() map[string]string {
	out := map[string]string{"require": c.Require}
	for _, v := range c.Variables {
		out["variable "+v.Name] = v.Value
	}
	return out
}

// constant reports whether an expression is just true or false.
func constant(expression string) bool {
	text := strings.Map(func(c rune) rune {
		if strings.ContainsRune(" \t\r\n()!", c) {
			return -1
		}
		return c
	}, expression)
	return text == "true" || text == "false"
}

// compile compiles a guard of one policy. It writes a guard file and reads it again, so
// that the trial uses exactly what will be loaded. Mistakes have their places in the
// expression, not in the file.
func (w *work) compile(p *guard.Policy) (*guard.Guard, error) {
	doc := guard.NewEditor("rule", w.task.Server, w.task.Tool)
	if err := doc.Put(p); err != nil {
		return nil, err
	}
	f, err := doc.File()
	if err != nil {
		return nil, err
	}
	read := &f.Policies[0]
	for i, v := range read.Variables {
		read.Variables[i].Value = guard.Written("variable "+v.Name, v.Value.Text)
	}
	read.Require = guard.Written("require", read.Require.Text)
	set, err := guard.Compile([]*guard.File{f}, w.options.Deployment)
	if err != nil {
		return nil, err
	}
	return set.Guards()[0], nil
}

// mistakesOf returns the mistakes of a candidate, each with its line of the expression;
// nil if the error is about something else.
func mistakesOf(err error, c candidate) []string {
	var all guard.Errors
	if !errors.As(err, &all) {
		var one *guard.Error
		if !errors.As(err, &one) {
			return nil
		}
		all = guard.Errors{one}
	}

	sources := c.expressions()
	var out []string
	for _, e := range all[:min(len(all), maxReported)] {
		text := e.Message
		if e.Hint != "" {
			text += ": " + e.Hint
		}
		lines := strings.Split(strings.TrimRight(sources[e.Position.File], "\n"), "\n")
		if n := e.Position.Line; sources[e.Position.File] != "" && n >= 1 && n <= len(lines) {
			line := []rune(lines[n-1])
			column := min(max(e.Position.Column, 1), len(line)+1)
			text = fmt.Sprintf("%s, line %d, column %d: %s\n    %s\n    %s^", e.Position.File, n, column, text, string(line), strings.Repeat(" ", column-1))
		}
		out = append(out, text)
	}

	return out
}

// unnamed reports whether a test that allows its call fails since a value wasn't named.
func (t *trial) unnamed() bool {
	return slices.ContainsFunc(t.failed, func(r guardtest.Result) bool {
		return r.Want == label.Allow && slices.ContainsFunc(r.Values, func(v guard.Value) bool {
			return strings.HasPrefix(v.Name, "session.listed(") || strings.HasPrefix(v.Name, "session.stated(")
		})
	})
}

// failures words the tests that a rule fails.
func (t *trial) failures(tests *suite) []string {
	var out []string
	for _, r := range t.failed[:min(len(t.failed), maxReported)] {
		got := "the rule says " + string(r.Got)
		if r.Failed != "" {
			got = "the rule can't be decided: " + strictyaml.Clip(r.Failed)
		}
		for i, v := range r.Values {
			if i == 0 {
				got += "; there "
			} else {
				got += ", "
			}
			got += v.Name + " is " + v.Value
		}
		out = append(out, fmt.Sprintf("%s (%s) expects %s, but %s", tests.label(r.Example), r.Example, r.Want, got))
	}
	return out
}
