package enforcement_test

import (
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
				if outcome != want || got.Decided+len(got.Others) != 1 {
					t.Errorf("%s: %+v, want %s", p.Name, got, want)
				}
			}
		})
	}
}

// A rule for a tool that there isn't decides no call at any point, and each says so.
func TestExamineMistypedTool(t *testing.T) {
	for _, text := range []string{"tool: cancle\npolicies: [{name: it, message: no, require: 'false'}]\n", "tool: '*'\npolicies: [{name: it, tools: [cancel, cancle], message: no, require: 'false'}]\n"} {
		f, d := shop(t, text)
		for _, p := range enforcement.Points() {
			got := p.Examine(t.Context(), []*guard.File{f}, d)
			if len(got.Others) != 1 || got.Others[0].Outcome != enforcement.Pass || got.Others[0].Why != enforcement.Absent || got.Others[0].Tool != "cancle" {
				t.Errorf("%s: %+v", p.Name, got)
			}
		}
	}
}
