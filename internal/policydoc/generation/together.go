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
)

// MaxTogether is how many policies go through the stages side by side, so that they can share
// questions: each waits for the slowest.
const MaxTogether = 12

// together is how many policies share a question of a stage at most. The answer with tests is
// long: that of three would be cut off by some models.
var together = map[string]int{testsStage: 2, readingStage: 3, ruleStage: 4}

// maxShared bounds a shared question without the instructions, in bytes: about 20,000 tokens. A policy that
// needs more is asked about alone.
const maxShared = 64 << 10

// PerQuestion returns how many policies of a tool share a question of a stage at most.
func PerQuestion(stage string) int { return max(1, together[stage]) }

// opening is the first question of a stage about a policy. Others about policies of the same
// tool can be put with it. What comes back later is about one policy.
type opening struct {
	work   *work
	stage  string
	system string
	// facts are what the questions of a tool have in common, and own returns what is of this
	// policy: of records that were told before, it says what is different.
	facts facts
	own   func(told []telling) any
	// found are the look-ups that own tells of.
	found []guard.Fixture
	form  form
	// read reads the answer about the policy, as for [work.ask].
	read func(answer json.RawMessage, strict bool) error

	// The answer is nil where the question wasn't put together with others, or the one that came
	// was wrong. Done is closed when there is one, or none to come.
	answer json.RawMessage
	wrong  json.RawMessage
	err    error
	done   chan struct{}
	// mistake is what is wrong with the wrong answer.
	mistake error
}

// request is what a question says of one policy or several.
type request struct {
	facts
	// Records are told once for several policies.
	Records  []string
	Policies []part
}

// part is what a question says of a policy. The label is empty where the question is about one.
type part struct {
	Label string
	Own   any
}

// alone returns what the question says if it is asked alone.
func (q *opening) alone() request {
	return request{facts: q.facts, Policies: []part{{"", q.own(nil)}}}
}

// first asks the first question of a stage, together with those of other policies at the table.
// It returns the conversation about this policy.
func (w *work) first(ctx context.Context, q *opening) ([]llm.Message, error) {
	var err error
	q.work, q.done = w, make(chan struct{})
	if q.system, err = w.system(q.stage); err != nil {
		return nil, err
	}
	w.table.ask(ctx, q)
	if q.err != nil {
		return nil, q.err
	}

	messages, err := w.say(nil, q.stage, "request", q.alone())
	if err != nil {
		return nil, err
	}
	if q.answer != nil {
		return append(messages, llm.Message{Role: llm.Assistant, Text: string(q.answer)}), nil
	}
	asked := messages
	if q.wrong != nil {
		asked = append(slices.Clone(messages), llm.SendBack(string(q.wrong), q.mistake.Error())...)
	}
	if asked, err = w.ask(ctx, q.stage, asked, q.form.schema(q.stage), q.read); err != nil {
		return nil, err
	}
	return append(messages, asked[len(asked)-1]), nil
}

// table is where policies of a tool wait for each other: as soon as nobody is busy, the
// questions of the earliest stage are put together.
type table struct {
	mu      sync.Mutex
	seated  int
	waiting []*opening
}

// ask waits until the question was asked together with others, or is to be asked alone.
func (t *table) ask(ctx context.Context, q *opening) {
	t.mu.Lock()
	t.waiting = append(t.waiting, q)
	t.serve(ctx)
	t.mu.Unlock()
	<-q.done
}

// leave takes a policy from the table that has no further question.
func (t *table) leave(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seated--
	t.serve(ctx)
}

// serve asks what waits, if nobody is busy. The caller has the lock.
func (t *table) serve(ctx context.Context) {
	if len(t.waiting) < t.seated {
		return
	}
	for _, stage := range []string{testsStage, readingStage, ruleStage} {
		ofStage := func(q *opening) bool { return q.stage == stage }
		if !slices.ContainsFunc(t.waiting, ofStage) {
			continue
		}
		for _, shared := range grouped(t.waiting, ofStage) {
			go shared.ask(ctx)
		}
		t.waiting = slices.DeleteFunc(t.waiting, ofStage)
		return
	}
}

// shared are questions that are asked as one.
type shared []*opening

// grouped puts those questions together that may be: of the same instructions, form and tools,
// and as many as fit.
func grouped(waiting []*opening, of func(*opening) bool) []shared {
	var out []shared
	waiting = slices.Clone(waiting)
	slices.SortStableFunc(waiting, func(a, b *opening) int { return a.work.seat - b.work.seat })
	for _, q := range waiting {
		if !of(q) {
			continue
		}
		i := slices.IndexFunc(out, func(s shared) bool { return s.takes(q) })
		if i < 0 {
			out = append(out, shared{q})
			continue
		}
		out[i] = append(out[i], q)
	}
	return out
}

// takes reports whether a question can be put with others.
func (s shared) takes(q *opening) bool {
	first := s[0]
	alike := first.system == q.system && first.form == q.form && first.facts.Definition == q.facts.Definition
	if !alike || len(s) == PerQuestion(q.stage) {
		return false
	}
	text, err := q.work.options.Prompts.Part(q.stage, "request", append(slices.Clone(s), q).request())
	return err == nil && len(text) <= maxShared
}

