package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
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

// question is a call on which the rule and a slip of it differ, and that no test shows.
type question struct {
	// Label is S1, S2 …
	Label string
	// Example is the test that the call is made of, Where what is different in it.
	Example, Where string
	// Rule is what the rule says of the call, and Reading what the second reader does,
	// with the reader's Reason and Words.
	Rule                   label.Verdict
	Reading, Reason, Words string

	call guard.Example
}

const (
	// maxQuestions bounds the calls that are read at once, maxSlipRounds how often.
	maxQuestions  = 6
	maxSlipRounds = 2
	// maxDisputes bounds the tests of a rule that its author takes out.
	maxDisputes = 3
)

// next returns what is said to the author of a rule after a trial, and what the second reader
// contradicted in it.
func (w *work) next(t *trial, contradicted []question) turn {
	switch {
	case len(t.mistakes) > 0:
		return turn{part: "mistakes", data: struct{ Mistakes []string }{t.mistakes}}
	case len(t.failed) > 0:
		open, said, unsaid := w.disputable(t)
		return turn{part: "failures", disputable: slices.Concat(open, said, unsaid), data: struct {
			Failures                 []string
			Failed, Tests            int
			Added                    []described
			Disputable, Said, Unsaid []string
			Unnamed                  bool
		}{t.failures(&w.tests), len(t.failed), len(w.tests.examples), w.untold(), open, said, unsaid, t.unnamed()}}
	case len(contradicted) == 0 && t.unfounded() && !w.ruleGrounded:
		w.ruleGrounded = true
		return turn{part: "unfounded", data: struct {
			Claims  []claim
			Planned []state
		}{t.claims, t.planned}}
	case len(contradicted) == 0 && len(t.told) > 0 && !w.replaced:
		w.replaced = true
		return turn{part: "instead", data: struct{ Told []notion }{t.told}}
	case len(contradicted) == 0 && len(t.spare) > 0 && !w.spared:
		w.spared = true
		return turn{part: "judged", disputable: t.spare, data: struct{ Spare []string }{t.spare}}
	case len(contradicted) == 0:
		return turn{}
	}

	return turn{part: "contradicted", questions: contradicted, data: struct {
		Tests     int
		Questions []question
	}{len(w.tests.examples), contradicted}}
}

// disputable returns the labels of the tests that the author of a rule may dispute: those that
// rest on one reading alone, calls to deny that the rule lets pass since what it asks for
// was said, where only a reader of the conversation could tell what was meant, and calls to allow
// whose conversation leaves session.complete false.
func (w *work) disputable(t *trial) (open, said, unsaid []string) {
	if w.disputes >= maxDisputes {
		return nil, nil, nil
	}
	onWords := notions().MatchString(strings.Join(expressionsOf(&t.policy), "\n"))
	for _, r := range t.failed {
		switch {
		case w.doubted[r.Example] != "":
			open = append(open, w.tests.label(r.Example))
		case onWords && r.Failed == "" && r.Want == label.Deny && r.Got == label.Allow:
			said = append(said, w.tests.label(r.Example))
		case r.Failed == "" && r.Want == label.Allow && isIncomplete(r.Values):
			unsaid = append(unsaid, w.tests.label(r.Example))
			w.unsaid[r.Example] = true
		}
	}
	return open, said, unsaid
}

// isIncomplete reports whether a rule stops a call because session.complete is false.
func isIncomplete(values []guard.Value) bool {
	return slices.ContainsFunc(values, func(v guard.Value) bool {
		return strings.HasPrefix(v.Name, "session.complete(") && v.Value == "false"
	})
}

