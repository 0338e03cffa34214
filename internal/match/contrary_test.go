package match_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestRecordSaysOtherwise: an irreversible call takes nothing from a record that has another value under the name of an argument that the call gives.
func TestRecordSaysOtherwise(t *testing.T) {
	const rent = `"from":[{"tool":"list_contacts","field":"address","where":{"name":"Rent"}}],"kind":"text","pick":"only"`
	const amount = `"from":[{"tool":"list_contacts","field":"amount","where":{"name":"Rent"}}],"kind":"number","pick":"only"`
	const id = `"from":[{"tool":"list_contacts","field":"item_id","where":{"name":"Rent"}}],"kind":"id","pick":"only"`
	list := func(argument string) func(p *match.Proposal) {
		return func(p *match.Proposal) {
			for i := range p.Args {
				p.Args[i].Listed = p.Args[i].Listed || p.Args[i].Pointer == argument
			}
		}
	}
	takes := func(tool, pointer, from, value, argument, given, record string, change func(p *match.Proposal), reversible, want bool) asking {
		stated := given[len("o:"):]
		return asking{
			scope: fmt.Sprintf(`{"calls":[{"tool":%q,"args":{%q:{%s},%q:{"is":%q}}}]}`, tool, pointer, from, argument, stated),
			said:  "Send it to Rent with " + stated + ".", tool: tool, args: map[string]string{pointer: value, argument: given},
			results: []returned{{"list_contacts", "", `[{"name":"Rent",` + record + `}]`}}, early: true, reversible: reversible, change: change, want: want,
		}
	}
	address := func(argument, given, record string, reversible, want bool) asking {
		return takes("send", "/address", rent, "t:0x1", argument, given, `"address":"0x1",`+record, nil, reversible, want)
	}
	of := func(argument, given, record string, want bool) asking {
		return takes("pay", "/amount", amount, "o:80", argument, given, `"amount":80,`+record, nil, false, want)
	}
	thing := func(tool, argument, given, record string, change func(p *match.Proposal), want bool) asking {
		return takes(tool, "/item_id", id, "s:i1", argument, given, `"item_id":"i1",`+record, change, false, want)
	}
	askings{
		"the same network":                    address("/network", "t:tron", `"network":"Tron"`, false, true),
		"another network":                     address("/network", "t:tron", `"network":"ethereum"`, false, false),
		"of a call that can be taken back":    address("/network", "t:tron", `"network":"ethereum"`, true, true),
		"no network":                          address("/network", "t:tron", `"network":null`, false, true),
		"a network among others":              address("/network", "t:tron", `"network":["ethereum","tron"]`, false, true),
		"a currency in full":                  address("/currency", "o:EUR", `"currency":"Euro"`, false, true),
		"another currency":                    address("/currency", "o:EUR", `"currency":"US dollars"`, false, false),
		"what anybody may call it":            address("/title", "t:May", `"title":"April"`, false, true),
		"a part of what is owed":              address("/amount", "o:40", `"amount":80`, false, true),
		"the amount of another year":          of("/year", "o:7", `"year":8`, false),
		"of the year":                         of("/year", "o:7", `"year":7`, true),
		"of another bill":                     of("/bill_no", "s:B-3", `"bill_no":"B-4"`, false),
		"the size that there is":              thing("order", "/size", "o:small", `"size":"small"`, list("/size"), true),
		"a size that there isn't":             thing("order", "/size", "o:small", `"size":"large"`, list("/size"), false),
		"what the tool turns it into":         thing("set_size", "/size", "o:small", `"size":"large"`, list("/size"), true),
		"the answer to it":                    thing("respond_to_invite", "/response", "o:accepted", `"response":"pending"`, list("/response"), true),
		"the state that it gets":              thing("close_ticket", "/status", "o:resolved", `"status":"open"`, list("/status"), true),
		"what the call may set":               thing("order", "/seat", "o:7C", `"seat":"8A"`, nil, true),
		"what the scope states of the record": {scope: `{"calls":[{"tool":"share","args":{"/item_id":{"is":"I-1"},"/until":{"from":[{"tool":"get_item","field":"end","where":{"item_id":"I-2"}}],"kind":"date","pick":"only"}}}]}`, said: "Share I-1 until the end of I-2.", tool: "share", args: map[string]string{"/item_id": "s:I-1", "/until": "o:2026-06-01"}, results: []returned{{"get_item", "", `{"item_id":"I-2","end":"2026-06-01"}`}}, early: true, want: true},
	}.run(t)
}

// TestContraryAlwaysAsks draws a record with members of the call's other arguments: where one has another value than the call, no value of it is
// taken, and where all agree, it is.
func TestContraryAlwaysAsks(t *testing.T) {
	values := map[string][]string{"network": {"tron", "ethereum", "polygon"}, "coin": {"ETH", "USDT"}, "branch_id": {"b1", "b2", "b3"}, "region": {"north", "south", "östlich"}}
	names := []string{"network", "coin", "branch_id", "region"}
	rapid.Check(t, func(t *rapid.T) {
		record, args, agrees, stated := map[string]any{"name": "Rent", "address": "0x1"}, map[string]string{"/address": "t:0x1"}, true, ""
		for _, name := range names {
			value := func(what string) string { return rapid.SampledFrom(values[name]).Draw(t, what+" "+name) }
			given := value("given")
			args["/"+name], stated = "t:"+given, stated+fmt.Sprintf(`,"/%s":{"is":%q}`, name, given)
			if rapid.Bool().Draw(t, "has "+name) {
				have := value("had")
				record[name], agrees = have, agrees && have == given
			}
		}
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"send","args":{"/address":{"from":[{"tool":"list_contacts","field":"address","where":{"name":"Rent"}}],"kind":"text","pick":"only"}`+stated+`}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		text, err := json.Marshal([]any{record})
		if err != nil {
			t.Fatal(err)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_contacts", Covered: true, Read: true, Early: true}
		setContent(r, string(text))
		if _, misses, ok := match.NewTask(s, "Send it to Rent: tron ethereum polygon ETH USDT b1 b2 b3 north south östlich.").Match(call("send", args), []*match.Result{r}); ok != agrees {
			t.Fatalf("%s for %v: covered %v, agrees %v (%v)", text, args, ok, agrees, misses)
		}
	})
}
