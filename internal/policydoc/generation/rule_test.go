package generation_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/label"
)

func TestARuleThatPassesIsDone(t *testing.T) {
	s := &script{tests: []string{goodTests()}, rules: []string{rule(goodRule)}}
	r := generate(t, s, nil)
	if r.NotEnforced != "" || r.Attempts != 1 || r.Survived != 0 || r.Killed == 0 || len(r.Contested) != 0 {
		t.Fatalf("got %+v, and the author was told:\n%s", r, s.said(2))
	}
	p := r.Policy
	if p.Name != "no-unpaid-fines" || !slices.Equal(p.References, []string{finesSentence}) || p.Require.Text != goodRule || p.Otherwise != label.Deny || len(p.Examples) != 6 {
		t.Errorf("got %+v", p)
	}
}

func TestMistakesInARuleGoBack(t *testing.T) {
	for name, c := range map[string]struct {
		first string
		want  []string // of what the author is told
	}{
		"an argument that there isn't":  {rule("args.dayz < 3 && " + goodRule), []string{"require, line 1, column 5", "undefined field 'dayz'", "\n        ^", "args.dayz < 3"}},
		"a wrong type":                  {rule("args.days < \"3\""), []string{"require, line 1, column 11", "no matching overload"}},
		"a syntax error":                {rule("member.fines.exists(f,"), []string{"require, line 1", "Syntax error"}},
		"no text":                       {rule(" "), []string{"require: write what must be true"}},
		"no message":                    {strings.Replace(rule(goodRule), "The member", "", 1), nil},
		"always true":                   {rule("true"), []string{"it is the same for every call"}},
		"never true":                    {rule("!(true)"), []string{"it is the same for every call"}},
		"a reserved name":               {strings.Replace(rule(goodRule), `"name":"member"`, `"name":"session"`, 1), []string{`"session" can't be the name of a variable`}},
		"a tool that does more":         {rule(`tools.waive_fine({"member_id": "M-1"}) == 1`), []string{`may do more than read`}},
		"a look-up with wrong argument": {rule(`tools.get_copy({"copy": args.copy_id}).due == ""`), []string{`get_copy has no argument "copy"`}},
		"a value of the tests":          {rule(goodRule + ` || args.copy_id == "C-1"`), []string{`require: it compares with "C-1", which only tests have`}},
		"a long message":                {strings.Replace(rule(goodRule), "The member", strings.Repeat("The member ", 60), 1), []string{"in at most 600 bytes"}},
		"an allow-all in disguise":      {rule(`args.days > 0 || args.days <= 0`), []string{"fails 3 of its 6 tests", "T2 (a cent more) expects deny, but the rule says allow"}},
		"a limit that is off":           {rule(`member.fines.filter(f, !f.paid).map(f, f.amount).sum() < 10`), []string{"fails 1 of its 6 tests", "T1 (at the limit) expects allow, but the rule says deny"}},
		"a field that there isn't":      {rule(`member.fine <= 10`), []string{"T1 (at the limit) expects allow, but the rule can't be decided: no such key: fine"}},
		"a look-up without a result":    {rule(goodRule + ` && tools.get_copy({"copy_id": args.copy_id}).due != ""`), []string{"the example gives nothing for get_copy"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == nil {
				c.first = strings.Replace(rule(goodRule), `"message":"The member has more than 10.00 in unpaid fines. Ask them to pay first."`, `"message":" "`, 1)
				c.want = []string{"message: say what is wrong"}
			}
			s := &script{tests: []string{goodTests()}, rules: []string{c.first, rule(goodRule)}}
			r := generate(t, s, nil)
			if r.NotEnforced != "" || r.Attempts != 2 {
				t.Fatalf("got %+v", r)
			}
			for _, want := range c.want {
				if !strings.Contains(s.said(2), want) {
					t.Errorf("the author isn't told %q:\n%s", want, s.said(2))
				}
			}
		})
	}
}

func TestAWordOfThePolicyIsNoValueOfTheTests(t *testing.T) {
	s := &script{t: t, rules: []string{rule(`member.tier == "tier_1"`)}, tests: []string{strings.NewReplacer(`\"fines\":[{\"amount\":0,\"paid\":false}]`, `\"tier\":\"tier_1\"`, `"/fines/0/amount"`, `"/tier"`).Replace(
		testsOf(oneTest("first", "allow", `"tier_1"`), oneTest("second", "deny", `"tier_2"`)))}}
	task := finesTask()
	task.Policy.Description, task.Sentences[0].Text = "Only members of tier 1.", "Only members of tier 1 can extend."
	r, err := generator(t, s, nil).Generate(t.Context(), task)
	if err != nil || r.NotEnforced != "" || r.Attempts != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
}

