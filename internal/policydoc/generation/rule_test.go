package generation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
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
	if p.Name != "no-unpaid-fines" || !slices.Equal(p.References, []string{finesSentence}) || p.Require.Text != goodRule || p.Otherwise != label.Deny || r.Tests != 6 {
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

// reads is a script whose second reader is exact about amounts.
func reads(s *script, limit float64) generation.Model {
	return modelFunc(func(ctx context.Context, p llm.Prompt) (*llm.Answer, error) {
		if p.Stage == "reading" {
			s.reads = []string{exact(p.Messages[0].Text, limit)}
		}
		return s.Complete(ctx, p)
	})
}

func TestWhatTestsDontTellIsReadByTheSecondReader(t *testing.T) {
	few := testsOf(oneTest("some", "allow", "5"), oneTest("much", "deny", "100"), paidTest())
	run := func(t *testing.T, s *script, limit float64, attempts int) *generation.Result {
		t.Helper()
		s.t = t
		r, err := generator(t, reads(s, limit), func(o *generation.Options) { o.Attempts = attempts }).Generate(t.Context(), finesTask())
		if err != nil {
			t.Fatal(err)
		}
		sound(t, library(t), "extend_loan", r)
		return r
	}
	t.Run("what it says as the rule does is a test, and nobody asks the author", func(t *testing.T) {
		s := &script{tests: []string{few}, rules: []string{rule(goodRule)}}
		r := run(t, s, 10, 3)
		if r.NotEnforced != "" || r.Attempts != 1 || r.Tests <= 3 {
			t.Fatalf("got %+v", r)
		}
		if !slices.ContainsFunc(r.Policy.Examples, func(e guard.Example) bool { return strings.Contains(e.Name, "but get_member/fines/0/amount is 10") }) {
			t.Errorf("no test is at the limit: %+v", r.Policy.Examples)
		}
	})
	t.Run("what it contradicts goes to the author, who corrects the rule", func(t *testing.T) {
		s := &script{tests: []string{few}}
		wrong := `member.fines.filter(f, !f.paid).map(f, f.amount).sum() <= 50`
		s.rules = []string{rule(wrong), answered(goodRule, `{"call":"S1","words":"more than 10.00 in unpaid fines","verdict":"deny"}`)}
		r := run(t, s, 10, 3)
		if r.NotEnforced != "" || r.Attempts != 2 || r.Policy.Require.Text != goodRule || r.Tests <= 3 {
			t.Fatalf("got %+v", r)
		}
		for _, want := range []string{"S1: as in the test", "The rule says allow; the reader says deny", `("more than 10.00 in unpaid fines")`} {
			if !strings.Contains(s.said(2), want) {
				t.Errorf("the author isn't told %q:\n%s", want, s.said(2))
			}
		}
	})
	t.Run("where the two disagree there is no test", func(t *testing.T) {
		s := &script{tests: []string{few}, rules: []string{rule(goodRule), answered(goodRule, `{"call":"S1","words":"more than 10.00 in unpaid fines","verdict":"allow"}`)}}
		r := run(t, s, 7, 2)
		if r.NotEnforced != "" || r.Policy.Require.Text != goodRule {
			t.Fatalf("got %+v", r)
		}
		for _, e := range r.Policy.Examples {
			if e.Expect == label.Deny && strings.Contains(e.Name, "amount is 9") {
				t.Errorf("the reader alone decided %s", e.Name)
			}
		}
	})
	t.Run("nothing is read twice", func(t *testing.T) {
		s := &script{tests: []string{few}, rules: []string{rule(goodRule)}}
		run(t, s, 10, 3)
		seen := map[string]bool{}
		for _, p := range s.prompts {
			if text := p.Messages[0].Text; p.Stage == "reading" && seen[text] {
				t.Errorf("it is read twice:\n%s", text)
			} else if p.Stage == "reading" {
				seen[text] = true
			}
		}
	})
}

func TestExamplesInWordsAreTests(t *testing.T) {
	task := finesTask()
	task.Policy.Compliance, task.Policy.Violations = []string{"a member with 10.00 in fines"}, []string{"a member with 10.01 in fines", "a rude member"}
	with := func(test, label string) string {
		return strings.Replace(test, `"example":""`, `"example":"`+label+`"`, 1)
	}
	tests := func(untested string, tests ...string) string {
		return strings.Replace(testsOf(tests...), `"untested":[]`, `"untested":[`+untested+`]`, 1)
	}
	rude := `{"example":"B2","reason":"the sentences say nothing of it"}`
	kept, broken := oneTest("at the limit", "allow", "10"), oneTest("a cent more", "deny", "10.01")
	for name, c := range map[string]struct{ first, want string }{
		"one has no test":          {tests(rude, with(kept, "K1"), broken), "no test is the call in words B1"},
		"a verdict is another one": {tests(rude, with(kept, "B1"), with(broken, "K1")), "the test expects allow, and the words are of a call to deny"},
		"there is no such label":   {tests(rude, with(kept, "K7"), with(broken, "B1")), "there is no call in words that is called K7"},
		"no reason is given":       {tests(strings.Replace(rude, "the sentences say nothing of it", " ", 1), with(kept, "K1"), with(broken, "B1")), "say why it can't be a test"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t, tests: []string{c.first, tests(rude, with(kept, "K1"), with(broken, "B1"))}, rules: []string{rule(goodRule)}}
			r, err := generator(t, s, nil).Generate(t.Context(), task)
			if err != nil || r.NotEnforced != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], c.want) {
				t.Fatalf("refused %q, got %+v, %v", s.refused, r, err)
			}
			if len(r.Untested) != 1 || r.Untested["a rude member"] != "the sentences say nothing of it" {
				t.Errorf("untested are %q", r.Untested)
			}
		})
	}
	t.Run("one that the second reader contradicts is none", func(t *testing.T) {
		s := &script{t: t, tests: []string{tests(rude, with(kept, "K1"), with(broken, "B1"), oneTest("much", "deny", "50"), oneTest("less", "allow", "1"))}, rules: []string{rule(goodRule)},
			reads: []string{`{"readings":[{"call":"C1","words":"more than 10.00","reason":"r","verdict":"deny"},` + undecided("C2") + `,` + undecided("C3") + `,` + undecided("C4") + `]}`}}
		r, err := generator(t, s, nil).Generate(t.Context(), task)
		if err != nil || !strings.Contains(r.Untested["a member with 10.00 in fines"], "the sentences say deny") {
			t.Fatalf("got %+v, %v", r, err)
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
		"tests fail": {script{tests: []string{goodTests()}, rules: []string{rule("args.days > 1"), rule("args.days > 2"), rule("args.days > 3")}}, "", "A person has to look at this call.",
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
				want = label.Ask
			}
			if r.Policy.Otherwise != want || !slices.Equal(r.Policy.References, []string{finesSentence}) {
				t.Errorf("got %+v", r.Policy)
			}
		})
	}
}

