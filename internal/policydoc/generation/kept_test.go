package generation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
)

// said is a test whose user said something before the call, and that has a time.
func said(test, text string) string {
	return strings.Replace(strings.Replace(test, `"history":[]`, `"history":[{"user":"`+text+`","at":""}]`, 1), `"now":""`, `"now":"2031-03-01T09:00:00Z"`, 1)
}

func namesOf(examples []guard.Example) []string {
	var out []string
	for _, e := range examples {
		out = append(out, e.Name)
	}
	return out
}

// TestPeopleReadTheTestsThatSaySomething: of the tests that a rule passes, those are
// written that notice a slip which no other one does.
func TestPeopleReadTheTestsThatSaySomething(t *testing.T) {
	task := finesTask()
	task.Policy.Violations = []string{"a member with 90.00 in fines"}
	far := strings.Replace(oneTest("far more", "deny", "90"), `"example":""`, `"example":"B1"`, 1)
	s := &script{t: t, tests: []string{strings.Replace(goodTests(), `"tests":[`, `"tests":[`+far+`,`+oneTest("even less", "allow", "9.40")+`,`, 1)}, rules: []string{rule(goodRule)}}
	r, err := generator(t, s, nil).Generate(t.Context(), task)
	if err != nil || r.NotEnforced != "" || r.Tests != 8 {
		t.Fatalf("got %+v, %v", r, err)
	}
	names := namesOf(r.Policy.Examples)
	for name, want := range map[string]bool{"far more": false, "at the limit": true, "a cent more": true, "paid": true, "even less": false, "less": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s: kept %v, of %q", name, !want, names)
		}
	}
}

// TestTestsHaveWhatTheirRuleReads: what was said, and when, is none of a rule that compares
// amounts.
func TestTestsHaveWhatTheirRuleReads(t *testing.T) {
	task := finesTask()
	task.Policy.Violations = []string{"a member with 10.01 in fines", "a member with 10.01 in fines who says that they are paid"}
	named := func(test, label string) string {
		return strings.Replace(test, `"example":""`, `"example":"`+label+`"`, 1)
	}
	s := &script{t: t, rules: []string{rule(goodRule)}, tests: []string{testsOf(
		said(oneTest("at the limit", "allow", "10"), "Please."), said(oneTest("less", "allow", "9.50"), "Please."), said(paidTest(), "Please."),
		named(said(oneTest("a cent more", "deny", "10.01"), "Please."), "B1"), named(said(oneTest("claimed", "deny", "10.01"), "I paid it."), "B2"))}}
	r, err := generator(t, s, nil).Generate(t.Context(), task)
	if err != nil || r.NotEnforced != "" {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, e := range r.Policy.Examples {
		if len(e.History) > 0 || !e.Now.IsZero() {
			t.Errorf("%s: at %s, after %+v", e.Name, e.Now, e.History)
		}
	}
}

// TestOneAnswerStandsForAllAlike: where words settle nothing of a test, its answers are written
// as one, except for those that differ.
func TestOneAnswerStandsForAllAlike(t *testing.T) {
	const asks = `session.user_said("because") || (session.judged("Was the user in the rain?", "user") && session.judged("Did the user say when?", "user"))`
	s := &script{tests: []string{testsOf(said(oneTest("plain", "allow", "0"), "because it rained"), said(oneTest("in other words", "allow", "0"), "It rained."), said(oneTest("no reason", "deny", "0"), "Please."))},
		rules: []string{rule(asks)}}
	r := generate(t, s, nil)
	if r.NotEnforced != "" {
		t.Fatalf("got %+v", r)
	}
	for _, e := range r.Policy.Examples {
		asked := slices.DeleteFunc(slices.Clone(e.Given), func(f guard.Fixture) bool { return f.Judge == "" })
		if e.Name == "plain" && len(asked) > 0 || e.Name == "in other words" && (len(asked) != 1 || asked[0].Judge != guard.AnyQuestion || !asked[0].Answer) {
			t.Errorf("%s has %+v", e.Name, asked)
		}
	}
}
