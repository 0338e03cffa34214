// Package generation makes rules of policies, test first: from a policy's
// sentences and its examples in words come concrete calls with a verdict each, a
// second reader who sees the sentences alone says which of them are wrong, and
// then an expression is written that has to pass those that are left. What it gets
// wrong, and what its tests don't tell, goes back to its author. A policy for which
// no expression passes is shipped as one that isn't enforced: it stops calls and
// says why.
//
// The stages and their bounds are described in docs/reference/policy-compiler.md.
package generation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/label"
)

// Model answers prompts; [llm.Client] is one.
type Model interface {
	Complete(ctx context.Context, p llm.Prompt) (*llm.Answer, error)
}

// The stages, by the names of their prompts.
const (
	testsStage   = "tests"
	readingStage = "reading"
	ruleStage    = "rule"
)

// DefaultAttempts is how often a model is asked for a rule where nothing else is
// said: most mistakes are put right at the second try, and what is not right at the
// fifth never is.
const DefaultAttempts = 5

// Options are what all rules of a run are made with.
type Options struct {
	Model      Model
	Prompts    *prompt.Set
	Deployment guard.Deployment
	// Attempts is how often a model is asked for one rule; 0 is [DefaultAttempts].
	Attempts int
	// Samples are results that tools returned, by [policydoc.Key]: they show what
	// tools return that don't declare it.
	Samples map[string][]json.RawMessage
	// Otherwise is what a rule that isn't enforced comes to: [label.Deny], which is
	// the default, or [label.Ask].
	Otherwise label.Verdict
	// Judge tells that the deployment has one, so that rules may ask it.
	Judge bool
}

// Generator makes rules. It is safe for concurrent use.
type Generator struct {
	options  Options
	language string
	shapes   map[string]*shape
}

// New returns a generator.
func New(o Options) (*Generator, error) {
	switch {
	case o.Model == nil:
		return nil, errors.New("generation: there is no model: name an endpoint")
	case o.Prompts == nil:
		return nil, errors.New("generation: there are no prompts: load them")
	case o.Attempts < 0:
		return nil, fmt.Errorf("generation: %d attempts at a rule: ask for at least one", o.Attempts)
	case o.Otherwise == label.Allow:
		return nil, errors.New("generation: a rule that isn't enforced can't allow calls: say deny or ask")
	}

	if o.Attempts == 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Otherwise == "" {
		o.Otherwise = label.Deny
	}
	var without []string
	if !o.Judge {
		without = append(without, "judge")
	}
	language, err := guard.Language(without...)
	if err != nil {
		return nil, err
	}

	g := &Generator{options: o, language: language, shapes: map[string]*shape{}}
	for key, samples := range o.Samples {
		g.shapes[key] = shapeOf(samples)
	}
	return g, nil
}

// Task is one policy to make a rule of.
type Task struct {
	// Server and Tool are those of the mapping.
	Server, Tool string
	Policy       *policydoc.Policy
	// Sentences are those that the policy refers to.
	Sentences []document.Sentence
	// Context are others of the document that say what records, words and units
	// are.
	Context []document.Sentence
	// Previous is the rule so far, where there is one: the new one stays near it.
	Previous *guard.Policy
}

// Result is what came of a policy.
type Result struct {
	// Policy has the policy's name and references. It has no expression, and no
	// examples, where none was found that passes its tests.
	Policy guard.Policy
	// NotEnforced says why there is no expression; empty where there is one.
	NotEnforced string
	// Attempts is how often the model was asked for the rule.
	Attempts int
	// Killed and Survived count the mutants of the rule.
	Killed, Survived int
	// Contested are the names of tests that the second reading judged otherwise,
	// with its reason; they are no tests.
	Contested map[string]string
}

