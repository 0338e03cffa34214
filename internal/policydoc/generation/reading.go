package generation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/label"
)

// reading is what the second reader says of one call.
type reading struct {
	Call    string `json:"call"`
	Words   string `json:"words"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

// undecided is the verdict of a reader whom the sentences don't tell.
const undecided = "undecided"

// read has examples judged by the sentences alone: a reading for each.
func (w *work) read(ctx context.Context, examples []guard.Example) ([]reading, error) {
	labels, found := numbered("C", len(examples)), common(examples)
	own := func(told []telling) any {
		calls, lines := w.describeAll(labels, examples, found, told)
		return struct {
			subject
			Common []string
			Calls  []described
		}{w.subject(), lines, calls}
	}

	answer := object(property{"readings", list(object(
		property{"call", text("its label, such as C1")},
		property{"words", text("the words of the sentences that decide, word by word; empty if undecided")},
		property{"reason", text("how they apply to the call")},
		property{"verdict", word("allow", "deny", undecided)}))})

	readings := map[string]reading{}
	if _, err := w.first(ctx, &opening{stage: readingStage, facts: w.facts(), own: own, found: found, form: answer, read: func(answer json.RawMessage, strict bool) (err error) {
		readings, err = w.readReadings(answer, labels, strict)
		return err
	}}); err != nil {
		return nil, err
	}
	out := make([]reading, len(examples))
	for i := range examples {
		out[i] = readings[labels[i]]
	}
	return out, nil
}

// second has examples judged by the sentences alone, and returns those that are
// not contradicted, and the calls that such tests often lack, as they are judged.
func (w *work) second(ctx context.Context, examples []guard.Example) ([]guard.Example, []contradiction, error) {
	if len(examples) == 0 {
		return nil, nil, nil
	}
	forgotten := w.forgotten(examples)
	calls := slices.Clone(examples)
	for _, q := range forgotten {
		calls = append(calls, q.call)
	}
	readings, err := w.read(ctx, calls)
	if err != nil {
		return nil, nil, err
	}

	var agreed []guard.Example
	var contested []contradiction
	for i, e := range examples {
		r := readings[i]
		if r.Verdict == undecided || r.Verdict == string(e.Expect) {
			agreed = append(agreed, e)
			if r.Verdict == undecided {
				w.doubted[e.Name] = "the sentences, read by themselves, leave it open"
			}
			continue
		}
		c := contradiction{e.Name, e.Expect, fmt.Sprintf("the sentences say %s: %s (%q)", r.Verdict, sentence(r.Reason), r.Words)}
		contested = append(contested, c)
		w.result.Contested[c.Name] = c.Reason
	}

	m := w.newMaker()
	for _, e := range examples {
		m.taken[e.Name] = true
	}
	for i, q := range forgotten {
		r := readings[len(examples)+i]
		stands := slices.ContainsFunc(agreed, func(e guard.Example) bool { return e.Name == q.Example })
		if stands && r.Verdict != undecided {
			e := m.decided(q, label.Verdict(r.Verdict))
			w.why[e.Name] = prompt.OneLine(r.Words)
			w.doubted[e.Name] = "one reader alone judged it"
			agreed = append(agreed, e)
		}
	}
	return agreed, contested, nil
}

// readReadings reads an answer with readings, one for each call; an error goes back
// to the model. Where it isn't to be strict, a reading with mistakes is undecided.
func (w *work) readReadings(answer json.RawMessage, calls []string, strict bool) (map[string]reading, error) {
	var written struct {
		Readings []reading `json:"readings"`
	}
	if err := json.Unmarshal(answer, &written); err != nil {
		return nil, fmt.Errorf("the answer isn't as asked for: %w", err)
	}

	missing := map[string]bool{}
	for _, c := range calls {
		missing[c] = true
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
		before := len(mistakes)
		switch {
		case r.Verdict != string(label.Allow) && r.Verdict != string(label.Deny) && r.Verdict != undecided:
			mistakes = append(mistakes, fmt.Errorf("%s/verdict: write allow, deny or undecided", at))
		case r.Verdict != undecided && !w.quotes(r.Words):
			mistakes = append(mistakes, fmt.Errorf("%s/words: they don't stand in the sentences: copy them word by word, without leaving anything out", at))
		}

		if len(mistakes) > before {
			r.Verdict = undecided
		}
		out[r.Call] = r
	}

	for _, label := range slices.Sorted(maps.Keys(missing)) {
		mistakes = append(mistakes, fmt.Errorf("/readings: there is none for %s", label))
		out[label] = reading{Verdict: undecided}
	}

	if !strict && len(missing) < len(calls) {
		return out, nil
	}

	if len(mistakes) > maxReported {
		mistakes = mistakes[:maxReported]
	}
	return out, errors.Join(mistakes...)
}
