package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/mutation"
	"github.com/remit-project/remit/internal/policydoc"
)

// findRule has the rule written until it passes its tests and no call is left that
// would tell it from a slip. It returns why there is none; nothing when there is.
func (w *work) findRule(ctx context.Context) (string, error) {
	w.said = w.tests.hangsOnWords()
	first, err := w.ruleQuestion()
	if err != nil {
		return "", err
	}

	var messages []llm.Message
	var best, last *trial
	var asked turn
	known := map[string]bool{} // what was asked so far
	var tried []candidate
	for w.result.Attempts < w.options.Attempts {
		w.result.Attempts++
		var written answered
		read := func(answer json.RawMessage, strict bool) (err error) {
			written, err = w.readRule(answer, asked, strict)
			return err
		}
		if messages == nil {
			first.read = read
			messages, err = w.first(ctx, first)
		} else {
			messages, err = w.ask(ctx, ruleStage, messages, w.ruleForm(asked).schema(ruleStage), read)
		}
		if err != nil && best != nil && gaveUp(err) {
			break // what there is passes its tests
		}
		if err != nil {
			return "", err
		}
		w.change(written)
		tried = append(tried, written.candidate)
		if last, err = w.try(ctx, written.candidate); err != nil {
			return "", err
		}
		var contradicted []question
		if last, contradicted, err = w.settle(ctx, last, known); err != nil {
			return "", err
		}
		if best, err = w.better(ctx, best, last); err != nil {
			return "", err
		}
		asked = w.next(last, contradicted)
		if asked.part == "" {
			break
		}
		if messages, err = w.say(messages, ruleStage, asked.part, asked.data); err != nil {
			return "", err
		}
	}

	if best == nil {
		p, ok, err := w.asking(ctx, tried)
		if ok {
			w.result.Policy = p
		}
		return w.whyNot(last), err
	}

	w.result.Tests = len(best.policy.Examples)
	if w.result.Policy, err = w.kept(ctx, best.policy); err != nil {
		return "", err
	}
	if w.result.Policy.Guessed, err = w.guessed(w.result.Policy); err != nil {
		return "", err
	}
	w.result.Unseen = w.waitsFor(w.result.Policy)
	w.result.Survived = len(best.survivors())
	for _, m := range best.mutants {
		if m.Fate == mutation.Killed {
			w.result.Killed++
		}
	}

	return "", nil
}

// guessed returns the look-ups of a rule whose result shape is unknown.
func (w *work) guessed(p guard.Policy) ([]string, error) {
	rule, err := w.compile(&p)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rule.Needs(p.Name).Undeclared, func(tool string) bool {
		i := slices.IndexFunc(w.lookups, func(l lookup) bool { return l.Name == tool })
		if i < 0 {
			return false
		}
		l := w.lookups[i]
		known := l.sample != nil && l.sample.Source != policydoc.Guessed
		seen := l.sample == nil && l.shape != nil
		return known || seen
	}), nil
}

// better returns the better one of two trials that pass the tests as they are now; nil where
// neither does. The first may have passed fewer.
func (w *work) better(ctx context.Context, best, last *trial) (*trial, error) {
	switch {
	case best == nil || best.revision == w.tests.revision:
	case compact(best.candidate) == compact(last.candidate):
		best = nil // it was tried again just now
	default:
		again, err := w.try(ctx, best.candidate)
		if err != nil {
			return nil, err
		}
		best = again
	}

	both := last.passes() && best.passes()
	switch {
	case w.ruleGrounded && both && best.unfounded() != last.unfounded():
		if best.unfounded() {
			return last, nil
		}
		return best, nil // whatever else was asked about: the author had records to go by
	case (w.spared || w.replaced) && both && best.candidate.asks() && !last.candidate.asks():
		return last, nil
	case last.passes() && (!best.passes() || len(last.survivors()) <= len(best.survivors())):
		return last, nil
	case best.passes():
		return best, nil
	}
	return nil, nil
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
		return why + "; the last fails: " + last.failures(&w.tests)[0]
	}
	return why
}

// ruleQuestion returns the first question: the tests, and exactly what this tool's rules may
// use. Only the look-ups are told of that tests have results for: a rule that used others would
// fail them.
func (w *work) ruleQuestion() (*opening, error) {
	var used []guard.Readable
	f := w.facts()
	f.Lookups, f.Others, f.Tools = nil, nil, nil
	for _, l := range w.lookups {
		if slices.ContainsFunc(w.tests.examples, func(e guard.Example) bool {
			return slices.ContainsFunc(e.Given, func(g guard.Fixture) bool {
				return g.Tool == l.Name && (g.Server == "" || g.Server == l.Server)
			})
		}) {
			used = append(used, l.Readable)
			f.Lookups = append(f.Lookups, l.returns())
		}
	}

	vocabulary, err := guard.Vocabulary(w.options.Deployment, w.task.Server, w.task.Tool, used)
	if err != nil {
		return nil, err
	}

	labels, examples := slices.Clone(w.tests.labels), slices.Clone(w.tests.examples)
	found := common(examples)
	own := func(told []telling) any {
		tests, lines := w.describeAll(labels, examples, found, told)
		return struct {
			subject
			Vocabulary string
			Common     []string
			Tests      []described
			Previous   *guard.Policy
		}{w.subject(), vocabulary, lines, tests, w.task.Previous}
	}
	w.tests.tellAll()
	return &opening{stage: ruleStage, facts: f, own: own, found: found, form: w.ruleForm(turn{})}, nil
}