// label returns the name of a policy in a shared question.
func (s shared) label(i int) string { return fmt.Sprintf("P%d", i+1) }

// request returns what a shared question says: of the tool, its look-ups and other sentences
// once, and then of each policy.
func (s shared) request() request {
	out := request{facts: s[0].facts}
	var further [][]document.Sentence
	own := map[string]bool{}
	for _, q := range s {
		out.Lookups, out.Others = union(out.Lookups, q.facts.Lookups), union(out.Others, q.facts.Others)
		further = append(further, q.work.task.Context)
		for _, sentence := range q.work.task.Sentences {
			own[sentence.ID] = true
		}
	}
	out.Context = blocksOf(slices.DeleteFunc(inOrder(further), func(s document.Sentence) bool { return own[s.ID] }), maxContext)

	told, lines := s.records()
	out.Records = lines
	for i, q := range s {
		out.Policies = append(out.Policies, part{s.label(i), q.own(slices.Clone(told))})
	}
	return out
}

// records returns what several of the policies' look-ups find, to be told once.
func (s shared) records() (told []telling, lines []string) {
	uses := map[string]int{}
	for _, q := range s {
		for _, f := range q.found {
			uses[recordKey(&f)]++
		}
	}

	for _, q := range s {
		for _, f := range q.found {
			id := recordKey(&f)
			if uses[id] < 2 || len(f.Result) < minTold {
				continue
			}
			uses[id] = 0 // it is told
			label := fmt.Sprintf("R%d", len(lines)+1)
			lines = append(lines, fmt.Sprintf("%s: %s", label, found(&f, label, &told)))
		}
	}
	return told, lines
}

// recordKey identifies what a look-up is asked, whatever it finds.
func recordKey(f *guard.Fixture) string {
	return policydoc.Key(f.Server, f.Tool) + " " + string(f.Args)
}

// ask asks the questions as one. What is wrong of an answer goes back alone; what isn't there, is
// refused or too long, is asked alone.
func (s shared) ask(ctx context.Context) {
	defer func() {
		for _, q := range s {
			close(q.done)
		}
	}()
	if len(s) == 1 {
		return
	}

	first := s[0]
	messages, err := first.work.say(nil, first.stage, "request", s.request())
	if err == nil {
		_, err = first.work.options.Model.Complete(ctx, llm.Prompt{
			Stage: first.stage, Subject: s.subject(), System: first.system, Messages: messages,
			Schema: s.form().schema(first.stage), Check: s.reader(),
		})
	}
	if err == nil || gaveUp(err) {
		return
	}
	for _, q := range s {
		if q.answer == nil {
			q.err = err
		}
	}
}

// subject names the policies of a shared question.
func (s shared) subject() string {
	task := s[0].work.task
	return fmt.Sprintf("%s %s and %d more", policydoc.Key(task.Server, task.Tool), task.Policy.Name, len(s)-1)
}

// form returns the form of an answer about several policies.
func (s shared) form() form {
	var labels []string
	for i := range s {
		labels = append(labels, s.label(i))
	}
	return object(property{"policies", list(object(property{"policy", word(labels...)}, property{"answer", s[0].form}))})
}

// reader returns what reads answers about several policies. What is right of one stays. An
// answer in which nothing is right is an error.
func (s shared) reader() func(json.RawMessage) error {
	answers := 0
	return func(raw json.RawMessage) error {
		answers++
		var written struct {
			Policies []struct {
				Policy string          `json:"policy"`
				Answer json.RawMessage `json:"answer"`
			} `json:"policies"`
		}
		if err := json.Unmarshal(raw, &written); err != nil {
			return fmt.Errorf("the answer isn't as asked for: %w", err)
		}
		of := map[string][]json.RawMessage{}
		for _, p := range written.Policies {
			of[p.Policy] = append(of[p.Policy], p.Answer)
		}

		var wrong []error
		for i, q := range s {
			if err := q.take(of[s.label(i)], answers <= patience); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", s.label(i), err))
			}
		}
		if len(wrong) < len(s) {
			return nil
		}
		return errors.Join(wrong...)
	}
}

// take reads the only answer about the policy.
func (q *opening) take(answers []json.RawMessage, strict bool) error {
	q.wrong, q.mistake = nil, nil
	switch len(answers) {
	case 0:
		return errors.New("there is no answer for it")
	case 1:
	default:
		return fmt.Errorf("there are %d answers for it: give one", len(answers))
	}

	if err := q.read(answers[0], strict); err != nil {
		q.wrong, q.mistake = answers[0], err
		return err
	}
	q.answer = answers[0]
	return nil
}

// union returns the texts of both lists, each once.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, text := range b {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// inOrder brings lists of sentences together, each in the order of the document.
func inOrder(lists [][]document.Sentence) []document.Sentence {
	var out []document.Sentence
	for _, list := range lists {
		at := 0
		for _, s := range list {
			if i := slices.IndexFunc(out, func(o document.Sentence) bool { return o.ID == s.ID }); i >= 0 {
				at = i + 1
				continue
			}
			out = slices.Insert(out, at, s)
			at++
		}
	}
	return out
}
