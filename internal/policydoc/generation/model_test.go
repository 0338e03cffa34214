package generation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/label"
)

// script is a model with prepared answers for each stage. An answer that the check
// of a prompt refuses is followed by the next one, as a client of models does it.
type script struct {
	t       testing.TB
	tests   []string
	rules   []string
	reads   []string // where there are none left, every call is undecided
	prompts []llm.Prompt
	refused []string
}

var callLabel = regexp.MustCompile(`(?m)^C\d+$`)

func (s *script) Complete(ctx context.Context, p llm.Prompt) (*llm.Answer, error) {
	s.prompts = append(s.prompts, p)
	if err := llmtest.Strict(p.Schema.JSON); err != nil {
		s.t.Errorf("%s: endpoints can't hold models to the schema: %v", p.Stage, err)
	}
	var last error
	for {
		queue := map[string]*[]string{"tests": &s.tests, "rule": &s.rules, "reading": &s.reads}[p.Stage]
		answer := ""
		switch {
		case len(*queue) > 0:
			answer, *queue = (*queue)[0], (*queue)[1:]
		case p.Stage == "reading":
			var all []string
			for _, label := range callLabel.FindAllString(p.Messages[0].Text, -1) {
				all = append(all, fmt.Sprintf(`{"call":%q,"words":"","reason":"","verdict":"undecided"}`, label))
			}
			answer = `{"readings":[` + strings.Join(all, ",") + `]}`
		case last != nil:
			return nil, &llm.InvalidError{Mistakes: []string{last.Error()}}
		default:
			s.t.Fatalf("nothing is prepared for %s:\n%s", p.Stage, p.Messages[len(p.Messages)-1].Text)
		}
		if last = p.Check(json.RawMessage(answer)); last == nil {
			return &llm.Answer{Value: json.RawMessage(answer)}, nil
		}
		s.refused = append(s.refused, last.Error())
	}
}

// said is the last thing that was said to the author of the rule, by attempt.
func (s *script) said(attempt int) string {
	n := 0
	for _, p := range s.prompts {
		if p.Stage == "rule" {
			if n++; n == attempt {
				return p.Messages[len(p.Messages)-1].Text
			}
		}
	}
	return ""
}

const finesSentence = "Members with more than 10.00 in unpaid fines can't extend a loan."

func finesTask() generation.Task {
	return generation.Task{Tool: "extend_loan", Policy: &policydoc.Policy{
		Name: "no-unpaid-fines", Description: "A member with more than 10.00 in unpaid fines can't extend a loan.", References: []string{finesSentence},
	}, Sentences: []document.Sentence{{ID: "s-1", Text: finesSentence, Path: []string{"Loans"}}}}
}

