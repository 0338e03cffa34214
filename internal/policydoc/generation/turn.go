package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/label"
)

// turn is what the author of a rule was told last.
type turn struct {
	// part and data are those of the prompt; there is no part when there is nothing
	// left to say.
	part string
	data any
	// questions are asked, and disputable the labels of tests that may be disputed.
	questions  []question
	disputable []string
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
	Rule, Mutant label.Verdict

	call guard.Example
}

// Bounds on what is asked of the tests' gaps at once; the next attempt brings the
// others.
const (
	maxQuestions = 8
	maxOpen      = 6 // of those that no call was found for
	// maxDisputes bounds the tests of a rule that its author takes out.
	maxDisputes = 3
)

// next is what is said to the author of a rule after a trial.
func (w *work) next(t *trial, known map[string]bool) turn {
	switch {
	case len(t.mistakes) > 0:
		return turn{part: "mistakes", data: struct{ Mistakes []string }{t.mistakes}}
	case len(t.failed) > 0:
		var disputable []string
		for _, r := range t.failed {
			if w.open[r.Example] && w.disputes < maxDisputes {
				disputable = append(disputable, w.tests.label(r.Example))
			}
		}
		return turn{part: "failures", disputable: disputable, data: struct {
			Failures      []string
			Failed, Tests int
			Added         []described
			Disputable    []string
		}{t.failures(&w.tests), len(t.failed), len(w.tests.examples), w.untold(), disputable}}
	}

	var calls, others []question
	for _, m := range t.survivors() {
		q := question{Part: "require", Change: m.Change, Text: m.Text}
		if m.Part.Variable != "" {
			q.Part = "variable " + m.Part.Variable
		}
		if a := m.Apart; a != nil && w.possible(&a.Call) {
			if id := key(&a.Call); !known[id] && len(calls) < maxQuestions {
				known[id] = true
				q.Label = fmt.Sprintf("S%d", len(calls)+1)
				q.Example, q.Where, q.Rule, q.Mutant, q.call = a.Example, a.Where+" is "+a.Value, a.Rule, a.Mutant, a.Call
				calls = append(calls, q)
			}
			continue
		}

		if !known[m.Text] && len(others) < maxOpen {
			known[m.Text] = true
			others = append(others, q)
		}
	}

	if len(calls)+len(others) == 0 {
		return turn{}
	}
	return turn{part: "survivors", questions: append(calls, others...), data: struct {
		Tests     int
		Questions []question
		Open      []question
	}{len(w.tests.examples), calls, others}}
}

// possible reports whether a call that was made by changing a value is one that the
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

// ruleSchema is what an answer to a turn must be.
func (w *work) ruleSchema(asked turn) llm.Schema {
	var properties []property
	if asked.questions != nil {
		properties = append(properties, property{"calls", list(object(
			property{"call", text("its label, such as S1")},
			property{"words", text("the words of the sentences that decide it, word by word; empty if undecided")},
			property{"verdict", word("allow", "deny", undecided)}))},
			property{"records", recordsForm()}, property{"tests", w.testsForm()})
	}

	if asked.disputable != nil {
		properties = append(properties, property{"disputed", list(object(
			property{"test", text("its label, such as T4")},
			property{"reason", text("why it can't be right by the sentences, or what it doesn't show")}))})
	}

	return object(append(properties,
		property{"variables", list(object(
			property{"name", text("letters, digits and underscores")},
			property{"value", text("an expression; it may use the variables before it")}))},
		property{"require", text("an expression: what must be true for the call to run")},
		property{"message", text("what is wrong when it isn't, and what would be right: one or two sentences to the agent")})...).schema(ruleStage)
}

// answered is a rule with what its author says of its tests.
type answered struct {
	candidate candidate
	// added are further tests, and disputed the reasons against tests by their labels.
	added    []guard.Example
	disputed map[string]string
}

// readRule reads an answer with a rule; an error goes back to the model. Where it
// isn't to be strict, what has mistakes beside the rule is left out.
func (w *work) readRule(answer json.RawMessage, asked turn, strict bool) (answered, error) {
	var written struct {
		candidate
		Calls []struct {
			Call    string `json:"call"`
			Words   string `json:"words"`
			Verdict string `json:"verdict"`
		} `json:"calls"`
		writtenTests
		Disputed []struct {
			Test   string `json:"test"`
			Reason string `json:"reason"`
		} `json:"disputed"`
	}
	if err := json.Unmarshal(answer, &written); err != nil {
		return answered{}, fmt.Errorf("the answer isn't as asked for: %w", err)
	}

	out := answered{candidate: written.candidate, disputed: map[string]string{}}
	if asked.questions == nil {
		written.writtenTests, written.Calls = writtenTests{}, nil
	}
	var m *maker
	out.added, m = w.examples(written.writtenTests)
	open := map[string]question{}
	for _, q := range asked.questions {
		if q.Label != "" {
			open[q.Label] = q
		}
	}

	for i, c := range written.Calls {
		at := fmt.Sprintf("/calls/%d", i)
		q, ok := open[c.Call]
		delete(open, c.Call)
		switch {
		case !ok:
			m.fail(at+"/call", "answer once for each call that has a label")
		case c.Verdict == undecided:
		case c.Verdict != string(label.Allow) && c.Verdict != string(label.Deny):
			m.fail(at+"/verdict", "write allow, deny or undecided")
		case !w.quotes(c.Words):
			m.fail(at+"/words", "they don't stand in the sentences: copy them word by word, or write undecided")
		case len(w.tests.examples)+len(out.added) < maxTests:
			out.added = append(out.added, m.decided(q, label.Verdict(c.Verdict)))
			w.why[out.added[len(out.added)-1].Name] = prompt.OneLine(c.Words)
		}
	}

	for i, d := range written.Disputed {
		at := fmt.Sprintf("/disputed/%d", i)
		gone := []string{d.Test}
		for label := range out.disputed {
			gone = append(gone, label)
		}
		switch {
		case !slices.Contains(asked.disputable, d.Test):
			m.fail(at+"/test", "only those that fail and were left open can be disputed")
		case prompt.OneLine(d.Reason) == "":
			m.fail(at+"/reason", "say why")
		case w.disputes+len(out.disputed) >= maxDisputes || !w.tests.without(gone):
			m.fail(at+"/test", "no more tests can be taken out: write the rule so that it passes")
		default:
			out.disputed[d.Test] = prompt.OneLine(d.Reason)
		}
	}

	if !strict {
		return out, nil
	}
	return out, m.err()
}

// decided is the test that a question is, once it is answered.
func (m *maker) decided(q question, v label.Verdict) guard.Example {
	e := q.call
	e.Expect = v
	e.Name = clipped(q.Example + ", but " + q.Where)
	for i := 2; m.taken[e.Name]; i++ {
		e.Name = clipped(fmt.Sprintf("%d: %s, but %s", i, q.Example, q.Where))
	}
	m.taken[e.Name] = true
	return e
}

// change takes disputed tests out, and adds those that a second reading doesn't
// contradict.
func (w *work) change(ctx context.Context, a answered) error {
	for label, reason := range a.disputed {
		i := slices.Index(w.tests.labels, label)
		w.result.Contested[w.tests.examples[i].Name] = "the sentences, read by themselves, leave it open, and the author of the rule says: " + sentence(reason)
		w.tests.remove(label)
		w.disputes++
	}
	agreed, _, err := w.second(ctx, a.added)
	if err != nil {
		return err
	}
	w.tests.add(agreed...)
	return nil
}
