package generation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
)

func TestTestsThatTheSentencesContradictAreTakenOut(t *testing.T) {
	wrong := testsOf(oneTest("at the limit", "allow", "10"), oneTest("a cent more", "deny", "10.01"), oneTest("the limit is no limit", "deny", "10"), oneTest("little", "allow", "1"), oneTest("the next", "deny", "10.99"), oneTest("less", "allow", "9.5"), paidTest())
	reading := func(verdicts ...string) string {
		var all []string
		for i, v := range verdicts {
			words := "more than 10.00 in unpaid fines"
			if v == "undecided" {
				words = ""
			}
			all = append(all, fmt.Sprintf(`{"call":"C%d","words":%q,"reason":"ten is not more than ten","verdict":%q}`, i+1, words, v))
		}
		return `{"readings":[` + strings.Join(all, ",") + `]}`
	}
	t.Run("the others remain", func(t *testing.T) {
		s := &script{tests: []string{wrong}, reads: []string{reading("allow", "deny", "allow", "undecided", "deny", "allow", "allow")}, rules: []string{rule(goodRule), answered(goodRule, "")}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		want := `the sentences say allow: ten is not more than ten. ("more than 10.00 in unpaid fines")`
		if r.NotEnforced != "" || len(r.Contested) != 1 || r.Contested["the limit is no limit"] != want || r.Tests != 6 {
			t.Fatalf("got %+v", r)
		}
	})
	t.Run("none is left, and others are written", func(t *testing.T) {
		only := testsOf(oneTest("at the limit", "allow", "10"), oneTest("the limit is no limit", "deny", "10"))
		s := &script{tests: []string{only, testsOf(oneTest("a cent more", "deny", "10.01"), oneTest("the next", "deny", "10.99"), oneTest("less", "allow", "9.5"), paidTest())},
			reads: []string{reading("allow", "allow")}, rules: []string{rule(goodRule), answered(goodRule, "")}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if r.NotEnforced != "" || r.Tests != 5 {
			t.Fatalf("got %+v", r)
		}
		told := s.prompts[2].Messages
		if len(told) != 3 || !strings.Contains(told[2].Text, "No test is left that expects a call to be denied") || !strings.Contains(told[2].Text, "ten is not more than ten") {
			t.Errorf("the author is told %q", told)
		}
	})
	t.Run("none is left at all", func(t *testing.T) {
		only := testsOf(oneTest("at the limit", "allow", "10"), oneTest("the limit is no limit", "deny", "10"))
		again := testsOf(oneTest("ten and nothing", "deny", "10.0"))
		s := &script{tests: []string{only, again}, reads: []string{reading("allow", "allow"), reading("allow")}}
		r := generate(t, s, nil)
		if !strings.Contains(r.NotEnforced, "no test was left that expects deny") || r.Attempts != 0 || len(r.Contested) != 2 {
			t.Fatalf("got %+v", r)
		}
	})
	t.Run("sentences that only explain decide nothing", func(t *testing.T) {
		s := &script{t: t, tests: []string{goodTests()}, rules: []string{rule(goodRule)}, reads: []string{
			`{"readings":[{"call":"C1","words":"Members must be asked","reason":"r","verdict":"deny"},` + undecided("C2") + `,` + undecided("C3") + `,` + undecided("C4") + `,` + undecided("C5") + `,` + undecided("C6") + `]}`}}
		task := finesTask()
		task.Context = []document.Sentence{{Text: "Members must be asked."}}
		r, err := generator(t, s, nil).Generate(t.Context(), task)
		if err != nil || r.NotEnforced != "" || len(r.Contested) != 0 || len(s.refused) != 1 {
			t.Fatalf("got %+v, %v, refused %q", r, err, s.refused)
		}
	})
	t.Run("words that stand nowhere are not a reading", func(t *testing.T) {
		s := &script{tests: []string{goodTests()}, reads: []string{strings.ReplaceAll(reading("allow", "deny", "allow", "allow", "deny", "allow"), "more than 10.00 in", "at least 10.00 in"),
			reading("allow", "deny", "deny", "allow", "deny", "allow")}, rules: []string{rule(goodRule)}}
		if r := generate(t, s, nil); r.NotEnforced != "" || !strings.Contains(s.refused[0], "/readings/0/words: they don't stand in the sentences") {
			t.Fatalf("got %+v, refused %q", r, s.refused)
		}
	})
}

func TestTestsThatAreNoCallsGoBack(t *testing.T) {
	good := goodTests()
	swap := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, c := range map[string]struct{ tests, want string }{
		"an argument that there isn't":     {swap(`\"days\":7`, `\"dais\":7`), `/tests/0/args: in the arguments of extend_loan: the member "days" is missing`},
		"an argument of another type":      {swap(`\"days\":7`, `\"days\":\"7\"`), "/tests/0/args: in the arguments of extend_loan: /days: it must be integer, not string"},
		"arguments that aren't JSON":       {swap(`"args":"{\"copy_id\":\"C-1\",\"member_id\":\"M-1\",\"days\":7}"`, `"args":"days 7"`), "/tests/0/args: it must be the text of a JSON object"},
		"a look-up's arguments":            {swap(`{\"member_id\":\"M-1\"}"`, `{\"member\":\"M-1\"}"`), "/records/0/args: in the arguments of get_member"},
		"a tool that doesn't only read":    {swap(`"tool":"get_member"`, `"tool":"waive_fine"`), "/records/0/tool: waive_fine can't be looked up with; there are"},
		"a record that there isn't":        {swap(`"record":"member"`, `"record":"membre"`), "/tests/0/given/0/record: there is no record membre"},
		"a place that there isn't":         {swap(`"at":"/fines/0/amount"`, `"at":"/fees/0"`), `/tests/0/given/0/changes/0/at: /fees/0: there is no "fees"; there are fines, member_id`},
		"a time without a zone":            {swap(`"now":""`, `"now":"2031-03-01T09:00:00"`), "/tests/0/now: write the time with its zone"},
		"a name twice":                     {swap(`"a cent more"`, `"at the limit"`), "/tests/1/name: give every test a name of its own"},
		"a tool in the history":            {swap(`"history":[]`, `"history":[{"call":{"tool":"get_book","args":"{}","result":""},"at":""}]`), "/tests/0/history/0/call/tool: there is no tool get_book"},
		"arguments in the history":         {swap(`"history":[]`, `"history":[{"call":{"tool":"get_copy","args":"{\"copy\":1}","result":""},"at":""}]`), "/tests/0/history/0/call/args: in the arguments of get_copy"},
		"a declared result in the history": {swap(`"history":[]`, `"history":[{"call":{"tool":"get_copy","args":"{\"copy_id\":\"C-1\"}","result":"{\"copy_id\":1}"},"at":""}]`), "/tests/0/history/0/call/result: it isn't as get_copy returns it: /copy_id: it must be string"},
		"nothing that happened":            {swap(`"history":[]`, `"history":[{"at":""}]`), "/tests/0/history/0: say what happened"},
		"more than a file can have":        {swap(`"history":[]`, `"history":[{"user":"`+strings.Repeat("a", guard.MaxFile)+`","at":""}]`), "/tests/0: it can't be written to a file"},
		"a label of nothing":               {swap(`"labels":[]`, `"labels":[{"at":"/to","trust":"USER"}]`), "/tests/0/labels/0/at: there is no text or number at /to"},
		"a judge that there isn't":         {swap(`"given":[`, `"given":[{"judge":"q?","answer":true},`), "/tests/0/given/0: there is no judge here"},
		"only calls to allow":              {strings.ReplaceAll(good, `"deny"`, `"allow"`), "/tests: none is expected to be denied"},
		"only calls to deny":               {strings.ReplaceAll(good, `"allow"`, `"deny"`), "/tests: none is expected to be allowed"},
		"another form":                     {`{"tests":{}}`, "the answer isn't as asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{tests: []string{c.tests, good}, rules: []string{rule(goodRule)}}
			r := generate(t, s, nil)
			if r.NotEnforced != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], c.want) {
				t.Fatalf("refused %q, want %q", s.refused, c.want)
			}
		})
	}
}