// settle has calls read that tell a rule which passes its tests from slips of it, by the
// second reader, who sees the sentences alone. What the reader says as the rule does is a
// test then; what the reader contradicts is returned, for the author of the rule.
func (w *work) settle(ctx context.Context, t *trial, known map[string]bool) (*trial, []question, error) {
	for range maxSlipRounds {
		asked := w.slips(t, known)
		if len(asked) == 0 {
			return t, nil, nil
		}
		var calls []guard.Example
		for _, q := range asked {
			calls = append(calls, q.call)
		}
		readings, err := w.read(ctx, calls)
		if err != nil {
			return t, nil, err
		}

		var agreed []guard.Example
		var contradicted []question
		m := w.newMaker()
		for i, q := range asked {
			r := readings[i]
			q.Reading, q.Reason, q.Words = r.Verdict, prompt.OneLine(r.Reason), prompt.OneLine(r.Words)
			switch {
			case r.Verdict == undecided:
			case r.Verdict == string(q.Rule):
				agreed = append(agreed, m.decided(q, q.Rule))
				w.why[agreed[len(agreed)-1].Name] = q.Words
			default:
				contradicted = append(contradicted, q)
			}
		}
		if len(agreed) > 0 {
			w.tests.add(agreed...)
			if t, err = w.try(ctx, t.candidate); err != nil {
				return t, nil, err
			}
		}
		if len(contradicted) > 0 || len(agreed) == 0 {
			return t, contradicted, nil
		}
	}
	return t, nil, nil
}

// slips are calls that tell a rule from slips of it, and that were not asked about yet. What the
// rule leaves to the judge there, no sentence decides.
func (w *work) slips(t *trial, known map[string]bool) []question {
	if !t.passes() {
		return nil
	}
	var all []question
	for _, m := range t.survivors() {
		if a := m.Apart; a != nil && a.Rule != label.Ask && w.possible(&a.Call) {
			all = append(all, question{Example: a.Example, Where: a.Where + " is " + a.Value, Rule: a.Rule, call: a.Call})
		}
	}

	var out []question
	for _, q := range all {
		full := len(out) == maxQuestions || len(w.tests.examples)+len(out) >= maxTests
		if id := key(&q.call); !full && !known[id] {
			known[id] = true
			q.Label = fmt.Sprintf("S%d", len(out)+1)
			out = append(out, q)
		}
	}
	return out
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

// ruleForm returns what an answer to a turn must be.
func (w *work) ruleForm(asked turn) form {
	var properties []property
	if asked.questions != nil {
		properties = append(properties, property{"calls", list(object(
			property{"call", text("its label, such as S1")},
			property{"words", text("the words of the sentences that decide it, word by word; empty if undecided")},
			property{"verdict", word("allow", "deny", undecided)}))})
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
		property{"message", text("what is wrong when it isn't, and what would be right: one or two sentences to the agent")})...)
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
		Disputed []struct {
			Test   string `json:"test"`
			Reason string `json:"reason"`
		} `json:"disputed"`
	}
	if err := json.Unmarshal(answer, &written); err != nil {
		return answered{}, fmt.Errorf("the answer isn't as asked for: %w", err)
	}

	out := answered{candidate: written.candidate, disputed: map[string]string{}}
	m := w.newMaker()
	open := map[string]question{}
	for _, q := range asked.questions {
		open[q.Label] = q
	}

	for i, c := range written.Calls {
		if asked.questions == nil {
			break
		}
		at := fmt.Sprintf("/calls/%d", i)
		q, ok := open[c.Call]
		delete(open, c.Call)
		switch {
		case !ok:
			m.fail(at+"/call", "answer once for each of the calls")
		case c.Verdict == undecided:
		case c.Verdict != string(label.Allow) && c.Verdict != string(label.Deny):
			m.fail(at+"/verdict", "write allow, deny or undecided")
		case !w.quotes(c.Words):
			m.fail(at+"/words", "they don't stand in the sentences: copy them word by word, or write undecided")
		case c.Verdict == q.Reading:
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
			m.fail(at+"/test", "only those that are named as such can be disputed")
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

// decided returns the test that a question is, once it is answered.
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

// change takes disputed tests out, and adds those that the author and the second reader
// agree on.
func (w *work) change(a answered) {
	for label, reason := range a.disputed {
		i := slices.Index(w.tests.labels, label)
		name, why := w.tests.examples[i].Name, "words can't tell it from calls to allow"
		if w.unsaid[name] {
			why = "nobody said that nothing is missing"
		}
		if doubt := w.doubted[name]; doubt != "" {
			why = doubt
		}

		w.result.Contested[name] = why + ", and the author of the rule says: " + sentence(reason)
		for example, of := range w.shown {
			if of == name {
				w.untested(example, w.result.Contested[name])
			}
		}
		w.tests.remove(label)
		w.disputes++
	}
	w.tests.add(a.added...)
}
