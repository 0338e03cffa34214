package generation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
)

// TestAStateThatNobodyShowsIsMadeUp: the author of tests whose records have a state that no result
// shows and the document doesn't quote is asked once to do without it.
func TestAStateThatNobodyShowsIsMadeUp(t *testing.T) {
	test := func(name, expect, status string) string {
		return strings.Replace(oneTest(name, expect, "0"), `{"at":"/fines/0/amount","value":"0"}`, fmt.Sprintf(`{"at":"/loan_status","value":%q}`, quoted(status)), 1)
	}
	tests := func(allowed string) string {
		const record = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"loan_status\":\"running\"}"}`
		return `{"records":[` + record + `],"tests":[` + test("it is running", "deny", "running") + `,` + test("called off", "allow", allowed) + `],"untested":[]}`
	}
	for name, c := range map[string]struct {
		sentence, seen string
		asked          bool
	}{
		"no result has it":            {"A loan that was cancelled can be extended.", "running paused", true},
		"said in other signs":         {`A "running" loan was cancelled, not "paused".`, "running paused", true},
		"a result has it":             {"A loan that was cancelled can be extended.", "running cancelled", false},
		"the document quotes it":      {"The loan_status is 'running', or ‘Cancelled’.", "running paused", false},
		"in a table":                  {"| running | cancelled |", "running paused", false},
		"no result is known":          {"A loan that was cancelled can be extended.", "", false},
		"said, and then quoted":       {"One that was cancelled has the status *cancelled*.", "running paused", false},
		"results have too many words": {"A loan that was cancelled can be extended.", "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii", false},
	} {
		t.Run(name, func(t *testing.T) {
			seen := func(o *generation.Options) {
				var results []json.RawMessage
				for _, status := range strings.Fields(c.seen) {
					for range 3 {
						results = append(results, json.RawMessage(fmt.Sprintf(`{"member_id":"M-1","loan_status":%q}`, status)))
					}
				}
				o.Results = map[string][]json.RawMessage{policydoc.Key(o.Deployment.Contracts[0].Server, "get_member"): results}
			}
			task := finesTask()
			task.Policy = &policydoc.Policy{Name: "called-off", Description: c.sentence, References: []string{c.sentence}}
			task.Sentences[0].Text = c.sentence
			task.Document = []document.Sentence{{ID: "s-0", Text: "Be friendly."}, task.Sentences[0]}
			s := &script{t: t, tests: []string{tests("cancelled"), tests("cancelled")}, rules: []string{rule(`member.loan_status == "cancelled"`)}}
			r, err := generator(t, s, seen).Generate(t.Context(), task)
			if err != nil || r.NotEnforced != "" {
				t.Fatalf("got %+v, %v", r, err)
			}
			asked := slices.ContainsFunc(s.refused, func(text string) bool {
				return strings.Contains(text, `no result shows the state "cancelled"`)
			})
			if asked != c.asked {
				t.Errorf("asked: %v, by %q", asked, s.refused)
			}
			if told := len(r.Unseen) == 1 && r.Unseen[0] == `"cancelled" in /loan_status of get_member`; told != c.asked {
				t.Errorf("people are told of %q", r.Unseen)
			}
		})
	}
}

// TestWhatNoStateTellsIsSaid: a rule by what the user says passes, where records only say otherwise.
func TestWhatNoStateTellsIsSaid(t *testing.T) {
	const sentence = "A loan of a copy that we lost can be extended."
	const require = `(session.user_said("lost") || session.judged("Did the user say that the library lost the copy?", "user")) && !member.loans.exists(l, l.copy == args.copy_id && l.status == "running")`
	const record = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"loans\":[{\"copy\":\"C-1\",\"status\":\"running\"}]}"}`
	test := func(name, expect, copies, said string) string {
		test := strings.Replace(oneTest(name, expect, "0"), `{"at":"/fines/0/amount","value":"0"}`, fmt.Sprintf(`{"at":"/loans/0/copy","value":%q}`, quoted(copies)), 1)
		return strings.Replace(test, `"history":[]`, `"history":[{"user":"`+said+`","at":""}]`, 1)
	}
	tests := `{"records":[` + record + `],"tests":[` + strings.Join([]string{
		test("lost", "allow", "C-2", "You lost it, please extend the loan."), test("it runs", "deny", "C-1", "You lost it, please extend the loan."), test("nobody says so", "deny", "C-2", "Please extend the loan."),
	}, ",") + `],"untested":[]}`
	task := finesTask()
	task.Policy = &policydoc.Policy{Name: "lost", Description: sentence, References: []string{sentence}}
	task.Sentences[0].Text = sentence
	s := &script{t: t, tests: []string{tests}, rules: []string{rule(require)}}
	r, err := generator(t, s, func(o *generation.Options) {
		results := slices.Repeat([]json.RawMessage{json.RawMessage(`{"member_id":"M-1","loans":[{"copy":"C-7","status":"running"}]}`)}, 4)
		o.Results = map[string][]json.RawMessage{policydoc.Key(o.Deployment.Contracts[0].Server, "get_member"): results}
	}).Generate(t.Context(), task)
	if err != nil || r.NotEnforced != "" || r.Policy.Require.Text != require || len(s.refused) > 0 || r.Attempts != 1 || len(r.Unseen) > 0 {
		t.Errorf("got %+v, %v after %q", r, err, s.refused)
	}
}