// TestATextIsWhyACallFailed has a call return an error as tools write it.
func TestATextIsWhyACallFailed(t *testing.T) {
	s := &script{tests: []string{strings.Replace(goodTests(), `"history":[]`, `"history":[{"call":{"tool":"get_copy","args":"{\"copy_id\":\"C-1\"}","result":"Error: there is no such copy"},"at":""}]`, 1)}, rules: []string{rule(goodRule)}}
	if r := generate(t, s, nil); r.NotEnforced != "" || len(s.refused) > 0 {
		t.Errorf("got %+v, refused %q", r, s.refused)
	}
}

func TestResultsInTestsAreShapedLikeSamples(t *testing.T) {
	samples := map[string][]json.RawMessage{"get_member": {
		json.RawMessage(`{"member_id": "M-9", "name": "Ann", "fines": [{"amount": 1.5, "paid": false, "for": "late"}]}`),
		json.RawMessage(`"{\"member_id\": \"M-8\", \"name\": null, \"fines\": []}"`),
	}}
	// The scope knows the server by the file that the tools are from.
	scope := library(t)
	for _, c := range scope.Contracts {
		samples[policydoc.Key(c.Server, "get_member")] = samples["get_member"]
	}
	whole := strings.ReplaceAll(goodTests(), `\"fines\":[{\"amount\":0,\"paid\":false}]`, `\"name\":\"Bob\",\"fines\":[{\"amount\":0,\"paid\":false,\"for\":\"lost\"}]`)
	whole = strings.ReplaceAll(whole, `{\"amount\":6,\"paid\":false}`, `{\"amount\":6,\"paid\":false,\"for\":\"late\"}`)
	s := &script{tests: []string{goodTests(), whole}, rules: []string{rule(goodRule)}}
	r := generate(t, s, func(o *generation.Options) { o.Results = samples })
	want := `/tests/0/given/0: the result of get_member isn't as it returns it: the member "name" is missing`
	if r.NotEnforced != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], want) {
		t.Fatalf("refused %q, want %q", s.refused, want)
	}
	if strings.Contains(s.prompts[0].System, `"judge"`) || strings.Contains(string(s.prompts[0].Schema.JSON), `"judge"`) {
		t.Error("the author of the tests is told of a judge that there isn't")
	}
	for _, want := range []string{"{fines: list of {amount: number; for: string; paid: boolean}; member_id: string; name: string, or null}", `one result, abridged: {"fines":[{"amount":1.5`} {
		if !strings.Contains(s.prompts[0].Messages[0].Text, want) {
			t.Errorf("the author of the tests isn't told %q:\n%s", want, s.prompts[0].Messages[0].Text)
		}
	}
}

