package enforcement_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/enforcement"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

const tools = `[{"name":"cancel","description":"Cancel an order.","inputSchema":{"type":"object","properties":{"id":{"type":"string"},"note":{"type":["string","null"]}},"required":["id"]}},
{"name":"get_order","description":"Get an order.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}]`

// shop is a shop's tools, and a guard file for one of them.
func shop(t *testing.T, rules string) (*guard.File, guard.Deployment) {
	t.Helper()
	f, err := guard.Load("cancel.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := schema.Parse("shop.json", []byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	return f, guard.Deployment{Tools: []*schema.Catalogue{catalogue}, Contracts: []*contract.File{synth.Contract(catalogue)}}
}

// TestExamine checks what each point makes of rules of every kind.
func TestExamine(t *testing.T) {
	const allow, deny = `{name: runs, expect: allow, args: {id: W1}, `, `{name: is stopped, expect: deny, args: {id: W1}, `
	all := map[string]enforcement.Outcome{"remit proxy": enforcement.Decide, "remit session": enforcement.Decide, "remit serve": enforcement.Decide}
	for name, c := range map[string]struct {
		rule          string
		gateway, hook enforcement.Outcome
		anywhere      enforcement.Outcome // "" for decided
	}{
		"on the call alone": {`require: args.id.startsWith("W"), examples: [{name: runs, expect: allow, args: {id: W1}}, {name: is stopped, expect: deny, args: {id: X}}]`,
			enforcement.Decide, enforcement.Decide, ""},
		"on a look-up": {`require: 'tools.get_order({"id": args.id}).open', examples: [` + allow + `given: [{tool: get_order, result: {open: true}}]}]`,
			enforcement.Decide, enforcement.Decide, ""},
		"on an agreement": {`require: session.agreed(), examples: [` + allow + `history: [{user: "Cancel it"}, {assistant: "I cancel it. OK?"}, {user: "Yes"}]}, ` + deny + `history: [{user: "Cancel it"}, {assistant: "I cancel it. OK?"}, {user: "No"}]}]`,
			enforcement.Ask, enforcement.Ask, ""},
		"on the user's words": {`require: session.user_said("cancel"), examples: [` + allow + `history: [{user: "Cancel it"}]}]`,
			enforcement.Deny, enforcement.Decide, ""},
		"on silence beside the call": {`require: session.beside() == "", examples: [` + deny + `history: [{assistant: "One moment."}]}]`,
			enforcement.Pass, enforcement.Pass, ""},
		"on words, and untested":   {`require: session.user_said("cancel")`, enforcement.Pass, enforcement.Pass, ""},
		"that nothing checks":      {`examples: []`, enforcement.Deny, enforcement.Deny, enforcement.Deny},
		"with a mistake":           {`require: args.idd == "x"`, enforcement.Deny, enforcement.Decide, enforcement.Deny},
		"wrong in its own example": {`require: "false", examples: [` + allow + `history: [{user: "Cancel it"}]}]`, enforcement.Decide, enforcement.Decide, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, d := shop(t, "tool: cancel\npolicies: [{name: it, message: no, "+c.rule+"}]\n")
			for _, p := range enforcement.Points() {
				want, ok := all[p.Name]
				switch {
				case p.Name == "remit gateway":
					want = c.gateway
				case p.Name == "remit hook":
					want = c.hook
				case !ok:
					t.Fatalf("a new point: %s", p.Name)
				case c.anywhere != "":
					want = c.anywhere
				}
				got := p.Examine(t.Context(), []*guard.File{f}, d)
				outcome := enforcement.Decide
				if len(got.Others) > 0 {
					outcome = got.Others[0].Outcome
				}
				if outcome != want || got.Decided+len(got.Others) != 1 || got.Rules != 1 {
					t.Errorf("%s: %+v, want %s", p.Name, got, want)
				}
			}
		})
	}
}

// A rule for a tool that there isnt decides no call at any point, and each says so. What it says of its other tools
// is examined.
func TestExamineAbsentTools(t *testing.T) {
	for text, decided := range map[string]int{
		"tool: refund\npolicies: [{name: it, message: no, require: 'false'}]\n":                           0,
		"tool: '*'\npolicies: [{name: it, tools: [refund], message: no, require: 'false'}]\n":             0,
		"tool: '*'\npolicies: [{name: it, tools: [cancel, refund], message: no, require: 'false'}]\n":     1,
		"tool: '*'\npolicies: [{name: it, tools: [cancel, refund], message: no, require: argz.x == 1}]\n": 0,
	} {
		f, d := shop(t, text)
		for _, p := range enforcement.Points() {
			got := p.Examine(t.Context(), []*guard.File{f}, d)
			isMistaken := strings.Contains(text, "argz")
			if len(got.Others) != 1 && !isMistaken || got.Decided != decided || got.Rules != 1 {
				t.Errorf("%s: %+v", p.Name, got)
			}
			first := got.Others[0]
			if first.Outcome != enforcement.Pass || first.Why != enforcement.Absent || first.Tool != "refund" {
				t.Errorf("%s: %+v", p.Name, first)
			}
			if isMistaken && (len(got.Others) != 2 || got.Others[1].Outcome != enforcement.Deny) {
				t.Errorf("the mistake isn't told: %+v", got)
			}
		}
	}
}

// A name that is like one of a tool is a mistake: its rule denies.
func TestExamineMisspeltTool(t *testing.T) {
	f, d := shop(t, "tool: '*'\npolicies: [{name: it, tools: [get_order, cancle], message: no, require: 'true'}]\n")
	for _, p := range enforcement.Points() {
		got := p.Examine(t.Context(), []*guard.File{f}, d)
		if len(got.Others) != 1 || got.Others[0].Outcome != enforcement.Deny || got.Others[0].Why != enforcement.Mistaken {
			t.Errorf("%s: %+v", p.Name, got)
		}
	}
}