func TestWhatTestsDontTellIsAsked(t *testing.T) {
	few := testsOf(oneTest("some", "allow", "5"), oneTest("much", "deny", "100"), paidTest())
	said := func(label, verdict string) string {
		return fmt.Sprintf(`{"call":%q,"words":"more than 10.00 in unpaid fines","verdict":%q}`, label, verdict)
	}
	t.Run("the answer becomes a test", func(t *testing.T) {
		s := &script{tests: []string{few}}
		s.rules = []string{rule(goodRule), "later"}
		// What is asked is known when it is asked.
		m := modelFunc(func(ctx context.Context, p llm.Prompt) (*llm.Answer, error) {
			if p.Stage == "rule" && len(p.Messages) > 1 {
				var calls []string
				for _, c := range regexp.MustCompile(`(?s)- Call (S\d+): .*?your rule says (\w+)`).FindAllStringSubmatch(p.Messages[len(p.Messages)-1].Text, -1) {
					calls = append(calls, said(c[1], c[2]))
				}
				s.rules[0] = answered(goodRule, strings.Join(calls, ","))
			}
			return s.Complete(ctx, p)
		})
		s.t = t
		r, err := generator(t, m, func(o *generation.Options) { o.Attempts = 3 }).Generate(t.Context(), finesTask())
		if err != nil {
			t.Fatal(err)
		}
		sound(t, library(t), "extend_loan", r)
		if r.NotEnforced != "" || r.Attempts < 2 || len(r.Policy.Examples) <= 3 {
			t.Fatalf("got %+v", r)
		}
		if want := `but get_member/fines/0/amount is 10`; !strings.Contains(s.said(2), want) {
			t.Errorf("the author isn't told %q:\n%s", want, s.said(2))
		}
	})
	t.Run("a rule that is wrong there is corrected", func(t *testing.T) {
		wrong := `member.fines.filter(f, !f.paid).map(f, f.amount).sum() <= 50`
		s := &script{tests: []string{few}, rules: []string{rule(wrong), answered(wrong, "", oneTest("a cent more", "deny", "10.01"), oneTest("at the limit", "allow", "10")), rule(goodRule)}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 3 })
		if r.NotEnforced != "" || r.Attempts != 3 || r.Policy.Require.Text != goodRule || len(r.Policy.Examples) != 5 {
			t.Fatalf("got %+v", r)
		}
		if !strings.Contains(s.said(3), "(a cent more) expects deny") {
			t.Errorf("the author is told:\n%s", s.said(3))
		}
	})
	t.Run("a rule that passed before is nothing once a test tells otherwise", func(t *testing.T) {
		wrong := `member.fines.filter(f, !f.paid).map(f, f.amount).sum() <= 50`
		s := &script{tests: []string{few}, rules: []string{rule(wrong), answered(wrong, "", oneTest("a cent more", "deny", "10.01")), rule(wrong)}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 3 })
		if r.NotEnforced == "" || !strings.Contains(r.NotEnforced, "the last fails: T4 (a cent more) expects deny") {
			t.Fatalf("got %+v", r)
		}
	})
	t.Run("what the second reader contradicts becomes none", func(t *testing.T) {
		read := func(verdict string) string {
			return `{"readings":[{"call":"C1","words":"Members with more than 10.00","reason":"r","verdict":"` + verdict + `"}]}`
		}
		s := &script{tests: []string{few}, rules: []string{rule(goodRule), answered(goodRule, "", oneTest("at the limit", "allow", "10"))},
			reads: []string{`{"readings":[` + undecided("C1") + `,` + undecided("C2") + `,` + undecided("C3") + `]}`, read("deny")}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if r.NotEnforced != "" || len(r.Policy.Examples) != 3 || !strings.Contains(r.Contested["at the limit"], "the sentences say deny") {
			t.Fatalf("got %+v", r)
		}
	})
	t.Run("nothing is asked twice", func(t *testing.T) {
		s := &script{tests: []string{few}, rules: []string{rule(goodRule), answered(goodRule, ""), answered(goodRule, ""), answered(goodRule, ""), answered(goodRule, "")}}
		r := generate(t, s, nil)
		first, again := regexp.MustCompile(`(?m)but .*$`).FindAllString(s.said(2), -1), s.said(3)
		if r.NotEnforced != "" || r.Survived == 0 || len(first) == 0 {
			t.Fatalf("got %+v:\n%s", r, s.said(2))
		}
		for _, line := range first {
			if strings.Contains(again, line) {
				t.Errorf("%q is asked again", line)
			}
		}
	})
}

