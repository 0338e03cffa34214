package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// contradiction is a test that the second reading judged otherwise.
type contradiction struct {
	Name   string
	Expect label.Verdict
	Reason string
}

// findTests has tests written and read a second time. It returns why there are
// none; nothing when there are.
func (w *work) findTests(ctx context.Context) (string, error) {
	kept, broken := labels("K", inLines(w.task.Policy).Compliance), labels("B", inLines(w.task.Policy).Violations)
	var previous []described
	if w.task.Previous != nil {
		previous = w.describe(numbered("P", len(w.task.Previous.Examples)), w.task.Previous.Examples)
	}
	own := func([]telling) any {
		return struct {
			subject
			Kept, Broken []labelled
			Previous     []described
		}{w.subject(), kept, broken, previous}
	}

	var messages []llm.Message
	var against []contradiction
	// The second time is for tests that all went the other way.
	for range 2 {
		var fresh []guard.Example
		var err error
		read := func(answer json.RawMessage, strict bool) (err error) {
			fresh, err = w.readTests(answer, against == nil, strict)
			return err
		}
		if messages == nil {
			messages, err = w.first(ctx, &opening{stage: testsStage, facts: w.facts(), own: own, form: w.testsAnswer(), read: read})
		} else {
			messages, err = w.ask(ctx, testsStage, messages, w.testsAnswer().schema(testsStage), read)
		}
		if err != nil {
			return "", err
		}
		agreed, contested, err := w.second(ctx, fresh)
		if err != nil {
			return "", err
		}

		w.tests.add(agreed...)
		for label, name := range w.shown {
			if reason, ok := w.result.Contested[name]; ok {
				w.untested(label, reason)
			}
		}
		if w.tests.without(nil) {
			return "", nil
		}
		against = contested
		if messages, err = w.say(messages, testsStage, "contested", struct {
			Contested   []contradiction
			Allow, Deny bool
		}{contested, has(w.tests.examples, label.Allow), has(w.tests.examples, label.Deny)}); err != nil {
			return "", err
		}
	}

	missing := label.Deny
	if !has(w.tests.examples, label.Allow) {
		missing = label.Allow
	}
	reason := fmt.Sprintf("no test was left that expects %s: the sentences, read by themselves, say otherwise", missing)
	if len(against) > 0 {
		reason += fmt.Sprintf(" (%s: %s)", against[0].Name, against[0].Reason)
	}
	return reason, nil
}

func has(examples []guard.Example, v label.Verdict) bool {
	return slices.ContainsFunc(examples, func(e guard.Example) bool { return e.Expect == v })
}

func (w *work) testsAnswer() form {
	return object(property{"records", recordsForm()}, property{"tests", w.testsForm()}, property{"untested", list(object(
		property{"example", text("the label of a call in words that can't be a test")},
		property{"reason", text("why")}))})
}

// labelled is an example in words with its label.
type labelled struct{ Label, Text string }

func labels(prefix string, texts []string) []labelled {
	var out []labelled
	for i, t := range texts {
		out = append(out, labelled{fmt.Sprintf("%s%d", prefix, i+1), t})
	}
	return out
}

// readTests reads an answer with tests; an error goes back to the model. Each example in
// words is to be a test the first time. Tests with mistakes are only left out where it
// isn't to be strict.
func (w *work) readTests(answer json.RawMessage, first, strict bool) ([]guard.Example, error) {
	var written writtenTests
	if err := json.Unmarshal(answer, &written); err != nil {
		return nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}
	examples, m := w.examples(written)
	if first {
		w.reviewed(&written, examples, m)
	}

	if first && strict && !w.testsGrounded {
		w.testsGrounded = w.unfounded(examples, m)
	}

	all := append(slices.Clone(w.tests.examples), examples...)
	if !strict && has(all, label.Allow) && has(all, label.Deny) {
		return examples, nil
	}
	if !has(all, label.Allow) {
		m.fail("/tests", "none is expected to be allowed: a rule that stops every call would pass them")
	}
	if !has(all, label.Deny) {
		m.fail("/tests", "none is expected to be denied: a rule that lets every call pass would pass them")
	}
	return examples, m.err()
}

// reviewed notes which tests are the examples in words, and says which are missing.
func (w *work) reviewed(written *writtenTests, examples []guard.Example, m *maker) {
	w.shown, w.result.Untested = map[string]string{}, map[string]string{}
	for i, t := range written.Tests {
		if t.Example == "" {
			continue
		}
		at := fmt.Sprintf("/tests/%d/example", i)
		_, want, ok := w.inWords(t.Example)
		switch {
		case !ok:
			m.fail(at, "there is no call in words that is called %s", strictyaml.Clip(t.Example))
		case t.Expect != want:
			m.fail(at, "the test expects %s, and the words are of a call to %s: follow the sentences, and name the words under untested where they are wrong", t.Expect, want)
		case slices.ContainsFunc(examples, func(e guard.Example) bool { return e.Name == testName(t) }):
			w.shown[t.Example] = testName(t)
		}
	}

	for i, u := range written.Untested {
		if _, _, ok := w.inWords(u.Example); !ok || prompt.OneLine(u.Reason) == "" {
			m.fail(fmt.Sprintf("/untested/%d", i), "name the label of a call in words, and say why it can't be a test")
			continue
		}
		w.untested(u.Example, prompt.OneLine(u.Reason))
	}

	for _, l := range append(labels("K", w.task.Policy.Compliance), labels("B", w.task.Policy.Violations)...) {
		if w.shown[l.Label] == "" && w.result.Untested[l.Text] == "" {
			m.fail("/tests", "no test is the call in words %s", l.Label)
			w.untested(l.Label, "no test was made of it")
		}
	}
}

// untested notes why an example in words is not a test.
func (w *work) untested(label, reason string) {
	if text, _, ok := w.inWords(label); ok {
		w.result.Untested[text] = reason
	}
}

// inWords returns an example in words by its label, with the verdict that it is of.
func (w *work) inWords(name string) (text string, want label.Verdict, ok bool) {
	for _, l := range labels("K", w.task.Policy.Compliance) {
		if l.Label == name {
			return l.Text, label.Allow, true
		}
	}
	for _, l := range labels("B", w.task.Policy.Violations) {
		if l.Label == name {
			return l.Text, label.Deny, true
		}
	}
	return "", "", false
}
