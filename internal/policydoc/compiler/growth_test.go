package compiler_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/raced"
)

// handbook is a document of so many sentences, each about one of so many tools,
// and the tools.
func handbook(sentences, tools int) (text, definitions string) {
	var b, d strings.Builder
	for i := range sentences {
		if i%20 == 0 {
			fmt.Fprintf(&b, "\n## Chapter %d\n\n", i/20+1)
		}
		fmt.Fprintf(&b, "Number %d of the rules says of tool_%03d that a customer comes with no more than %d of them. ", i, i%tools, i%7+1)
	}
	for i := range tools {
		if i > 0 {
			d.WriteString(", ")
		}
		fmt.Fprintf(&d, `{"name": "tool_%03d", "description": "Does what number %d does to things of its kind, and says what came of it.", "annotations": {"readOnlyHint": %t},
			"inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}, "customer": {"type": "string"}}}}`, i, i, i%2 == 0)
	}
	return b.String(), "[" + d.String() + "]"
}

// scale counts what questions take.
type scale struct {
	reader
	bytes atomic.Int64
}

func (s *scale) Complete(ctx context.Context, p llm.Prompt) (*llm.Answer, error) {
	s.bytes.Add(int64(len(p.System) + len(p.Messages[0].Text)))
	return s.reader.Complete(ctx, p)
}

// weigh compiles a handbook, and returns the questions and their bytes.
func weigh(t *testing.T, sentences, tools int) (questions, bytes int) {
	s, m := newShop(t), &scale{}
	text, definitions := handbook(sentences, tools)
	s.tools = definitions
	prompts, err := prompt.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := compiler.New(compiler.Options{Model: m, Prompts: prompts, ModelName: func(string) string { return "reader" }})
	if failures := c.Map(t.Context(), s.input(text), s.read()); failures != nil {
		t.Fatal(failures)
	}
	return len(m.subjects), int(m.bytes.Load())
}

// TestQuestionsGrowWithSentencesAndTools doubles sentences, tools and both: a
// product of the two would show as a factor of four.
func TestQuestionsGrowWithSentencesAndTools(t *testing.T) {
	raced.SkipTable(t)
	const sentences, tools = 400, 40
	questions, bytes := weigh(t, sentences, tools)
	for _, factor := range [][2]int{{2, 1}, {1, 2}, {2, 2}} {
		q, b := weigh(t, sentences*factor[0], tools*factor[1])
		if most := 2.2; float64(q) > most*float64(questions) || float64(b) > most*float64(bytes) {
			t.Errorf("%d times the sentences and %d times the tools: %d questions of %d bytes, from %d of %d", factor[0], factor[1], q, b, questions, bytes)
		}
	}
}

// TestThePlanGrowsAlike holds the estimate to the same, at the size of a company's
// handbook, and to what docs/reference/policy-compiler.md says of one.
func TestThePlanGrowsAlike(t *testing.T) {
	raced.SkipTable(t)
	total := func(sentences, tools int) (calls, tokens int) {
		s := newShop(t)
		text, definitions := handbook(sentences, tools)
		s.tools = definitions
		for _, p := range s.compiler().Plan(s.input(text), &policydoc.Directory{}, func(string) llm.Price { return llm.Price{} }).Stages {
			calls, tokens = calls+p.Calls, tokens+p.Input+p.Output
		}
		return calls, tokens
	}
	calls, tokens := total(3000, 100)
	moreCalls, moreTokens := total(6000, 200)
	if most := 2.1; float64(moreCalls) > most*float64(calls) || float64(moreTokens) > most*float64(tokens) {
		t.Errorf("twice of both: %d questions and %d tokens, from %d and %d", moreCalls, moreTokens, calls, tokens)
	}
	if moreCalls < 9500 || moreCalls > 10_500 {
		t.Errorf("6000 sentences and 200 tools: %d questions, and the docs say some 10,000", moreCalls)
	}
}

func TestThePlanCountsWhatTheLockKnows(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	price := func(string) llm.Price { return llm.Price{Input: 1e6} }
	plan := s.compiler().Plan(s.input(strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1)), s.read(), price)
	for _, p := range plan.Stages {
		if p.Stage == "route" || p.Stage == "find" {
			t.Errorf("a sentence that is gone takes %+v", p)
		}
	}
	plan = s.compiler().Plan(s.input(strings.Replace(hire, "at most three", "at most four", 1)), s.read(), price)
	if plan.New != 1 || plan.Stages[0].Stage != "route" || plan.Stages[0].Calls != 1 || plan.Stages[0].Cost != float64(plan.Stages[0].Input) {
		t.Errorf("one sentence that changed takes %+v", plan)
	}
}

// TestThePlanKnowsThatPoliciesShareQuestions has twelve policies of a tool.
func TestThePlanKnowsThatPoliciesShareQuestions(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.guards(hire)
	var b strings.Builder
	b.WriteString("tool: return_item\npolicies:\n")
	for i := range 12 {
		fmt.Fprintf(&b, "  - {name: p%d, description: The machine is weighed %d., references: [With return_item the machine is weighed.]}\n", i, i)
	}
	s.edit("mapping/return_item.yaml", s.files()["/mapping/return_item.yaml"], b.String())

	plan := s.compiler().Plan(s.input(hire), s.read(), func(string) llm.Price { return llm.Price{} })
	if failures := s.guards(hire); failures != nil {
		t.Fatal(failures)
	}
	for _, p := range plan.Stages {
		// Some are asked again, as a rule, and in none of these.
		if asked, again := s.model.asked[p.Stage], 3; p.Calls < asked || p.Calls > asked*3/2+again {
			t.Errorf("%s: %d questions are planned, %d were asked", p.Stage, p.Calls, asked)
		}
	}
	if len(plan.Stages) == 0 {
		t.Error("nothing is planned")
	}
}
