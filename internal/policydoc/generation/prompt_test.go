package generation_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// library are the tools of the tests.
func library(t testing.TB) guard.Deployment {
	t.Helper()
	data, err := os.ReadFile("testdata/library.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.ParseMCP("library.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}}
}

func prompts(t testing.TB) *prompt.Set {
	t.Helper()
	p, err := prompt.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatThePromptSaysOfTheLanguageIsSo: each of these is true, as the author of
// rules is told.
func TestWhatThePromptSaysOfTheLanguageIsSo(t *testing.T) {
	for _, e := range []string{
		`!has(args.note) && args.?note.orValue("") == ""`,
		`has(member.until) && member.until == null && !has(member.since)`,
		`member["valid-until"] == "2031-03-31"`,
		`"c-1" in member.cards && member.cards["c-1"].kind == "gift" && member.cards.exists(id, member.cards[id].kind == "gift")`,
		`args.days * 0.1 == 0.7 && 7 / 2 == 3.5 && (7 / 2).floor() == 3 && decimal("12.50") == 12.5`,
		`member.fines.map(x, x.amount).sum() == 0.3 && member.none.map(x, x.amount).sum() == 0`,
		`"Ann".lowerAscii() == "ann" && "C-1".matches("^C-[0-9]$") && "é".size() == 1`,
		`now - datetime("2031-03-01T04:00:00", "-05:00") == duration("24h")`,
		`now.getHours("America/New_York") == 4 && now.getDayOfWeek("America/New_York") == 0`,
		`datetime("2031-03-01T23:30:00").getDayOfYear("+01:00") == now.getDayOfYear("+01:00")`,
		`session.messages.filter(m, m.role == "user").last().optMap(m, m.text).orValue("") == "Yes, go ahead. M-1!"`,
		`session.user_said("go ahead") && session.user_said("m-1") && !session.user_said("go") == false && !session.user_said("ahead go")`,
		`session.calls("get_copy").exists(c, !has(c.result)) && session.calls("get_member").all(c, c.result.member_id == "M-1")`,
		`session.calls("get_member").exists(c, has(c.result) && c.result.member_id == "M-1" && session.stated(c.args.member_id))`,
		`session.messages.exists(m, m.index > session.calls("get_member")[0].index)`,
		`!"Yes, I don't need a bag".matches("(?i)^[^a-z]*(no|not|don't)([^a-z]|$)") && "- No, wait".matches("(?i)^[^a-z]*(no|not|don't)([^a-z]|$)") && !"Nothing else, yes".matches("(?i)^[^a-z]*(no|not|don't)([^a-z]|$)")`,
		`session.principal.id == "" && call.tool == "extend_loan" && call.index == 4 && session.calls().all(c, c.index < call.index)`,
		`true || tools.get_copy({"copy_id": args.copy_id}).due == ""`,
		`tools.get_copy({"copy_id": args.copy_id}).due == "" || true`,
	} {
		f, err := guard.Load("rule.yaml", []byte(`tool: extend_loan
policies:
  - name: p
    message: m
    variables: {member: 'tools.get_member({"member_id": args.member_id})'}
    require: |
      `+e+`
    examples:
      - name: so
        expect: allow
        now: 2031-03-02T09:00:00Z
        args: {copy_id: C-1, member_id: M-1, days: 7}
        given:
          - {tool: get_member, result: {member_id: M-1, until: null, "valid-until": "2031-03-31", none: [], fines: [{amount: 0.1}, {amount: 0.2}], cards: {c-1: {kind: gift}}}}
        history:
          - {assistant: Shall I?}
          - {call: {tool: get_member, args: {member_id: M-1}, result: {member_id: M-1}}}
          - {call: {tool: get_copy, args: {copy_id: C-1}}}
          - {user: "Yes, go ahead. M-1!"}
`))
		if err != nil {
			t.Fatal(err)
		}
		set, err := guard.Compile([]*guard.File{f}, library(t))
		if err != nil {
			t.Errorf("%s\n%v", e, err)
			continue
		}
		for _, r := range guardtest.Run(t.Context(), set.Guards()[0]) {
			if !r.Passed() {
				t.Errorf("%s: %s %s %v", e, r.Got, r.Failed, r.Values)
			}
		}
	}
}

func TestTheRulesThatThePromptShowsAreRules(t *testing.T) {
	data, err := os.ReadFile("../prompt/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	fences := regexp.MustCompile("(?s)\n```\n(.*?)\n```").FindAllStringSubmatch(string(data), -1)
	if len(fences) < 4 {
		t.Fatalf("only %d examples", len(fences))
	}
	for _, fence := range fences {
		p := guard.Policy{Name: "example"}
		for _, line := range strings.Split(fence[1], "\n") {
			name, value, _ := strings.Cut(line, ": ")
			if e := guard.Written(name, value); name == "require" {
				p.Require = e
			} else {
				p.Variables = append(p.Variables, guard.Variable{Name: name, Value: e})
			}
		}
		tool := "extend_loan"
		if strings.Contains(fence[1], "reason") || strings.Contains(fence[1], "args.amount") {
			tool = "waive_fine"
		}
		if _, err := guard.Compile([]*guard.File{{Tool: tool, Policies: []guard.Policy{p}}}, library(t)); err != nil {
			t.Errorf("%s\n%v", fence[1], err)
		}
	}
}

// TestHowRulesAskForWordsIsToldWhereTestsHangOnThem looks into the instructions for the author of
// a rule.
func TestHowRulesAskForWordsIsToldWhereTestsHangOnThem(t *testing.T) {
	after := func(test, said string) string {
		return strings.Replace(test, `"history":[]`, `"history":[{"user":"`+said+`","at":""}]`, 1)
	}
	allowed, denied := oneTest("little", "allow", "5"), oneTest("much", "deny", "11")
	for _, c := range []struct {
		name  string
		tests []string
		told  bool
	}{
		{"nobody says anything", []string{allowed, denied}, false},
		{"somebody says something before a denied call alone", []string{allowed, after(denied, "I paid.")}, false},
		{"before another call than the one denied", []string{allowed, strings.ReplaceAll(after(strings.Replace(allowed, "little", "of another copy", 1), "C-2, please."), "C-1", "C-2"), denied}, false},
		{"before each call to allow", []string{after(allowed, "Please."), strings.ReplaceAll(denied, "C-1", "C-3")}, true},
		{"otherwise before the same call, denied", []string{allowed, after(strings.Replace(allowed, "little", "asked for", 1), "Please."), after(denied, "Please don't.")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &script{t: t, tests: []string{testsOf(c.tests...)}, rules: []string{rule(goodRule)}}
			generate(t, s, nil)

			first := slices.IndexFunc(s.prompts, func(p llm.Prompt) bool { return p.Stage == "rule" })
			if told := strings.Contains(s.prompts[first].System, "session.listed(value)"); told != c.told {
				t.Errorf("told: %v", told)
			}
		})
	}
}