func TestARuleThatIsNeverFoundKeepsToTheCallsThatItAppliesTo(t *testing.T) {
	short := func(name, amount string) string {
		return strings.Replace(oneTest(name, "allow", amount), `\"days\":7`, `\"days\":1`, 1)
	}
	tests := strings.Replace(goodTests(), `],"untested"`, ","+short("one day", "40")+","+short("one day, no fine", "0")+`],"untested"`, 1)
	for name, c := range map[string]struct {
		require, want string
		otherwise     label.Verdict
	}{
		"an alternative that lets denied calls pass goes": {`args.days <= 3 || member.fines.map(f, f.amount).sum() <= 50`, "(args.days <= 3)", ""},
		"what else is sure stays":                         {`member.fines.size() == 0 || args.days <= 3 || member.fines.size() == 1`, "(member.fines.size() == 0 || args.days <= 3)", label.Deny},
		"a rule that stops too much asks":                 {`args.days <= 3 || member.fines.map(f, f.amount).sum() < 10`, "args.days <= 3 || member.fines.map(f, f.amount).sum() < 10", ""},
		"a condition without such a part asks always":     {`args.days >= 1 && args.days <= 30`, "", ""},
		"a value of the tests is none":                    {`args.days <= 3 || args.copy_id == "C-1"`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{tests: []string{tests}, rules: []string{rule(c.require), rule("args.dayz")}}
			r := generate(t, s, func(o *generation.Options) { o.Attempts, o.Otherwise = 2, c.otherwise })
			if got := r.Policy.Require.Text; got != c.want {
				t.Fatalf("it asks unless %q", got)
			}
			if r.NotEnforced == "" || r.Policy.Otherwise == "" || !strings.Contains(r.Policy.Message, finesTask().Policy.Description) {
				t.Errorf("got %+v", r)
			}
			if c.want == "" {
				return
			}
			for _, e := range r.Policy.Examples {
				if e.Expect != label.Allow && e.Expect != r.Policy.Otherwise {
					t.Errorf("%s expects %s", e.Name, e.Expect)
				}
			}
		})
	}
}

