// Package generation makes a rule for each policy, test first. One model writes tests
// from the policy's sentences and its examples in words: calls with a verdict each. A
// second model, which reads the sentences alone, contests the tests that it disagrees
// with. Then a model writes the rule, which has to pass the remaining tests; it gets the
// failures and the surviving mutants back. A policy for which no rule passes is not
// enforced: it stops calls and says why.
//
// The stages and their bounds are described in docs/reference/policy-compiler.md.
package generation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

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

// DefaultAttempts is the default number of requests for one rule. Most mistakes are
// corrected in the second; a rule that is wrong after the fifth stays wrong.
const DefaultAttempts = 5

// Options are the settings for all rules of a run.
type Options struct {
	Model      Model
	Prompts    *prompt.Set
	Deployment guard.Deployment
	// Attempts bounds the requests for one rule; 0 is [DefaultAttempts].
	Attempts int
	// Results are what tools returned, by [policydoc.Key]. They show the form of results
	// for tools without an output schema.
	Results map[string][]json.RawMessage
	// Samples are the agreed samples of look-ups, by [policydoc.Key], which tests use by
	// the look-ups' names.
	Samples map[string]policydoc.Sample
	// Otherwise is the verdict of a policy that is not enforced: [label.Ask], the
	// default, or [label.Deny].
	Otherwise label.Verdict
	// Judge reports whether the deployment has a judge, which rules may ask.
	Judge bool
}

// Generator makes rules. It is safe for concurrent use.
type Generator struct {
	options  Options
	language string
	shapes   map[string]*shape
}

// explained are the functions that the prompt of the rule explains, so that the list of the
// language needn't, and those of which no rule has had a use.
var explained = []string{
	"agreed", "listed", "stated", "told", "complete", "answered", "judged", "says", "user_said", "beside", "together", "denied", "calls",
	"date", "datetime", "decimal", "sum",
	"exists_one", "transformMap", "transformMapEntry",
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
		o.Otherwise = label.Ask
	}
	without := slices.Clone(explained)
	if !o.Judge {
		without = append(without, "judge")
	}
	language, err := guard.Language(without...)
	if err != nil {
		return nil, err
	}

	g := &Generator{options: o, language: language, shapes: map[string]*shape{}}
	for key, results := range o.Results {
		g.shapes[key] = shapeOf(results)
	}
	for key, sample := range o.Samples {
		if g.shapes[key] == nil {
			g.shapes[key] = shapeOf([]json.RawMessage{sample.Result})
		}
	}
	return g, nil
}

// Task is one policy to make a rule of.
type Task struct {
	// Server and Tool are the mapping's.
	Server, Tool string
	Policy       *policydoc.Policy
	// Sentences are the sentences that the policy refers to.
	Sentences []document.Sentence
	// Context are other sentences of the document, which explain records, words and
	// units.
	Context []document.Sentence
	// Document are all its sentences: what it says that a field can be may stand anywhere.
	Document []document.Sentence
	// Previous is the previous rule, or nil. The new rule stays close to it.
	Previous *guard.Policy
}

// Result is the result for one policy.
type Result struct {
	// Policy has the policy's name and references. If no rule passed its tests, it has no
	// condition and no examples, or a condition that says to which calls it applies.
	Policy guard.Policy
	// NotEnforced says why no rule decides; empty if one does.
	NotEnforced string
	// Attempts counts the requests for the rule.
	Attempts int
	// Tests counts the tests that the rule passes, of which the policy has those that say
	// something of their own.
	Tests int
	// Killed and Survived count the mutants of the rule.
	Killed, Survived int
	// Contested are the tests that were taken out because the second reading
	// contradicted them, by name, with its reason.
	Contested map[string]string
	// Untested are the examples in words that are not tests, by their texts, with the
	// reasons.
	Untested map[string]string
	// Unseen are the states that the rule compares with and that nobody shows a record to have.
	Unseen []string
}

// Generate makes the rule of a policy. It returns an error if the run can't go on, such
// as for a used-up budget; a policy without a rule is a result.
func (g *Generator) Generate(ctx context.Context, t Task) (*Result, error) {
	out := g.Together(ctx, []Task{t})[0]
	return out.Result, out.Err
}

