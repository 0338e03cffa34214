package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/guard/mutation"
	"github.com/remit-project/remit/llm"
	"github.com/remit-project/remit/policydoc"
)

// writtenRule is an answer with a rule, and what the model says of calls that its
// tests don't decide.
type writtenRule struct {
	candidate
	Calls []struct {
		Call    string `json:"call"`
		Words   string `json:"words"`
		Verdict string `json:"verdict"`
	} `json:"calls"`
	writtenTests
}

func ruleProperties() []property {
	return []property{
		{"variables", list(object(
			property{"name", text("letters, digits and underscores")},
			property{"value", text("an expression; it may use the variables before it")}))},
		{"require", text("an expression: what must be true for the call to run")},
		{"message", text("what is wrong when it isn't, and what would be right: one or two sentences to the agent")},
	}
}

// findRule has the rule written until it passes its tests and no call is left that
// would tell it from a slip. It returns why there is none; nothing when there is.
func (w *work) findRule(ctx context.Context) (string, error) {
	request, err := w.ruleRequest()
	if err != nil {
		return "", err
	}
	messages, err := w.say(nil, ruleStage, "request", request)
	if err != nil {
		return "", err
	}
	var best, last *trial
	var questions []question // those of the last message
	asked := map[string]bool{}
	for w.result.Attempts < w.options.Attempts {
		w.result.Attempts++
		var written writtenRule
		var added []guard.Example
		messages, err = w.ask(ctx, ruleStage, messages, w.ruleSchema(questions), func(answer json.RawMessage) (err error) {
			written, added, err = w.readRule(answer, questions)
			return err
		})
		if err == nil {
			err = w.addTests(ctx, added)
		}
		if err != nil && best != nil && gaveUp(err) {
			break // what there is passes its tests
		}
		if err != nil {
			return "", err
		}
		if last, err = w.try(ctx, written.candidate); err != nil {
			return "", err
		}
		if best != nil && len(best.policy.Examples) != len(w.tests) {
			// It is held to what was found since.
			if best, err = w.try(ctx, best.candidate); err != nil {
				return "", err
			}
			if !best.passes() {
				best = nil
			}
		}
		if last.passes() && (best == nil || len(last.survivors()) <= len(best.survivors())) {
			best = last
		}
		part, data := "", any(nil)
		part, data, questions = w.next(last, asked)
		if part == "" {
			break
		}
		if messages, err = w.say(messages, ruleStage, part, data); err != nil {
			return "", err
		}
	}
	if best == nil {
		return w.whyNot(last), nil
	}
	w.result.Policy = best.policy
	w.result.Survived = len(best.survivors())
	for _, m := range best.mutants {
		if m.Fate == mutation.Killed {
			w.result.Killed++
		}
	}
	return "", nil
}

// whyNot says why the last rule isn't one.
func (w *work) whyNot(last *trial) string {
	why := fmt.Sprintf("no expression was found that passes the tests, in %d attempts", w.result.Attempts)
	switch {
	case last == nil:
		return why
	case len(last.mistakes) > 0:
		first, _, _ := strings.Cut(last.mistakes[0], "\n")
		return why + "; the last has a mistake: " + first
	case len(last.failed) > 0:
		return why + "; the last fails: " + last.failures(w.tests)[0]
	}
	return why
}

// ruleRequest is what the first message says: the tests, and exactly what this
// tool's rules may use. Only the look-ups are told of that tests have results for:
// a rule that used others would fail them.
func (w *work) ruleRequest() (any, error) {
	var used []guard.Readable
	f := w.facts()
	f.Lookups = nil
	for _, l := range w.lookups {
		if slices.ContainsFunc(w.tests, func(e guard.Example) bool {
			return slices.ContainsFunc(e.Given, func(g guard.Fixture) bool {
				return g.Tool == l.Name && (g.Server == "" || g.Server == l.Server)
			})
		}) {
			used = append(used, l.Readable)
			f.Lookups = append(f.Lookups, l.describe())
		}
	}
	vocabulary, err := guard.Vocabulary(w.options.Scope, w.task.Server, w.task.Tool, used)
	if err != nil {
		return nil, err
	}
	w.told = len(w.tests)
	return struct {
		facts
		Vocabulary string
		Tests      []described
		Previous   *guard.Policy
	}{f, vocabulary, describe(w.task.Tool, "T", w.tests), w.task.Previous}, nil
}

func (w *work) ruleSchema(questions []question) llm.Schema {
	properties := ruleProperties()
	if questions == nil {
		return object(properties...).schema(ruleStage)
	}
	calls := property{"calls", list(object(
		property{"call", text("its label, such as S1")},
		property{"words", text("the words of the sentences that decide it, word by word; empty if undecided")},
		property{"verdict", word("allow", "deny", undecided)}))}
	return object(append([]property{calls, {"records", recordsForm()}, {"tests", w.testsForm()}}, properties...)...).schema(ruleStage)
}