// member is the record that the tests use.
const member = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"fines\":[{\"amount\":0,\"paid\":false}]}"}`

// oneTest is a test of a member with one unpaid fine.
func oneTest(name, expect, amount string) string {
	return fmt.Sprintf(`{"name":%q,"example":"","why":"w","expect":%q,"args":"{\"copy_id\":\"C-1\",\"member_id\":\"M-1\",\"days\":7}",
		"given":[{"record":"member","changes":[{"at":"/fines/0/amount","value":%q}]}],"history":[],"now":"","principal":{"id":"","groups":[],"attributes":[]},"labels":[]}`, name, expect, amount)
}

func testsOf(tests ...string) string {
	return `{"records":[` + member + `],"tests":[` + strings.Join(tests, ",") + `],"untested":[]}`
}

func paidTest() string {
	return strings.Replace(oneTest("paid", "allow", "25"), `{"at":"/fines/0/amount"`, `{"at":"/fines/0/paid","value":"true"},{"at":"/fines/0/amount"`, 1)
}

// goodTests tell the rule from every slip.
func goodTests() string {
	several := strings.Replace(oneTest("two make too much", "deny", "6"), `{"at":"/fines/0/amount"`, `{"at":"/fines/1","value":"{\"amount\":6,\"paid\":false}"},{"at":"/fines/0/amount"`, 1)
	return testsOf(oneTest("at the limit", "allow", "10"), oneTest("a cent more", "deny", "10.01"), oneTest("the next", "deny", "10.99"), oneTest("less", "allow", "9.50"), several, paidTest())
}

func rule(require string) string {
	b, _ := json.Marshal(map[string]any{"variables": []map[string]string{{"name": "member", "value": `tools.get_member({"member_id": args.member_id})`}},
		"require": require, "message": "The member has more than 10.00 in unpaid fines. Ask them to pay first."})
	return string(b)
}

// answered is a rule with what is said of calls.
func answered(require, calls string) string {
	return strings.TrimSuffix(rule(require), "}") + `,"calls":[` + calls + `]}`
}

var (
	toldWhole = regexp.MustCompile(`(?m)^(C\d+)\n.*\n.*"fines":\[\{"amount":([\d.]+),"paid":false\}\]`)
	toldApart = regexp.MustCompile(`(?m)^(C\d+)\n.*\n.*finds the same as in C\d+, but /fines/0/amount is ([\d.]+)$`)
)

// exact is a second reader who knows the amounts of single unpaid fines, by a limit, and
// leaves all other calls open.
func exact(question string, limit float64) string {
	known := map[string]string{}
	for _, m := range append(toldWhole.FindAllStringSubmatch(question, -1), toldApart.FindAllStringSubmatch(question, -1)...) {
		known[m[1]] = m[2]
	}
	var all []string
	for _, label := range callLabel.FindAllString(question, -1) {
		amount, err := strconv.ParseFloat(known[label], 64)
		verdict := "allow"
		if amount > limit {
			verdict = "deny"
		}
		if err != nil {
			all = append(all, undecided(label))
		} else {
			all = append(all, fmt.Sprintf(`{"call":%q,"words":"more than 10.00 in unpaid fines","reason":"it is %s","verdict":%q}`, label, known[label], verdict))
		}
	}
	return `{"readings":[` + strings.Join(all, ",") + `]}`
}

const goodRule = `member.fines.filter(f, !f.paid).map(f, f.amount).sum() <= 10`

func generator(t testing.TB, m generation.Model, change func(*generation.Options)) *generation.Generator {
	t.Helper()
	o := generation.Options{Model: m, Prompts: prompts(t), Deployment: library(t)}
	if change != nil {
		change(&o)
	}
	g, err := generation.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func generate(t testing.TB, s *script, change func(*generation.Options)) *generation.Result {
	t.Helper()
	s.t = t
	r, err := generator(t, s, change).Generate(t.Context(), finesTask())
	if err != nil {
		t.Fatal(err)
	}
	sound(t, library(t), "extend_loan", r)
	return r
}

// sound holds a result to what must always be so: a rule passes its own tests, of
// both verdicts, and one that isn't enforced stops calls: all of them, or those that it applies to.
func sound(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, scope guard.Deployment, tool string, r *generation.Result) {
	t.Helper()
	partial := r.NotEnforced != "" && !r.Policy.Require.Empty()
	if r.NotEnforced != "" && !partial {
		if len(r.Policy.Examples) > 0 || r.Policy.Otherwise == label.Allow || r.Policy.Otherwise == "" || r.Policy.Message == "" {
			t.Fatalf("it isn't enforced, and yet %+v", r.Policy)
		}
		return
	}
	doc := guard.NewEditor("x.yaml", "", tool)
	if err := doc.Put(&r.Policy); err != nil {
		t.Fatal(err)
	}
	f, err := doc.File()
	if err != nil {
		t.Fatal(err)
	}
	set, err := guard.Compile([]*guard.File{f}, scope)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[label.Verdict]bool{}
	for _, result := range guardtest.Run(context.Background(), set.Guards()[0]) {
		seen[result.Want] = true
		if !result.Passed() {
			t.Fatalf("%s: want %s, got %s %s", result.Example, result.Want, result.Got, result.Failed)
		}
	}
	stops := label.Deny
	if partial {
		stops = r.Policy.Otherwise
	}
	if !seen[label.Allow] || !seen[stops] || stops == label.Allow || r.Policy.Require.Empty() {
		t.Fatalf("the rule is tested on one side only: %+v", r.Policy)
	}
}

func undecided(label string) string {
	return fmt.Sprintf(`{"call":%q,"words":"","reason":"","verdict":"undecided"}`, label)
}

// modelFunc is a model of one function.
type modelFunc func(context.Context, llm.Prompt) (*llm.Answer, error)

func (f modelFunc) Complete(ctx context.Context, p llm.Prompt) (*llm.Answer, error) { return f(ctx, p) }