// Outcome is what came of a [Task]: a result or an error, as of [Generator.Generate].
type Outcome struct {
	*Result
	Err error
}

// Together makes the rules of several policies of one tool, which share questions. What fails
// for one doesn't fail for the others. Callers give it [MaxTogether] at most.
func (g *Generator) Together(ctx context.Context, tasks []Task) []Outcome {
	out := make([]Outcome, len(tasks))
	at := &table{seated: len(tasks)}
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() {
			defer at.leave(ctx)
			out[i].Result, out[i].Err = g.generate(ctx, t, at, i)
		})
	}
	wg.Wait()
	return out
}

// generate makes the rule of a policy that sits at a table.
func (g *Generator) generate(ctx context.Context, t Task, at *table, seat int) (*Result, error) {
	s, err := g.setting(t)
	if err != nil {
		return nil, err
	}
	w := newWork(g, s)
	w.table, w.seat = at, seat
	reason, err := w.run(ctx)
	if err != nil && gaveUp(err) {
		reason, err = err.Error(), nil
	}

	if err != nil {
		return nil, fmt.Errorf("policy %s of %s: %w", t.Policy.Name, t.Tool, err)
	}
	if reason != "" {
		w.result.NotEnforced = reason
		if w.result.Policy.Require.Empty() {
			w.result.Policy = g.Unenforced(t.Policy)
		}
		w.result.Tests, w.result.Killed, w.result.Survived = 0, 0, 0
	}
	return &w.result, nil
}

// gaveUp reports whether an error means that the model can't do it, so that another run
// would fail as well.
func gaveUp(err error) bool {
	var invalid *llm.InvalidError
	var refused *llm.RefusedError
	var truncated *llm.TruncatedError
	return errors.As(err, &invalid) || errors.As(err, &refused) || errors.As(err, &truncated)
}

// Unenforced returns the guard's policy for a policy without a rule: every call violates
// it.
func (g *Generator) Unenforced(policy *policydoc.Policy) guard.Policy {
	do := "Don't make this call; hand the request over to a person."
	if g.options.Otherwise == label.Ask {
		do = "A person has to look at this call."
	}
	return guard.Policy{
		Name: policy.Name, Tools: policy.Tools, References: policy.References, Otherwise: g.options.Otherwise,
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

// work is one policy for which a rule is being made.
type work struct {
	*Generator
	*setting
	// table is where the policy waits for others to share questions with, and seat its place there.
	table  *table
	seat   int
	result Result
	tests  suite
	// doubted are the tests that rest on one reading alone, by name, with what that is; why are
	// the reasons of their author.
	doubted map[string]string
	why     map[string]string
	// said is that the tests hang on what is said. Otherwise the author of the rule needs not know
	// how rules ask for words.
	said bool
	// shown are the names of the tests that examples in words are, by their labels.
	shown map[string]string
	// disputes counts the tests that the author of the rule took out.
	disputes int
	// unsaid are the tests in which a mere request has to satisfy session.complete.
	unsaid map[string]bool
	// spared and replaced are that the author was asked to do without session.judged: for the sake of
	// some tests, and where a function tells what is asked.
	spared, replaced bool
	// testsGrounded is that the author of the tests was asked for records that tell what they only say,
	// and ruleGrounded the same of the author of the rule.
	testsGrounded, ruleGrounded bool
}

func newWork(g *Generator, s *setting) *work {
	return &work{Generator: g, setting: s, result: Result{Contested: map[string]string{}}, doubted: map[string]string{}, why: map[string]string{}, unsaid: map[string]bool{}}
}

// run goes through the stages. It returns why there is no rule, or "" if there is one.
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
	system, err := w.system(stage)
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

// system returns the instructions of a stage.
func (w *work) system(stage string) (string, error) {
	return w.options.Prompts.Part(stage, "system", struct {
		Language    string
		Judge, Said bool
	}{w.language, w.options.Judge, w.said})
}

// say appends what a stage's prompt says next.
func (w *work) say(messages []llm.Message, stage, part string, data any) ([]llm.Message, error) {
	text, err := w.options.Prompts.Part(stage, part, data)
	if err != nil {
		return nil, err
	}
	return append(messages, llm.Message{Role: llm.User, Text: text}), nil
}
