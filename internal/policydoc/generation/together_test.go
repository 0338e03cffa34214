package generation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
	"github.com/remit-project/remit/internal/policydoc/generation"
)

var (
	partLabel  = regexp.MustCompile(`(?m)^# (P\d+)$`)
	partPolicy = regexp.MustCompile(`(?m)^# The policy\n\n([a-z0-9-]+): `)
)

// fellow is a model of the library's policies that answers questions about one or several. What
// it is told to do with an answer about several, it does with the first ones.
type fellow struct {
	t     testing.TB
	mu    sync.Mutex
	asked []string // the stage, and the policies that it names
	alter map[string]func(elements []map[string]any) []map[string]any
	// told is what came last in each question, and what was wrong with answers; most is how often
	// an answer is altered.
	told []string
	most int
	fail func(p llm.Prompt) error
}

func (f *fellow) Complete(_ context.Context, p llm.Prompt) (*llm.Answer, error) {
	if err := llmtest.Strict(p.Schema.JSON); err != nil {
		f.t.Errorf("%s: endpoints can't hold models to the schema: %v", p.Stage, err)
	}
	text := p.Messages[0].Text
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, p.Stage+": "+strings.Join(policiesIn(text, len(partLabel.FindAllString(text, -1))), " "))
	f.told = append(f.told, p.Messages[len(p.Messages)-1].Text)
	if f.fail != nil {
		if err := f.fail(p); err != nil {
			return nil, err
		}
	}

	const repairs = 3
	var last error
	for range 1 + repairs {
		answer := f.answer(p, text)
		if last = p.Check(json.RawMessage(answer)); last == nil {
			return &llm.Answer{Value: json.RawMessage(answer)}, nil
		}
		f.told = append(f.told, last.Error())
	}
	return nil, &llm.InvalidError{Mistakes: []string{last.Error()}}
}

// policiesIn are the policies of a question; of one that doesn't name them, how many.
func policiesIn(text string, parts int) []string {
	var out []string
	for _, m := range partPolicy.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	if out == nil {
		out = []string{fmt.Sprint(max(1, parts))}
	}
	return out
}

func (f *fellow) answer(p llm.Prompt, text string) string {
	places := partLabel.FindAllStringSubmatchIndex(text, -1)
	if places == nil {
		return f.one(p.Stage, text)
	}
	var elements []map[string]any
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		label := text[at[2]:at[3]]
		elements = append(elements, map[string]any{"policy": label, "answer": json.RawMessage(f.one(p.Stage, text[at[0]:end]))})
	}
	if alter := f.alter[p.Stage]; alter != nil && f.most > 0 {
		f.most--
		elements = alter(elements)
	}
	out, err := json.Marshal(map[string]any{"policies": elements})
	if err != nil {
		f.t.Fatal(err)
	}
	return string(out)
}

func (f *fellow) one(stage, text string) string {
	switch stage {
	case "tests":
		return goodTests()
	case "reading":
		return exact(text, 10)
	}
	return rule(goodRule)
}

// fellowTasks are policies of one tool.
func fellowTasks(names ...string) []generation.Task {
	var out []generation.Task
	for _, name := range names {
		task := finesTask()
		policy := *task.Policy
		policy.Name = name
		task.Policy = &policy
		out = append(out, task)
	}
	return out
}

func (f *fellow) together(t *testing.T, tasks []generation.Task) []generation.Outcome {
	t.Helper()
	f.t = t
	out := generator(t, f, nil).Together(t.Context(), tasks)
	for _, o := range out {
		if o.Err == nil {
			sound(t, library(t), "extend_loan", o.Result)
		}
	}
	slices.Sort(f.asked)
	return out
}

func TestPoliciesOfAToolShareQuestions(t *testing.T) {
	f := &fellow{}
	for _, o := range f.together(t, fellowTasks("one", "two", "three", "four", "five")) {
		if o.Err != nil || o.NotEnforced != "" {
			t.Errorf("%+v", o)
		}
	}
	want := []string{
		"reading: 2", "reading: 3",
		"rule: five", "rule: one two three four",
		"tests: five", "tests: one two", "tests: three four",
	}
	if !slices.Equal(f.asked, want) {
		t.Errorf("it was asked\n%q, want\n%q", f.asked, want)
	}
}

