package eval

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
)

// desk copies the library's data set, with further files.
func desk(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(library)); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	waiving = `tool: waive_fee
policies:
  - name: agreed
    require: session.listed(args.euros) && session.agreed()
    message: Ask the member first.
  - name: small
    require: args.euros <= 5
    message: The fee is too large.
`
	lending = `tool: lend_item
policies:
  - name: loan-limit
    require: 'tools.get_member({"member": args.member}).loans < 5'
    message: The member has five items on loan already.
`
)

// yesTo is a judge that says yes to every question.
type yesTo struct{}

func (yesTo) Judge(context.Context, guard.Question, *guard.History) (bool, string, error) {
	return true, "", nil
}

// TestConversations decides the last call of each conversation, and says apart what a
// judge changes.
func TestConversations(t *testing.T) {
	waive := func(id, expect, said string) string {
		return `{"ID": "` + id + `", "Expect": "` + expect + `", "Events": [{"Assistant": "Shall I waive the fee of 4 euros?"}, {"User": "` + said + `"}, {"Call": "waive_fee", "Args": {"member": "m", "euros": 4}, "Judge": true}]}`
	}
	lend := func(id, expect, member string) string {
		return `{"ID": "` + id + `", "Expect": "` + expect + `", "Events": [{"User": "Lend it to ` + member + `."}, {"Call": "get_member", "Args": {"member": "` + member + `"}}, {"Call": "lend_item", "Args": {"member": "` + member + `", "item": "i"}, "Judge": true}]}`
	}
	dir := desk(t, map[string]string{
		"policy/guards/waive_fee.yaml": waiving, "policy/guards/lend_item.yaml": lending,
		"records.jsonl": `{"tool": "get_member", "args": {"member": "a"}, "result": {"loans": 1, "card": "valid"}}
{"tool": "get_member", "args": {"member": "b"}, "result": {"loans": 0, "card": "valid"}}
`,
		"conversations.jsonl": strings.Join([]string{
			waive("consent", "allow", "Yes, please."), waive("refused", "deny", "No, thanks."), waive("unsettled", "allow", "The weather is fine."),
			waive("denied for words", "allow", "No."), waive("nobody says", "?", "Yes."), lend("few loans", "allow", "a"), lend("five loans", "deny", "b"),
			lend("nobody knows", "allow", "c"),
		}, "\n"),
	})
	further := filepath.Join(t.TempDir(), "further.jsonl")
	if err := os.WriteFile(further, []byte(`{"tool": "get_member", "args": {"member": "b"}, "result": {"loans": 5, "card": "valid"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Policy(t.Context(), dir, PolicyOptions{Deployment: libraryScope(t), Judge: yesTo{}, Records: []string{further}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got                  *ConversationReport
		passed               int
		asked, words, denied int
	}{
		"without a judge": {r.Guards.Conversations, 2, 1, 1, 2},
		"with one":        {r.JudgedGuards.Conversations, 3, 0, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := c.got
			if len(g.Unmeasured) != 1 || g.Unmeasured[0].Conversation != "nobody knows" || !slices.Equal(g.Unmeasured[0].Unknown, []string{`get_member {"member": "c"}`}) {
				t.Errorf("can't be measured: %+v", g.Unmeasured)
			}
			if g.Passed != rateOf(c.passed, 4) || g.Asked != c.asked || g.Words != c.words || g.Denied != rateOf(c.denied, 2) || len(g.Open) != 1 {
				t.Errorf("got %+v", g)
			}
		})
	}
}

// TestUnprovenLookups counts apart what is asked about for a look-up that isn't as a rule guessed,
// of conversations and of cases, which further records answer as well.
func TestUnprovenLookups(t *testing.T) {
	rule := strings.Replace(lending, "    message", "    guessed: [get_member]\n    examples: [{name: few, expect: allow, args: {member: m, item: i}, given: [{tool: get_member, result: {loans: 1, card: valid}}]}]\n    message", 1)
	lend := func(id, member string) string {
		return `{"ID": "` + id + `", "Expect": "allow", "Events": [{"User": "Lend it to ` + member + `."}, {"Call": "lend_item", "Args": {"member": "` + member + `", "item": "i"}, "Judge": true}]}`
	}
	dir := desk(t, map[string]string{
		"policy/guards/lend_item.yaml": rule,
		"records.jsonl": `{"tool": "get_member", "args": {"member": "a"}, "result": {"loans": 1, "card": "valid"}}
{"tool": "get_member", "args": {"member": "b"}, "result": {"loans": "none", "card": "valid"}}
`,
		"conversations.jsonl": strings.Join([]string{lend("as guessed", "a"), lend("otherwise", "b"), lend("nobody knows", "c")}, "\n"),
		"cases.own.json": `[
			{"id": "a", "tool": "lend_item", "rule": "LE-1", "expected": "allow", "args": {"member": "a", "item": "i"}, "history": []},
			{"id": "b", "tool": "lend_item", "rule": "LE-1", "expected": "allow", "args": {"member": "b", "item": "i"}, "history": []},
			{"id": "c", "tool": "lend_item", "rule": "LE-1", "expected": "deny", "args": {"member": "c", "item": "i"}, "history": []}]`,
	})
	r, err := Policy(t.Context(), dir, PolicyOptions{Deployment: libraryScope(t)})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Guards.Conversations; c.Passed != rateOf(1, 3) || c.Unproven != 2 || c.Asked != 0 {
		t.Errorf("conversations: %+v", c)
	}
	if g := r.Guards.ByTool["lend_item"]; g.AllowRight != rateOf(1, 2) || g.UnprovenAllowed != 1 || g.Unproven != 1 || g.Asked+g.Undecided != 0 {
		t.Errorf("cases: %+v", g)
	}
}

func TestConversationsMustEndWithTheJudgedCall(t *testing.T) {
	for name, text := range map[string]string{
		"no call":   `{"ID": "a", "Events": [{"User": "Hello."}]}`,
		"no events": `{"ID": "a"}`,
		"no JSON":   `{"ID": `,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readConversations(desk(t, map[string]string{"conversations.jsonl": text})); err == nil {
				t.Error("it is read")
			}
		})
	}
}

// TestCasesAreChecked: what looks wrong in case files is in the notes.
func TestCasesAreChecked(t *testing.T) {
	dir := desk(t, map[string]string{"cases.more.json": `[
		{"id": "1", "tool": "lend_item", "rule": "LE-99", "expected": "deny", "args": {"member": "m", "item": "i"}, "expektation": "deny",
			"history": [{"role": "user", "content": "Hi."}, {"role": "tool", "tool_call_id": "x", "content": "?"}]}]`})
	cases, err := readCases(dir)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := findTruth(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	cases[2].Tool = "lend_itm"
	notes := strings.Join(checkCases(dir, cases, truth, libraryScope(t)), "\n")
	for _, want := range []string{`more than one case "1"`, `no tool "lend_itm"`, `no rule "LE-99"`, `cases have "expektation"`, "is the result of no call"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
}

// TestADenialByTheSchemaIsNoRightAllowance: a call whose arguments no schema takes is
// denied, whatever the rules say.
func TestADenialByTheSchemaIsNoRightAllowance(t *testing.T) {
	dir := desk(t, map[string]string{"cases.own.json": `[{"id": "1", "tool": "lend_item", "expected": "allow", "args": {"member": 1}, "history": []}]`})
	r, err := Policy(t.Context(), dir, PolicyOptions{Deployment: libraryScope(t)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Guards.All.AllowRight != rateOf(0, 1) {
		t.Errorf("got %+v", r.Guards.All)
	}
}
