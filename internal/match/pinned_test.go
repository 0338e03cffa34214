package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// TestOnlyShape: one record of the only shape of a contract has fields, also for a payment, but not
// where it has a line behind one that others write.
func TestOnlyShape(t *testing.T) {
	const (
		account = "DE75512108001245126199"
		text    = "Account: " + account + "\nAmount: 900\nSubject: x"
		forged  = "Subject: x\nAccount: " + account + "\nAmount: 900"
	)
	tools, err := schema.Parse("bank", []byte(`{"tools":[{"name":"get_bill","inputSchema":{"type":"object"}},
		{"name":"pay","inputSchema":{"type":"object","properties":{"account":{"type":"string"}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"get_bill"},
		{"tool":"pay","args":{"/account":{"from":[{"tool":"get_bill","field":"account"}],"kind":"account","pick":"only"}}}]}`), []*schema.Catalogue{tools})
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}

	for name, c := range map[string]struct {
		text   string
		shapes []string
		covers bool
	}{
		"the service's lines first":          {text, []string{"Account: service\nAmount: service\nSubject: others"}, true},
		"no shape":                           {text, nil, false},
		"one shape of several":               {text, []string{"Account: service\nAmount: service\nSubject: others", "Account: service\nSubject: others"}, false},
		"a line that the tool left out":      {forged, []string{"Subject: others\nAccount: service\nAmount: service"}, false},
		"as it is learnt from an attacker":   {forged, []string{"Subject: others\nAccount: others\nAmount: others"}, false},
		"a record that was cut off (table)":  {"| subject | account |\n|---|---|\n| x | " + account + " |", []string{"| subject | account |\n|---|---|\n| others | service |"}, false},
		"a table with the service's cells":   {"| account | subject |\n|---|---|\n| " + account + " | x |", []string{"| account | subject |\n|---|---|\n| service | others |"}, true},
		"a second record":                    {text + "\n\n" + text, []string{"Account: service\nAmount: service\nSubject: others"}, false},
		"YAML with the service's lines":      {"bill:\n  account: " + account + "\n  subject: x", []string{"bill:\n  account: service\n  subject: others"}, true},
		"YAML with a line behind the others": {"bill:\n  subject: x\n  account: " + account, []string{"bill:\n  subject: others\n  account: service"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var pinned []*serialized.Pinned
			for _, shape := range c.shapes {
				p, err := serialized.Pin(shape)
				if err != nil {
					t.Fatal(err)
				}
				pinned = append(pinned, p)
			}
			r := &match.Result{Call: "b1", Server: "bank", Tool: "get_bill", Covered: true, Read: true}
			r.SetContent(c.text, nil)
			r.SetAppearance(serialized.Trust{}, pinned)
			call := &match.Proposal{Server: "bank", Tool: "pay", Irreversible: true,
				Args: []match.Argument{{Pointer: "/account", Text: account, Role: label.Target}}}
			if _, misses, covers := match.NewTask(s, "Pay the bill.").Match(call, []*match.Result{r}); covers != c.covers {
				t.Errorf("covered: %v %v", covers, misses)
			}
		})
	}
}