// TestAnAnswerAboutSeveralPoliciesIsHeldToEach has answers that are right for some of the policies:
// what is right stays, and the others are asked about alone.
func TestAnAnswerAboutSeveralPoliciesIsHeldToEach(t *testing.T) {
	type elements = []map[string]any
	with := func(i int, answer string) func(elements) elements {
		return func(e elements) elements {
			e[i]["answer"] = json.RawMessage(answer)
			return e
		}
	}
	none := func(elements) elements { return nil }
	for name, c := range map[string]struct {
		stage string
		alter func(elements) elements
		most  int
		// told is what is said of it in the question about one, or in the shared one if nothing was right.
		told  string
		again []string
	}{
		"one is missing":       {"rule", func(e elements) elements { return e[1:] }, 1, "", []string{"rule: one"}},
		"one is there twice":   {"rule", func(e elements) elements { return append(e, e[0]) }, 1, "", []string{"rule: one"}},
		"one is of no policy":  {"rule", func(e elements) elements { e[1]["policy"] = "P9"; return e }, 1, "", []string{"rule: two"}},
		"tests are wrong":      {"tests", with(0, `{"records":[],"tests":[],"untested":[]}`), 1, "/tests: none is expected to be allowed", []string{"tests: one"}},
		"a reading is missing": {"reading", with(0, `{"readings":[]}`), 1, "/readings: there is none for C1", []string{"reading: 1"}},
		"a rule has a mistake": {"rule", with(1, rule("args.dayz <= 14")), 1, "undefined field 'dayz'", []string{"rule: two"}},
		"none is there, once":  {"rule", none, 1, "P2: there is no answer for it", nil},
		"none is ever there":   {"tests", none, 4, "P1: there is no answer for it", []string{"tests: one", "tests: two"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fellow{alter: map[string]func(elements) elements{c.stage: c.alter}, most: c.most}
			for i, o := range f.together(t, fellowTasks("one", "two")) {
				if o.Err != nil || o.NotEnforced != "" {
					t.Errorf("policy %d: %+v", i, o)
				}
			}
			if !slices.ContainsFunc(f.told, func(text string) bool { return strings.Contains(text, c.told) }) {
				t.Errorf("nothing says %q:\n%q", c.told, f.told)
			}
			want := append([]string{"reading: 2", "rule: one two", "tests: one two"}, c.again...)
			slices.Sort(want)
			if !slices.Equal(f.asked, want) {
				t.Errorf("it was asked %q, want %q", f.asked, want)
			}
		})
	}
}

// TestWhatFailsForOnePolicyIsItsOwn has models that refuse, or are not there, for questions about
// one policy.
func TestWhatFailsForOnePolicyIsItsOwn(t *testing.T) {
	gone := errors.New("nobody answers")
	about := func(err error, names string) func(llm.Prompt) error {
		return func(p llm.Prompt) error {
			if p.Stage == "rule" && names == strings.Join(policiesIn(p.Messages[0].Text, 0), " ") {
				return err
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		fail  func(llm.Prompt) error
		errs  []error
		asked int
	}{
		"the shared question is refused": {about(&llm.RefusedError{}, "one two"), []error{nil, nil}, 5},
		"the answer would be too long":   {about(&llm.TruncatedError{}, "one two"), []error{nil, nil}, 5},
		"there is no answer to it":       {about(gone, "one two"), []error{gone, gone}, 3},
		"it is refused, then one gets no other": {func(p llm.Prompt) error {
			return errors.Join(about(&llm.RefusedError{}, "one two")(p), about(gone, "two")(p))
		}, []error{nil, gone}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fellow{fail: c.fail}
			for i, o := range f.together(t, fellowTasks("one", "two")) {
				if !errors.Is(o.Err, c.errs[i]) {
					t.Errorf("policy %d: %v, want %v", i, o.Err, c.errs[i])
				}
			}
			if len(f.asked) != c.asked {
				t.Errorf("it was asked %q", f.asked)
			}
		})
	}
}

// TestALongPolicyIsAskedAboutAlone has a policy of which there is more to say than a shared
// question has room for.
func TestALongPolicyIsAskedAboutAlone(t *testing.T) {
	tasks := fellowTasks("one", "long", "two")
	long := slices.Clone(tasks[1].Sentences)
	long[0].Text += strings.Repeat(" And so it goes on, and on, and on.", 2000)
	tasks[1].Sentences = long
	f := &fellow{}
	f.together(t, tasks)
	want := []string{"reading: 1", "reading: 2", "rule: long", "rule: one two", "tests: long", "tests: one two"}
	if !slices.Equal(f.asked, want) {
		t.Errorf("it was asked %q, want %q", f.asked, want)
	}
}
