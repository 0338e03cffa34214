package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
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
	f := struct {
		facts
		Previous []described
	}{facts: w.facts()}
	if w.task.Previous != nil {
		f.Previous = w.describe(numbered("P", len(w.task.Previous.Examples)), w.task.Previous.Examples)
	}
	messages, err := w.say(nil, testsStage, "request", f)
	if err != nil {
		return "", err
	}

	var against []contradiction
	// The second time is for tests that all went the other way.
	for range 2 {
		var fresh []guard.Example
		if messages, err = w.ask(ctx, testsStage, messages, w.testsSchema(), func(answer json.RawMessage, strict bool) (err error) {
			fresh, err = w.readTests(answer, strict)
			return err
		}); err != nil {
			return "", err
		}
		agreed, contested, err := w.second(ctx, fresh)
		if err != nil {
			return "", err
		}

		w.tests.add(agreed...)
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

func (w *work) testsSchema() llm.Schema {
	return object(property{"records", recordsForm()}, property{"tests", w.testsForm()}).schema(testsStage)
}

// readTests reads an answer with tests; an error goes back to the model. Tests with
// mistakes are only left out where it isn't to be strict.
func (w *work) readTests(answer json.RawMessage, strict bool) ([]guard.Example, error) {
	var written writtenTests
	if err := json.Unmarshal(answer, &written); err != nil {
		return nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}
	examples, m := w.examples(written)
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