func TestARuleThatIsNeverFoundStopsCalls(t *testing.T) {
	for name, c := range map[string]struct {
		script    script
		otherwise label.Verdict
		want      string
		reason    string
	}{
		"tests fail": {script{tests: []string{goodTests()}, rules: []string{rule("args.days > 1"), rule("args.days > 2"), rule("args.days > 3")}}, "", "hand the request over to a person",
			"no expression was found that passes the tests, in 3 attempts; the last fails: T2 (a cent more) expects deny"},
		"it has mistakes": {script{tests: []string{goodTests()}, rules: []string{rule("true"), rule("args.dayz"), rule("args.dayz")}}, label.Ask, "A person has to look at this call.",
			"the last has a mistake: require, line 1, column 5"},
		"no tests": {script{tests: []string{`{}`}}, label.Deny, "hand the request over", "no answer of the model was valid"},
	} {
		t.Run(name, func(t *testing.T) {
			r := generate(t, &c.script, func(o *generation.Options) { o.Attempts, o.Otherwise = 3, c.otherwise })
			if !strings.Contains(r.NotEnforced, c.reason) || !strings.Contains(r.Policy.Message, c.want) || !strings.Contains(r.Policy.Message, finesTask().Policy.Description) {
				t.Fatalf("got %q, %q", r.NotEnforced, r.Policy.Message)
			}
			want := c.otherwise
			if want == "" {
				want = label.Deny
			}
			if r.Policy.Otherwise != want || !slices.Equal(r.Policy.References, []string{finesSentence}) {
				t.Errorf("got %+v", r.Policy)
			}
		})
	}
}

func TestATestThatTheReaderLeftOpenCanBeDisputed(t *testing.T) {
	// Nobody says that a member with an even number can't extend.
	odd := func(name string) string { return oneTest(name, "deny", "2") }
	tests := strings.TrimSuffix(goodTests(), "]}") + "," + odd("little") + "]}"
	agrees := func(last string) string {
		words := fmt.Sprintf(`"words":%q,"reason":"r"`, finesSentence)
		var all []string
		for i, v := range []string{"allow", "deny", "deny", "allow", "deny", "allow", last} {
			all = append(all, fmt.Sprintf(`{"call":"C%d",%s,"verdict":%q}`, i+1, words, v))
		}
		return `{"readings":[` + strings.Join(all, ",") + `]}`
	}
	disputes := func(tests ...string) string {
		var all []string
		for _, label := range tests {
			all = append(all, fmt.Sprintf(`{"test":%q,"reason":"2 is not more than 10"}`, label))
		}
		return strings.TrimSuffix(rule(goodRule), "}") + `,"disputed":[` + strings.Join(all, ",") + `]}`
	}
	t.Run("it is taken out, and its reason kept", func(t *testing.T) {
		s := &script{tests: []string{tests}, reads: []string{agrees("undecided")}, rules: []string{rule(goodRule), disputes("T7")}}
		r := generate(t, s, nil)
		if r.NotEnforced != "" || r.Attempts != 2 || len(r.Policy.Examples) != 6 || !strings.Contains(r.Contested["little"], "the author of the rule says: 2 is not more than 10.") {
			t.Fatalf("got %+v", r)
		}
		if !strings.Contains(s.said(2), "leave some of them open: T7.") {
			t.Errorf("the author is told:\n%s", s.said(2))
		}
	})
	t.Run("not one that the reader is sure of", func(t *testing.T) {
		s := &script{tests: []string{tests}, reads: []string{agrees("deny")}, rules: []string{rule(goodRule), disputes("T7"), rule(goodRule)}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if !strings.Contains(r.NotEnforced, "the last fails: T7 (little) expects deny") || len(r.Contested) != 0 || strings.Contains(s.said(2), "disputed") || len(s.refused) != 1 {
			t.Fatalf("got %+v", r)
		}
	})
	t.Run("not one that the rule passes", func(t *testing.T) {
		s := &script{tests: []string{tests}, rules: []string{rule(goodRule), disputes("T1", "T7"), disputes("T7")}}
		r := generate(t, s, nil)
		if r.NotEnforced != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], "/disputed/0/test: only those that fail and were left open") {
			t.Fatalf("refused %q, got %+v", s.refused, r)
		}
	})
	t.Run("not the last of a verdict", func(t *testing.T) {
		few := testsOf(oneTest("some", "allow", "5"), odd("little"))
		s := &script{tests: []string{few}, rules: []string{rule(goodRule), disputes("T2"), disputes(), disputes("T2")}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if r.NotEnforced == "" || len(r.Contested) != 0 || !strings.Contains(s.refused[0], "no more tests can be taken out") {
			t.Fatalf("refused %q, got %+v", s.refused, r)
		}
	})
}