// question is a slip that the tests don't tell from the rule, with a call that
// would, where there is one.
type question struct {
	// Label is S1, S2 …; empty where there is no call.
	Label string
	// Part is the part of the rule, Change what was done to it, Text what it says
	// then.
	Part, Change, Text string
	// Example is the test that the call is made of, Where what is different in it.
	Example, Where string
	// Rule and Mutant are what they say of the call.
	Rule, Mutant guard.Verdict

	call guard.Example
}

// Bounds on what is asked of the tests' gaps at once: the most telling come first,
// and the next attempt brings the others.
const (
	maxQuestions = 8
	maxOpen      = 6 // of those that no call was found for
)

// next is what is said to the author of a rule after a trial: nothing, when there
// is nothing left to say.
func (w *work) next(t *trial, asked map[string]bool) (part string, data any, questions []question) {
	switch {
	case len(t.mistakes) > 0:
		return "mistakes", struct{ Mistakes []string }{t.mistakes}, nil
	case len(t.failed) > 0:
		added := describe(w.task.Tool, "T", w.tests)[w.told:]
		w.told = len(w.tests)
		return "failures", struct {
			Failures      []string
			Failed, Tests int
			Added         []described
		}{t.failures(w.tests), len(t.failed), len(w.tests), added}, nil
	}
	var open []question
	for _, m := range t.survivors() {
		q := question{Part: "require", Change: m.Change, Text: m.Text}
		if m.Part.Variable != "" {
			q.Part = "variable " + m.Part.Variable
		}
		if a := m.Apart; a != nil && w.possible(&a.Call) {
			if id := key(&a.Call); !asked[id] && len(questions) < maxQuestions {
				asked[id] = true
				q.Label = fmt.Sprintf("S%d", len(questions)+1)
				q.Example, q.Where, q.Rule, q.Mutant, q.call = a.Example, a.Where+" is "+a.Value, a.Rule, a.Mutant, a.Call
				questions = append(questions, q)
			}
			continue
		}
		if !asked[m.Text] && len(open) < maxOpen {
			asked[m.Text] = true
			open = append(open, q)
		}
	}
	if len(questions)+len(open) == 0 {
		return "", nil, nil
	}
	return "survivors", struct {
		Tests     int
		Questions []question
		Open      []question
	}{len(w.tests), questions, open}, append(questions, open...)
}

// possible tells whether a call that was made by changing a value is one that the
// tools could see.
func (w *work) possible(e *guard.Example) bool {
	called := w.tool
	if d, ok := w.tools[policydoc.Key(e.Server, e.Tool)]; ok {
		called = d.Tool
	}
	if called != nil && len(called.Input.Check(e.Args, true)) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.Given, func(f guard.Fixture) bool {
		i := slices.IndexFunc(w.lookups, func(l lookup) bool { return l.Name == f.Tool && (f.Server == "" || f.Server == l.Server) })
		return i >= 0 && len(w.lookups[i].output().Check(f.Result, false)) > 0
	})
}

// readRule reads an answer with a rule, and the tests that it adds; an error goes
// back to the model.
func (w *work) readRule(answer json.RawMessage, questions []question) (writtenRule, []guard.Example, error) {
	var written writtenRule
	if err := json.Unmarshal(answer, &written); err != nil {
		return written, nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}
	if questions == nil {
		return written, nil, nil
	}
	added, m := w.examples(written.writtenTests, w.tests)
	answered := map[string]bool{}
	for i, c := range written.Calls {
		at := fmt.Sprintf("/calls/%d", i)
		n := slices.IndexFunc(questions, func(q question) bool { return q.Label == c.Call && q.Label != "" })
		switch {
		case n < 0:
			m.fail(at+"/call", "there is no call %q", clipped(c.Call))
			continue
		case c.Verdict == undecided:
			continue
		case c.Verdict != string(guard.Allow) && c.Verdict != string(guard.Deny):
			m.fail(at+"/verdict", "write allow, deny or undecided")
			continue
		case !w.quotes(c.Words):
			m.fail(at+"/words", "they don't stand in the sentences: copy them word by word, or write undecided")
			continue
		}
		q := questions[n]
		if answered[q.Label] {
			m.fail(at+"/call", "answer once for each call")
			continue
		}
		answered[q.Label] = true
		e := q.call
		e.Expect = guard.Verdict(c.Verdict)
		e.Name = clipped(q.Example + ", but " + q.Where)
		for i := 2; m.taken[e.Name]; i++ {
			e.Name = clipped(fmt.Sprintf("%d: %s, but %s", i, q.Example, q.Where))
		}
		m.taken[e.Name] = true
		if len(w.tests)+len(added) < maxTests {
			added = append(added, e)
		}
	}
	return written, added, m.err()
}

// addTests adds tests that a second reading doesn't contradict.
func (w *work) addTests(ctx context.Context, added []guard.Example) error {
	agreed, _, err := w.second(ctx, added)
	if err != nil {
		return err
	}
	w.tests = append(w.tests[:len(w.tests):len(w.tests)], agreed...)
	return nil
}
