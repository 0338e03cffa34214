package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestRefusalSaysWhatIsMissing: a value that a source doesn't offer is refused with what keeps it out, so that
// the agent can correct the call, and a person sees which record it is of.
func TestRefusalSaysWhatIsMissing(t *testing.T) {
	const bills = `[{"number":"B-1","payee":"Miete Lindner","status":"open","account":"DE11111111"},
		{"number":"B-2","payee":"Stadtwerke Au","status":"paid","account":"DE22222222"}]`
	for name, c := range map[string]struct{ where, result, account, want string }{
		"a value that is nowhere":          {``, bills, "DE33333333", `"DE33333333" is not what list_mails offers, but "DE11111111" (number "B-1", payee "Miete Lindner"), "DE22222222"`},
		"a value that is nowhere, of none": {``, `[{"number":"B-1"}]`, "DE33333333", `nothing in what list_mails returned is so`},
		"a value of another member":        {``, `[{"account":"DE11111111","old_ref":"DE22222222"}]`, "DE22222222", `it is "old_ref" there, and not "account"`},
		"no such member":                   {``, `[{"size":1,"model":"B-7"}]`, "B-7", `it is "model" there, and no record has "account"`},
		"a condition that isn't met":       {`"payee":"Miete Lindner"`, bills, "DE22222222", `its "payee" is "Stadtwerke Au", and the request has "Miete Lindner"`},
		"the second of two conditions":     {`"number":"B-2","status":{"is":["open","due"]}`, bills, "DE22222222", `its "status" is "paid", and the request has "open" or "due"`},
		"a condition on no member":         {`"holder":"Lindner"`, bills, "DE11111111", `its record has no "holder", and the request has "Lindner"`},
		"a bound":                          {`"number":{"prefix":"B"},"size":{"below":10}`, `[{"number":"B-1","size":20,"account":"DE11111111"}]`, "DE11111111", `its "size" is "20", and the request has below "10"`},
		"several, by what tells them":      {``, bills, "DE22222222", `list_mails offers several: "DE11111111" (number "B-1", payee "Miete Lindner"), "DE22222222" (number "B-2", payee "Stadtwerke Au")`},
		"several, without what all have":   {``, `[{"kind":"bill","day":"1 May","account":"DE11111111"},{"kind":"bill","day":"2 May","account":"DE22222222"}]`, "DE22222222", `"DE11111111" (day "1 May"), "DE22222222" (day "2 May")`},
		"several lines":                    {``, "account: DE11111111\naccount: DE22222222", "DE22222222", `list_mails offers several: "DE11111111", "DE22222222"`},
		"a text":                           {`"payee":"Stadtwerke Au"`, "Two bills, one by Stadtwerke Au.", "DE22222222", `list_mails returned a text, in which no program is sure of a field`},
	} {
		t.Run(name, func(t *testing.T) {
			kind := scope.ID
			if strings.HasPrefix(c.account, "DE") {
				kind = scope.Account
			}
			s, _, err := scope.Parse(fmt.Appendf(nil, `{"calls":[{"tool":"pay","args":{"/account":{"from":[
				{"tool":"list_mails","field":"account","where":{%s}}],"kind":%q,"pick":"only"}}}]}`, c.where, kind), tools(t))
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "c1", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
			setContent(r, c.result)
			_, misses, ok := match.NewTask(s, "Pay the bill").Match(call("pay", map[string]string{"/account": "t:" + c.account}), []*match.Result{r})
			if got := strings.Join(misses, "\n"); ok || !strings.Contains(got, c.want) {
				t.Errorf("covered: %v, misses\n%s\nnot\n%s", ok, got, c.want)
			}
		})
	}
}
