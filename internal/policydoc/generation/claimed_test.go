package generation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/label"
)

const stolenSentence = "A member whose card was stolen can extend a loan."

func stolenTask() generation.Task {
	task := finesTask()
	task.Policy = &policydoc.Policy{Name: "stolen-cards", Description: stolenSentence, References: []string{stolenSentence}}
	task.Sentences[0].Text = stolenSentence
	return task
}

// quoted is a text as JSON, as changes of records have it.
func quoted(text string) string { return `"` + text + `"` }

// cardTest is a test of a member whose card is in a state, and of what the user says; without a
// state it has no record.
func cardTest(name, expect, state, said string) string {
	test := strings.Replace(oneTest(name, expect, "0"), `{"at":"/fines/0/amount","value":"0"}`, fmt.Sprintf(`{"at":"/card","value":%q}`, quoted(state)), 1)
	if state == "" {
		test = strings.Replace(test, `"given":[{"record":"member","changes":[{"at":"/card","value":"\"\""}]}]`, `"given":[]`, 1)
	}
	return strings.Replace(test, `"history":[]`, `"history":[{"user":"`+said+`","at":""}]`, 1)
}

func cardTests(tests ...string) string {
	const record = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"card\":\"valid\"}"}`
	return `{"records":[` + record + `],"tests":[` + strings.Join(tests, ",") + `],"untested":[]}`
}

// TestWhatARecordTellsIsNotTakenAsSaid: the author of a rule by which calls pass for what somebody
// claims, although a record tells it, is asked once to ask the record.
func TestWhatARecordTellsIsNotTakenAsSaid(t *testing.T) {
	const (
		record = `member.card == "stolen"`
		words  = `(session.user_said("stolen") || session.judged("Did the user say that their card is stolen?", "user"))`
	)
	tests := cardTests(cardTest("stolen", "allow", "stolen", "My card was stolen."), cardTest("not stolen", "deny", "valid", "Please."))
	for name, c := range map[string]struct {
		require string
		asked   bool
	}{
		"words beside the record":       {record + ` || ` + words, true},
		"words instead of the record":   {words, true},
		"the judge alone":               {`member.card == "stolen" || session.judged("Was the user's card STOLEN?", "user")`, true},
		"words for another case":        {`args.days < 3 || args.days > 90 || ` + words, true},
		"words of a case of the record": {`member.card == "valid" ? ` + words + ` : ` + record, false},
		"words joined to the record":    {record + ` && ` + words, false},
		"in a part that is joined":      {words + ` && args.days < 90 && (` + record + ` || member.card == "lost")`, false},
		"words of something else":       {record + ` || session.judged("Is the user a teacher?", "user")`, false},
		"the record alone":              {record, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t, tests: []string{tests}, rules: []string{rule(c.require), rule(record)}}
			r, err := generator(t, s, nil).Generate(t.Context(), stolenTask())
			if err != nil || r.NotEnforced != "" {
				t.Fatalf("got %+v, %v", r, err)
			}
			if asked := strings.Contains(s.said(2), "get_member tells it in /card (stolen, valid)"); asked != c.asked {
				t.Fatalf("asked for the record: %v, the author was told:\n%s", asked, s.said(2))
			}
			want := record
			if !c.asked {
				want = c.require
			}
			if r.Policy.Require.Text != want {
				t.Errorf("the rule is %s", r.Policy.Require.Text)
			}
		})
	}
	t.Run("one that stays as it is", func(t *testing.T) {
		s := &script{t: t, tests: []string{tests}, rules: []string{rule(words), rule(words)}}
		r, err := generator(t, s, nil).Generate(t.Context(), stolenTask())
		if err != nil || r.Policy.Require.Text != words || r.Attempts != 2 {
			t.Fatalf("got %+v, %v", r, err)
		}
	})
}

// TestAClaimThatARecordRefutesIsRead has a rule that takes the user's word beside the record.
func TestAClaimThatARecordRefutesIsRead(t *testing.T) {
	const own = `member.card == "stolen"`
	s := &script{t: t, tests: []string{cardTests(cardTest("stolen", "allow", "stolen", "My card was stolen."), cardTest("not stolen", "deny", "valid", "Please."))}}
	s.rules = []string{rule(own + ` || session.judged("Did the user lose it?", "user") || session.user_said("stolen")`), rule(own)}
	r, err := generator(t, finding(s, "C3\n", "whose card was stolen", label.Deny), nil).Generate(t.Context(), stolenTask())
	if err != nil || r.NotEnforced != "" || r.Policy.Require.Text != own {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !strings.Contains(s.said(2), `get_member/card is "valid", whatever is said of it`) {
		t.Errorf("the author was told:\n%s", s.said(2))
	}
}

// TestAFactThatTestsOnlySayIsShown: the author of tests in which somebody only says what a look-up
// tells is asked once for its records.
func TestAFactThatTestsOnlySayIsShown(t *testing.T) {
	seen := func(o *generation.Options) {
		var results []json.RawMessage
		for i := range 6 {
			state := []string{"valid", "stolen"}[i%2]
			results = append(results, json.RawMessage(fmt.Sprintf(`{"member_id":"M-%d","card":%q}`, i, state)))
		}
		o.Results = map[string][]json.RawMessage{policydoc.Key(o.Deployment.Contracts[0].Server, "get_member"): results}
	}
	shown := cardTests(cardTest("stolen", "allow", "stolen", "My card was stolen."), cardTest("not stolen", "deny", "valid", "Please."))
	said := cardTests(cardTest("stolen", "allow", "", "My card was stolen."), cardTest("not stolen", "deny", "", "Please."))
	for name, c := range map[string]struct {
		tests []string
		asked bool
	}{
		"it is only said":  {[]string{said, shown}, true},
		"a record says so": {[]string{shown}, false},
		"nobody says it":   {[]string{cardTests(cardTest("a member", "allow", "", "Please."), cardTest("not stolen", "deny", "", "It is for Ann.")), shown}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require := `member.card == "stolen"`
			if !c.asked && len(c.tests) > 1 {
				require = `session.user_said("please") || session.judged("Is it urgent?", "user")`
			}
			s := &script{t: t, tests: c.tests, rules: []string{rule(require)}}
			r, err := generator(t, s, seen).Generate(t.Context(), stolenTask())
			if err != nil || r.NotEnforced != "" {
				t.Fatalf("got %+v, %v", r, err)
			}
			asked := slices.ContainsFunc(s.refused, func(text string) bool {
				return strings.Contains(text, `"stolen": that it is "stolen" is only said, and get_member tells it in /card`)
			})
			if asked != c.asked {
				t.Errorf("asked for the record: %v, by %q", asked, s.refused)
			}
		})
	}
}

// TestAPastDayIsNoStatus: where the sentences name no day and no hour, the author of a rule that
// goes by the time is asked once to go by what a record says of it.
func TestAPastDayIsNoStatus(t *testing.T) {
	const past, record = `datetime(member.due) > now`, `member.loan_status != "returned"`
	test := func(name, expect, status, due string) string {
		test := strings.Replace(oneTest(name, expect, "0"), `[{"at":"/fines/0/amount","value":"0"}]`, fmt.Sprintf(`[{"at":"/loan_status","value":%q},{"at":"/due","value":%q}]`, quoted(status), quoted(due)), 1)
		return strings.Replace(test, `"now":""`, `"now":"2031-03-01T09:00:00Z"`, 1)
	}
	const member = `{"name":"member","tool":"get_member","args":"{\"member_id\":\"M-1\"}","result":"{\"member_id\":\"M-1\",\"loan_status\":\"running\",\"due\":\"2031-03-02T09:00:00Z\"}"}`
	tests := `{"records":[` + member + `],"tests":[` + test("running", "allow", "running", "2031-03-02T09:00:00Z") + `,` + test("returned", "deny", "returned", "2031-02-02T09:00:00Z") + `],"untested":[]}`
	for sentence, asked := range map[string]bool{
		"A loan that was returned can't be extended.":             true,
		"A loan can't be extended once its last day is over.":     false,
		"Eine Leihe wird nach ihrer Frist nicht mehr verlängert.": false,
	} {
		t.Run(sentence, func(t *testing.T) {
			task := finesTask()
			task.Policy = &policydoc.Policy{Name: "returned", Description: sentence, References: []string{sentence}}
			task.Sentences[0].Text = sentence
			s := &script{t: t, tests: []string{tests}, rules: []string{rule(past), rule(record)}}
			r, err := generator(t, s, nil).Generate(t.Context(), task)
			if err != nil || r.NotEnforced != "" {
				t.Fatalf("got %+v, %v", r, err)
			}
			if got := strings.Contains(s.said(2), "get_member tells it in /loan_status"); got != asked {
				t.Fatalf("asked for the record: %v, the author was told:\n%s", got, s.said(2))
			}
			if got := r.Policy.Require.Text == record; got != asked {
				t.Errorf("the rule is %s", r.Policy.Require.Text)
			}
			if !slices.ContainsFunc(r.Policy.Examples, func(e guard.Example) bool { return e.Expect == label.Deny }) {
				t.Errorf("tests are %+v", r.Policy.Examples)
			}
		})
	}
}
