package guard_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

const edited = `# The rules of orders.
tool: order
policies:
  # Written by Ann.
  - name: few
    require: args.items.size() <= 5 # five is in the contract
    message: Five at most.
    references: ["At most five."]
  - name: cheap
    # Reviewed.
    message: |
      Nothing dear:
      ask a person.
    require: |
      args.total < 100
        || args.customer == "c1"
    examples:
      - {name: a, expect: allow, args: {customer: c1, items: [], total: 9.50}} # kept
`

// TestDocument edits a file: what is not touched stays as it was written.
func TestDocument(t *testing.T) {
	d, err := guard.Edit("order.yaml", []byte(edited))
	must(t, err)
	same, err := d.Marshal()
	must(t, err)
	if string(same) != edited {
		t.Errorf("unedited it is\n%s", same)
	}
	f, err := d.File()
	must(t, err)
	for i := range f.Policies {
		must(t, d.Put(&f.Policies[i]))
	}
	if same, err = d.Marshal(); err != nil || string(same) != edited {
		t.Errorf("edited to be the same it is\n%s", same)
	}
	few := f.Policies[0]
	few.Require.Text = "args.items.size() <= 4"
	must(t, d.Put(&few))
	must(t, d.Put(&guard.Policy{Name: "new", Message: "New.", Require: guard.Expression{Text: "args.total > 0"}, Otherwise: label.Ask}))
	got, err := d.Marshal()
	must(t, err)
	want := strings.Replace(edited, "<= 5 #", "<= 4 #", 1) + "  - name: new\n    require: args.total > 0\n    message: New.\n    otherwise: ask\n"
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if !d.Remove("few") || d.Remove("few") {
		t.Error("a policy is removed once")
	}
	if f, err = d.File(); err != nil || len(f.Policies) != 2 || f.Policies[0].Name != "cheap" {
		t.Errorf("got %+v, %v", f, err)
	}
}

// TestDocumentRoundTrip writes a policy with everything, and reads it back.
func TestDocumentRoundTrip(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := guard.Policy{
		Name: "all: of it", References: []string{"One.", "- Two, \"quoted\"."}, Message: "true",
		Variables: []guard.Variable{{Name: "c", Value: guard.Expression{Text: `tools.get_customer({"id": args.customer})`}}},
		Require:   guard.Expression{Text: "c.tier == \"gold\" ||\n  args.total < 1"}, Otherwise: label.Deny,
		Examples: []guard.Example{{
			Name: "yes", Expect: label.Deny, Args: json.RawMessage(`{"customer":"1","items":[],"total":1.50,"note":null}`), Now: at,
			Principal: guard.Principal{ID: "ann", Groups: []string{"on"}}, Labels: map[string]label.Trust{"/customer": label.External},
			Given: []guard.Fixture{
				{Tool: "get_customer", Args: json.RawMessage(`{"id":"1"}`), Result: json.RawMessage(`{"id":"1","tier":"gold"}`)},
				{Tool: "get_stock", Error: "down"}, {Judge: "Is it?", Answer: true}},
			History: []guard.Entry{{Kind: guard.UserEntry, Text: "no: never", Time: at}, {Kind: guard.CallEntry, Call: &guard.Call{Tool: "get_stock", Arguments: json.RawMessage(`{"sku":"007"}`), Result: guard.ResultOf(json.RawMessage(`"12"`))}},
				{Kind: guard.DeniedEntry, Call: &guard.Call{Tool: "get_stock", Arguments: json.RawMessage(`{"sku":"8"}`)}}},
		}},
	}
	d := guard.NewEditor("order.yaml", "shop", "order")
	must(t, d.Put(&p))
	f, err := d.File()
	must(t, err)
	got := f.Policies[0]
	got.Position, got.Require, got.Variables[0].Value = guard.Position{}, guard.Expression{Text: got.Require.Text}, guard.Expression{Text: got.Variables[0].Value.Text}
	got.Examples[0].Position = guard.Position{}
	for i := range got.Examples[0].Given {
		got.Examples[0].Given[i].Position = guard.Position{}
	}
	if f.Server != "shop" || f.Tool != "order" || !reflect.DeepEqual(got, p) {
		t.Errorf("got\n%+v, want\n%+v", got, p)
	}
}