func TestATestThatTheReaderLeftOpenCanBeDisputed(t *testing.T) {
	// No sentence says that a member with an even number can't extend.
	odd := func(name string) string { return oneTest(name, "deny", "2") }
	tests := strings.Replace(goodTests(), `],"untested"`, ","+odd("little")+`],"untested"`, 1)
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
		if r.NotEnforced != "" || r.Attempts != 2 || r.Tests != 6 || !strings.Contains(r.Contested["little"], "the author of the rule says: 2 is not more than 10.") {
			t.Fatalf("got %+v", r)
		}
		if !strings.Contains(s.said(2), "rest on one reading alone: T7.") {
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
		if r.NotEnforced != "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], "/disputed/0/test: only those that are named as such") {
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

// TestATestThatWordsCantTellCanBeDisputed: a call to deny in which what the sentences ask
// for was said, but of something else, is a test that the author of the rule may take out
// instead of leaving all calls to the judge.
func TestATestThatWordsCantTellCanBeDisputed(t *testing.T) {
	said := func(name, expect, words string) string {
		return strings.Replace(oneTest(name, expect, "0"), `"history":[]`, `"history":[{"user":"`+words+`","at":""}]`, 1)
	}
	tests := testsOf(said("named", "allow", "Extend C-1, please."), said("not named", "deny", "Extend something."), said("named for another thing", "deny", "What is C-1 worth?"))
	const stated = `session.stated(args.copy_id)`
	disputes := func(test string) string {
		return strings.TrimSuffix(rule(stated), "}") + `,"disputed":[{"test":"` + test + `","reason":"it was named, for another thing"}]}`
	}
	answers := func() []string {
		words := fmt.Sprintf(`"words":%q,"reason":"r"`, finesSentence)
		return []string{`{"readings":[{"call":"C1",` + words + `,"verdict":"allow"},{"call":"C2",` + words + `,"verdict":"deny"},{"call":"C3",` + words + `,"verdict":"deny"}]}`}
	}
	t.Run("it is taken out, and its reason kept", func(t *testing.T) {
		s := &script{tests: []string{tests}, reads: answers(), rules: []string{rule(stated), disputes("T3")}}
		r := generate(t, s, nil)
		if r.NotEnforced != "" || r.Policy.Require.Text != stated || !strings.HasPrefix(r.Contested["named for another thing"], "words can't tell it from calls to allow") {
			t.Fatalf("got %+v", r)
		}
		if !strings.Contains(s.said(2), "it asks what was said: T3.") {
			t.Errorf("the author is told:\n%s", s.said(2))
		}
	})
	t.Run("not where the rule asks for no words", func(t *testing.T) {
		s := &script{tests: []string{tests}, reads: answers(), rules: []string{rule(goodRule), disputes("T3"), rule(goodRule)}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if r.NotEnforced == "" || len(r.Contested) != 0 || len(s.refused) != 1 {
			t.Fatalf("refused %q, got %+v", s.refused, r)
		}
	})
	t.Run("a rule that asks the judge for its sake can do without", func(t *testing.T) {
		const asks = stated + ` && (session.user_said("please") || session.judged("Was it named to be extended?", "user"))`
		s := &script{tests: []string{tests}, reads: answers(), rules: []string{rule(asks), disputes("T3")}}
		r := generate(t, s, nil)
		if r.NotEnforced != "" || r.Policy.Require.Text != stated || len(r.Contested) != 1 || r.Attempts != 2 {
			t.Fatalf("got %+v", r)
		}
		if !strings.Contains(s.said(2), "for these tests alone: T3.") {
			t.Errorf("the author is told:\n%s", s.said(2))
		}
		again := &script{tests: []string{tests}, reads: answers(), rules: []string{rule(asks), strings.TrimSuffix(rule(asks), "}") + `,"disputed":[]}`}}
		if r := generate(t, again, nil); r.Policy.Require.Text != asks || len(r.Contested) != 0 || r.Attempts != 2 {
			t.Fatalf("one that stays as it is: got %+v", r)
		}
	})
	t.Run("not the last call to deny", func(t *testing.T) {
		few := testsOf(said("named", "allow", "Extend C-1, please."), said("named for another thing", "deny", "What is C-1 worth?"))
		s := &script{tests: []string{few}, reads: []string{`{"readings":[` + undecided("C1") + `,{"call":"C2","words":"more than 10.00","reason":"r","verdict":"deny"}]}`},
			rules: []string{rule(stated), disputes("T2"), rule(stated)}}
		r := generate(t, s, func(o *generation.Options) { o.Attempts = 2 })
		if r.NotEnforced == "" || len(s.refused) != 1 || !strings.Contains(s.refused[0], "no more tests can be taken out") {
			t.Fatalf("refused %q, got %+v", s.refused, r)
		}
	})
}

// TestATestInWhichNobodySaidThatNothingIsMissingCanBeDisputed: a mere request doesn't show that
// it is all, and the judge is no way round that.
func TestATestInWhichNobodySaidThatNothingIsMissingCanBeDisputed(t *testing.T) {
	said := func(name, expect, words string) string {
		return strings.Replace(oneTest(name, expect, "0"), `"history":[]`, `"history":[{"user":"`+words+`","at":""}]`, 1)
	}
	tests := testsOf(said("all said", "allow", "Extend the atlas, nothing else."), said("a request", "allow", "Please extend the atlas."), said("one left out", "deny", "Please extend the atlas and the novel."))
	const complete = `session.complete("these are all the copies to be extended")`
	words := fmt.Sprintf(`"words":%q,"reason":"r"`, finesSentence)
	s := &script{
		tests: []string{tests},
		reads: []string{`{"readings":[{"call":"C1",` + words + `,"verdict":"allow"},{"call":"C2",` + words + `,"verdict":"allow"},{"call":"C3",` + words + `,"verdict":"deny"}]}`},
		rules: []string{rule(complete), strings.TrimSuffix(rule(complete), "}") + `,"disputed":[{"test":"T2","reason":"nobody made sure of others"}]}`},
	}
	r := generate(t, s, nil)
	if r.NotEnforced != "" || r.Policy.Require.Text != complete || !strings.HasPrefix(r.Contested["a request"], "nobody said that nothing is missing") {
		t.Fatalf("got %+v", r)
	}
	if !strings.Contains(s.said(2), "as session.complete asks: T2.") {
		t.Errorf("the author is told:\n%s", s.said(2))
	}
}

// TestWhatAFunctionTellsIsNotLeftToTheJudge: the author of a rule that asks the judge for what a
// function tells is asked once to write it with the function.
func TestWhatAFunctionTellsIsNotLeftToTheJudge(t *testing.T) {
	said := func(name, expect, words string) string {
		return strings.Replace(oneTest(name, expect, "0"), `"history":[]`, `"history":[`+words+`]`, 1)
	}
	asked := `{"assistant":"Shall I extend the atlas? Are these all the copies to be extended?","at":""},{"user":"Yes, it is.","at":""}`
	for name, c := range map[string]struct{ asks, function string }{
		"that nothing is missing": {`session.judged("Are these all the copies that the user wants to have extended?", "user")`, "session.complete("},
		"an agreement":            {`session.judged("Did the user clearly agree to the extension?", "user")`, "session.agreed()"},
		"what the agent told":     {`session.judged("Did the assistant ask the user whether these are all?", "assistant")`, "session.complete("},
		"what the agent reminded": {`session.judged("Did the assistant remind the user of the fee?", "assistant")`, "session.told("},
		"a reason":                {`session.judged("Did the user give a reason for the extension?", "user")`, "session.answered("},
		"none of these":           {`session.judged("Is the atlas for a school?", "user")`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asks := `args.days <= 10 && (session.user_said("yes") || ` + c.asks + `)`
			tests := testsOf(said("asked", "allow", asked), said("refused", "deny", `{"user":"No!","at":""}`))
			s := &script{tests: []string{tests}, rules: []string{rule(asks), rule(asks)}}
			r := generate(t, s, nil)
			if r.NotEnforced != "" || r.Policy.Require.Text != asks || (c.function == "") != (r.Attempts == 1) {
				t.Fatalf("got %+v", r)
			}
			if c.function != "" && !strings.Contains(s.said(2), "?\": "+c.function) {
				t.Errorf("the author is told:\n%s", s.said(2))
			}
		})
	}
}

func TestARuleIsNotOnWordsAlone(t *testing.T) {
	for name, c := range map[string]struct{ require, want string }{
		"words of the user":           {`session.user_said("fine") && ` + goodRule, "calls in which some words don't occur"},
		"words of a message":          {`session.messages.exists(m, m.text.says("fine")) || ` + goodRule, "calls in which some words don't occur"},
		"words of everybody":          {`session.messages.exists(m, m.text.says("fine")) || session.judged("Did the user say that it is fine?", "user") || ` + goodRule, "it searches the words of everybody"},
		"that a thing was named":      {`!session.stated(args.copy_id) || ` + goodRule, "that somebody named a thing"},
		"what a call returned is not": {`!session.calls().exists(c, has(c.result) && c.result.says("error")) && ` + goodRule, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{tests: []string{goodTests()}, rules: []string{rule(c.require), rule(goodRule)}}
			r := generate(t, s, nil)
			if r.NotEnforced != "" || (c.want == "") != (r.Attempts == 1) || !strings.Contains(s.said(2), c.want) {
				t.Fatalf("got %+v, and the author was told:\n%s", r, s.said(2))
			}
		})
	}
}

// TestTestsGetTheAnswersThatTheirVerdictsNeed: what a rule leaves to the judge has an
// answer in each test, and a rule that leaves everything is none.
func TestTestsGetTheAnswersThatTheirVerdictsNeed(t *testing.T) {
	history := func(test, said string) string {
		return strings.Replace(test, `"history":[]`, `"history":[{"user":"`+said+`","at":""}]`, 1)
	}
	tests := testsOf(history(oneTest("plain", "allow", "0"), "because it rained"), history(oneTest("in other words", "allow", "0"), "It rained."), history(oneTest("no reason", "deny", "0"), "Please."))
	const asks = `session.judged("Was the user in the rain?", "user")`
	s := &script{tests: []string{tests}, rules: []string{rule(asks), rule(`session.user_said("because") || ` + asks)}}
	r := generate(t, s, nil)
	if r.NotEnforced != "" || r.Attempts != 2 || !strings.Contains(s.said(2), "words settle none of the calls that its tests allow") {
		t.Fatalf("got %+v, and the author was told:\n%s", r, s.said(2))
	}
	for _, e := range r.Policy.Examples {
		judged := slices.ContainsFunc(e.Given, func(f guard.Fixture) bool {
			return f.Judge == guard.AnyQuestion && f.Answer == (e.Expect == label.Allow)
		})
		if judged == (e.Name == "plain") {
			t.Errorf("%s has the answer: %v", e.Name, judged)
		}
	}
}
