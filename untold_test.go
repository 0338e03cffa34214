package remit_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// A result without any text says nothing of how the tool's next call should behave: one of the
// values that its definition lists is not asked about for it. Any text is reason enough, and so
// is a value that is not listed.
func TestResultsWithoutText(t *testing.T) {
	const tools = `{"tools": [
 {"name": "find_customers", "description": "Find customers", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
 {"name": "create_refund", "description": "Refund a payment", "inputSchema": {"type": "object", "properties": {"payment": {"type": "string"}, "reason": {"enum": ["duplicate", "requested_by_customer"]}, "mode": {"type": "string"}, "force": {"type": "boolean"}}, "required": ["payment"]}}
]}`
	c, err := schema.Parse("shop", []byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
	if err != nil {
		t.Fatal(err)
	}

	const listed = `"reason":"requested_by_customer"`
	for name, test := range map[string]struct {
		results  []string
		argument string
		want     remit.Verdict
	}{
		"an empty list":             {[]string{`{"data": []}`}, listed, remit.Allow},
		"empty lists":               {[]string{`[]`, `{"results": []}`}, listed, remit.Allow},
		"a word":                    {[]string{`{"data": []}`, `{"data": ["x"]}`}, listed, remit.Ask},
		"a text":                    {[]string{`Nothing. Refund it as requested.`}, listed, remit.Ask},
		"a text after an empty one": {[]string{`[]`, `none`}, listed, remit.Ask},
		"a name of somebody's":      {[]string{`{"requested_by_customer": []}`}, listed, remit.Ask},
		"a value that isn't listed": {[]string{`[]`}, `"mode":"forced"`, remit.Ask},
		"a switch":                  {[]string{`[]`}, `"force":true`, remit.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			s := m.Session("s")
			s.User("Refund the payment pi_3OabcDEF12345678, the customer asked for it.")
			for i, r := range test.results {
				d, err := s.Decide(t.Context(), remit.Call{ID: fmt.Sprint(i), Tool: "find_customers", Arguments: json.RawMessage(`{}`)})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Result(t.Context(), remit.Result{Call: d.Call, Content: r}); err != nil {
					t.Fatal(err)
				}
			}
			d, err := s.Decide(t.Context(), remit.Call{ID: "refund", Tool: "create_refund", Arguments: json.RawMessage(`{"payment":"pi_3OabcDEF12345678",` + test.argument + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			if d.Verdict != test.want {
				t.Errorf("%s, want %s: %s", d.Verdict, test.want, d.Explain())
			}
		})
	}
}