// Generate makes the rule of a policy. An error is one of the run, such as a budget
// that is used up; a policy that no rule was found for is a result.
func (g *Generator) Generate(ctx context.Context, t Task) (*Result, error) {
	s, err := g.setting(t)
	if err != nil {
		return nil, err
	}
	w := newWork(g, s)
	reason, err := w.run(ctx)
	if err != nil && gaveUp(err) {
		reason, err = err.Error(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("policy %s of %s: %w", t.Policy.Name, t.Tool, err)
	}
	if reason != "" {
		w.result.NotEnforced = reason
		w.result.Policy = g.Unenforced(t.Policy)
		w.result.Killed, w.result.Survived = 0, 0
	}
	return &w.result, nil
}

// gaveUp reports whether an error says that the model can't do it, so that another
// run would come to the same.
func gaveUp(err error) bool {
	var invalid *llm.InvalidError
	var refused *llm.RefusedError
	var truncated *llm.TruncatedError
	return errors.As(err, &invalid) || errors.As(err, &refused) || errors.As(err, &truncated)
}

// Unenforced is the rule of a policy that nothing checks: it has no expression, so
// that every call comes to its verdict.
func (g *Generator) Unenforced(policy *policydoc.Policy) guard.Policy {
	do := "Don't make this call; hand the request over to a person."
	if g.options.Otherwise == label.Ask {
		do = "A person has to look at this call."
	}
	return guard.Policy{
		Name: policy.Name, References: policy.References, Otherwise: g.options.Otherwise,
		Message: fmt.Sprintf("This policy can't be checked automatically yet: %s %s", sentence(policy.Description), do),
	}
}

// sentence ends a text as a sentence, on one line.
func sentence(text string) string {
	text = prompt.OneLine(text)
	if text == "" {
		return "nobody has said what it asks."
	}
	switch text[len(text)-1] {
	case '.', '!', '?', ':', ';':
		return text
	}
	return text + "."
}

// work is one policy that a rule is being made of.
type work struct {
	*Generator
	*setting
	result Result
	tests  suite
	// open are the names of tests that the second reader left undecided, and why
	// are the reasons of their author.
	open map[string]bool
	why  map[string]string
	// disputes counts the tests that the author of the rule took out.
	disputes int
}

func newWork(g *Generator, s *setting) *work {
	return &work{Generator: g, setting: s, result: Result{Contested: map[string]string{}}, open: map[string]bool{}, why: map[string]string{}}
}

// run goes through the stages. It returns why there is no rule, or nothing when
// there is one.
func (w *work) run(ctx context.Context) (string, error) {
	reason, err := w.findTests(ctx)
	if reason != "" || err != nil {
		return reason, err
	}
	return w.findRule(ctx)
}

// patience is how many answers to one prompt are sent back for anything that is
// wrong. After those, what is right of an answer is taken where it is enough.
const patience = 2

// ask sends the messages of a stage, and reads the answer. What the reading finds
// wrong goes back to the model as long as its client lets it; an answer that is
// still wrong then is an [llm.InvalidError].
func (w *work) ask(ctx context.Context, stage string, messages []llm.Message, schema llm.Schema, read func(answer json.RawMessage, strict bool) error) ([]llm.Message, error) {
	answers := 0
	check := func(answer json.RawMessage) error {
		answers++
		return read(answer, answers <= patience)
	}
	system, err := w.options.Prompts.Part(stage, "system", struct {
		Language string
		Judge    bool
	}{w.language, w.options.Judge})
	if err != nil {
		return nil, err
	}

	answer, err := w.options.Model.Complete(ctx, llm.Prompt{
		Stage: stage, Subject: policydoc.Key(w.task.Server, w.task.Tool) + " " + w.task.Policy.Name,
		System: system, Messages: messages, Schema: schema, Check: check,
	})
	if err != nil {
		return nil, err
	}
	if err := read(answer.Value, answers <= patience); err != nil {
		return nil, &llm.InvalidError{Mistakes: []string{err.Error()}}
	}
	return append(messages, llm.Message{Role: llm.Assistant, Text: string(answer.Value)}), nil
}

// say appends what a stage's prompt says next.
func (w *work) say(messages []llm.Message, stage, part string, data any) ([]llm.Message, error) {
	text, err := w.options.Prompts.Part(stage, part, data)
	if err != nil {
		return nil, err
	}
	return append(messages, llm.Message{Role: llm.User, Text: text}), nil
}
