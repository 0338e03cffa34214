package generation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/llm"
)

// contradiction is a test that the second reading judged otherwise.
type contradiction struct {
	Name   string
	Expect guard.Verdict
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
		f.Previous = describe(w.task.Tool, "P", w.task.Previous.Examples)
	}
	messages, err := w.say(nil, testsStage, "request", f)
	if err != nil {
		return "", err
	}
	var against []contradiction
	// The second time is for tests that all went the other way.
	for range 2 {
		var fresh []guard.Example
		if messages, err = w.ask(ctx, testsStage, messages, w.testsSchema(), func(answer json.RawMessage) (err error) {
			fresh, err = w.readTests(answer)
			return err
		}); err != nil {
			return "", err
		}
		agreed, contested, err := w.second(ctx, fresh)
		if err != nil {
			return "", err
		}
		w.tests = append(w.tests, agreed...)
		if allow, deny := verdicts(w.tests); allow && deny {
			return "", nil
		}
		against = contested
		if messages, err = w.say(messages, testsStage, "contested", struct {
			Contested   []contradiction
			Allow, Deny bool
		}{contested, has(w.tests, guard.Allow), has(w.tests, guard.Deny)}); err != nil {
			return "", err
		}
	}
	missing := guard.Deny
	if !has(w.tests, guard.Allow) {
		missing = guard.Allow
	}
	reason := fmt.Sprintf("no test was left that expects %s: the sentences, read by themselves, say otherwise", missing)
	if len(against) > 0 {
		reason += fmt.Sprintf(" (%s: %s)", against[0].Name, against[0].Reason)
	}
	return reason, nil
}

func has(examples []guard.Example, v guard.Verdict) bool {
	return slices.ContainsFunc(examples, func(e guard.Example) bool { return e.Expect == v })
}

func (w *work) testsSchema() llm.Schema {
	return object(property{"records", recordsForm()}, property{"tests", w.testsForm()}).schema(testsStage)
}

// readTests reads an answer with tests; an error goes back to the model.
func (w *work) readTests(answer json.RawMessage) ([]guard.Example, error) {
	var written writtenTests
	if err := json.Unmarshal(answer, &written); err != nil {
		return nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}
	examples, m := w.examples(written, w.tests)
	all := append(slices.Clone(w.tests), examples...)
	if !has(all, guard.Allow) {
		m.fail("/tests", "none is expected to be allowed: a rule that stops every call would pass them")
	}
	if !has(all, guard.Deny) {
		m.fail("/tests", "none is expected to be denied: a rule that lets every call pass would pass them")
	}
	return examples, m.err()
}

// reading is what the second reader says of one call.
type reading struct {
	Call    string `json:"call"`
	Words   string `json:"words"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

// undecided is the verdict of a reader whom the sentences don't tell.
const undecided = "undecided"

// second has examples judged by the sentences alone, and returns those that are
// not contradicted.
func (w *work) second(ctx context.Context, examples []guard.Example) ([]guard.Example, []contradiction, error) {
	if len(examples) == 0 {
		return nil, nil, nil
	}
	calls := describe(w.task.Tool, "C", examples)
	messages, err := w.say(nil, readingStage, "request", struct {
		facts
		Calls []described
	}{w.facts(), calls})
	if err != nil {
		return nil, nil, err
	}
	schema := object(property{"readings", list(object(
		property{"call", text("its label, such as C1")},
		property{"words", text("the words of the sentences that decide, word by word; empty if undecided")},
		property{"reason", text("how they apply to the call")},
		property{"verdict", word("allow", "deny", undecided)}))}).schema(readingStage)
	readings := map[string]reading{}
	if _, err := w.ask(ctx, readingStage, messages, schema, func(answer json.RawMessage) (err error) {
		readings, err = w.readReadings(answer, calls)
		return err
	}); err != nil {
		return nil, nil, err
	}
	var agreed []guard.Example
	var contested []contradiction
	for i, e := range examples {
		r := readings[calls[i].Label]
		if r.Verdict == undecided || r.Verdict == string(e.Expect) {
			agreed = append(agreed, e)
			continue
		}
		c := contradiction{e.Name, e.Expect, fmt.Sprintf("the sentences say %s: %s (%q)", r.Verdict, sentence(r.Reason), r.Words)}
		contested = append(contested, c)
		w.result.Contested[c.Name] = c.Reason
	}
	return agreed, contested, nil
}

// readReadings reads an answer with readings, one for each call.
func (w *work) readReadings(answer json.RawMessage, calls []described) (map[string]reading, error) {
	var written struct {
		Readings []reading `json:"readings"`
	}
	if err := json.Unmarshal(answer, &written); err != nil {
		return nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}
	missing := map[string]bool{}
	for _, c := range calls {
		missing[c.Label] = true
	}
	out := map[string]reading{}
	var mistakes []error
	for i, r := range written.Readings {
		at := fmt.Sprintf("/readings/%d", i)
		if !missing[r.Call] {
			mistakes = append(mistakes, fmt.Errorf("%s/call: answer once for each call", at))
			continue
		}
		delete(missing, r.Call)
		out[r.Call] = r
		switch {
		case r.Verdict != string(guard.Allow) && r.Verdict != string(guard.Deny) && r.Verdict != undecided:
			mistakes = append(mistakes, fmt.Errorf("%s/verdict: write allow, deny or undecided", at))
		case r.Verdict != undecided && !w.quotes(r.Words):
			mistakes = append(mistakes, fmt.Errorf("%s/words: they don't stand in the sentences: copy them word by word, without leaving anything out", at))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(missing)) {
		mistakes = append(mistakes, fmt.Errorf("/readings: there is none for %s", label))
	}
	if len(mistakes) > maxReported {
		mistakes = mistakes[:maxReported]
	}
	return out, errors.Join(mistakes...)
}