// An answer is sent back twice for anything; what is right of the next is taken.
func TestTestsThatStayWrongAreLeftOut(t *testing.T) {
	bad := strings.Replace(goodTests(), `\"days\":7`, `\"days\":\"7\"`, 1)
	s := &script{tests: []string{bad, bad, bad}, rules: []string{rule(goodRule), answered(goodRule, "")}}
	r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
	if r.NotEnforced != "" || len(s.refused) != 2 || r.Tests != 5 {
		t.Fatalf("refused %q, got %+v", s.refused, r)
	}
	onlyBad := testsOf(strings.Replace(oneTest("at the limit", "allow", "10"), `\"days\":7`, `\"days\":\"7\"`, 1), oneTest("a cent more", "deny", "10.01"))
	s = &script{tests: []string{onlyBad, onlyBad, onlyBad}}
	if r := generate(t, s, nil); !strings.Contains(r.NotEnforced, "no answer of the model was valid") {
		t.Fatalf("got %+v", r)
	}
}

func TestReadingsThatStayWrongAreUndecided(t *testing.T) {
	made := `{"readings":[{"call":"C1","words":"at least eleven","reason":"r","verdict":"deny"},` + undecided("C2") + `,` + undecided("C3") + `,` + undecided("C4") + `,` + undecided("C5") + `]}`
	s := &script{tests: []string{goodTests()}, reads: []string{made, made, made}, rules: []string{rule(goodRule)}}
	r := generate(t, s, nil)
	if r.NotEnforced != "" || len(s.refused) != 2 || len(r.Contested) != 0 || r.Tests != 6 {
		t.Fatalf("refused %q, got %+v", s.refused, r)
	}
	if want := "/readings/0/words: they don't stand in the sentences"; !strings.Contains(s.refused[0], want) || !strings.Contains(s.refused[0], "there is none for C6") {
		t.Errorf("refused %q", s.refused[0])
	}
}
