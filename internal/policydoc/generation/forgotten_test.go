package generation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// finding is a second reader who says one verdict of calls that have some words, by words
// of the sentences, and leaves all others open.
func finding(s *script, words, quote string, verdict label.Verdict) modelFunc {
	return func(ctx context.Context, p llm.Prompt) (*llm.Answer, error) {
		if p.Stage == "reading" {
			var all []string
			for call := range strings.SplitSeq(p.Messages[0].Text, "\n\n") {
				for _, c := range callLabel.FindAllString(call, -1) {
					answer := undecided(c)
					if strings.Contains(call, words) {
						answer = fmt.Sprintf(`{"call":%q,"words":%q,"reason":"so it says","verdict":%q}`, c, quote, verdict)
					}
					all = append(all, answer)
				}
			}
			s.reads = []string{`{"readings":[` + strings.Join(all, ",") + `]}`}
		}
		return s.Complete(ctx, p)
	}
}

// TestAnEarlierCallThatFailedIsRead has a rule that counts calls, and tests of which none
// has one that failed: the second reader is asked, and the author corrects the rule.
func TestAnEarlierCallThatFailedIsRead(t *testing.T) {
	const sentence = "A loan is extended once only."
	after := func(test, result string) string {
		return strings.Replace(test, `"history":[]`, `"history":[{"call":{"tool":"extend_loan","args":"{\"copy_id\":\"C-1\",\"member_id\":\"M-1\",\"days\":7}","record":"","result":`+result+`},"at":""}]`, 1)
	}
	const (
		naive   = `!session.calls("extend_loan").exists(c, c.args.copy_id == args.copy_id)`
		careful = `!session.calls("extend_loan").exists(c, c.args.copy_id == args.copy_id && !(has(c.result) && type(c.result) == string && c.result.says("failed")))`
	)
	s := &script{t: t, tests: []string{testsOf(oneTest("first", "allow", "0"), after(oneTest("second", "deny", "0"), `"{\"due\":\"2031-03-01\"}"`))}}
	s.rules = []string{rule(naive), answered(careful, `{"call":"S1","words":"once only","verdict":"allow"}`)}
	task := finesTask()
	task.Policy = &policydoc.Policy{Name: "once", Description: "A loan is extended once only.", References: []string{sentence}}
	task.Sentences[0].Text = sentence
	r, err := generator(t, finding(s, "nothing was done", "once only", label.Allow), nil).Generate(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if r.NotEnforced != "" || r.Policy.Require.Text != careful || !strings.Contains(s.said(2), "the earlier call of extend_loan failed") {
		t.Fatalf("got %+v, and the author was told:\n%s", r, s.said(2))
	}
	if !slices.ContainsFunc(r.Policy.Examples, func(e guard.Example) bool {
		return e.Expect == label.Allow && strings.Contains(e.Name, "the earlier call of extend_loan failed")
	}) {
		t.Errorf("it is not a test: %+v", r.Policy.Examples)
	}
}

// TestAnIDThatNoRecordHasIsRead has a rule that takes whatever the user names for theirs.
func TestAnIDThatNoRecordHasIsRead(t *testing.T) {
	const sentence = "Only a copy that the member has borrowed can be extended."
	const record = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"copies\":[\"C-1\"],\"blocked\":false}"}`
	test := func(name, expect, blocked string) string {
		return strings.Replace(oneTest(name, expect, blocked), "/fines/0/amount", "/blocked", 1)
	}
	const own = `!member.blocked && args.copy_id in member.copies`
	s := &script{t: t, tests: []string{`{"records":[` + record + `],"tests":[` + test("theirs", "allow", "false") + `,` + test("blocked", "deny", "true") + `],"untested":[]}`}}
	s.rules = []string{rule(`!member.blocked`), answered(own, `{"call":"S1","words":"that the member has borrowed","verdict":"deny"}`)}
	task := finesTask()
	task.Policy = &policydoc.Policy{Name: "theirs", Description: sentence, References: []string{sentence}}
	task.Sentences[0].Text = sentence
	r, err := generator(t, finding(s, "C-8", "that the member has borrowed", label.Deny), nil).Generate(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if r.NotEnforced != "" || r.Policy.Require.Text != own || !strings.Contains(s.said(2), `args/copy_id is "C-8", which no record has`) {
		t.Fatalf("got %+v, and the author was told:\n%s", r, s.said(2))
	}
}
