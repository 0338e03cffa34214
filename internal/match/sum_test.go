package match_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestSums: a sum is that of all records of one list, each with a plain number of the same measure,
// and of no part of a listing. In doubt it is a question.
func TestSums(t *testing.T) {
	const (
		ann   = `"field":"limit","where":{"name":"Ann"}`
		every = `"field":"limit"`
		total = `"field":"total"`
		two   = `[{"name":"Ann","limit":1},{"name":"Ann","limit":2}]`
		bills = `[{"total":1},{"total":2}]`
	)
	type lists []string
	for name, c := range map[string]struct {
		by, source, value string
		lists             lists
		want              bool
	}{
		"all":                              {"sum of the limits", ann, "3", lists{two}, true},
		"the same again":                   {"sum of the limits", ann, "3", lists{two, two}, true},
		"more, of the same call":           {"sum of the limits", ann, "3", lists{two, `[{"name":"Ann","limit":1},{"name":"Ann","limit":3}]`}, false},
		"a text, of the same call":         {"sum of the limits", ann, "3", lists{two, "limit 5, and more"}, false},
		"with a number of the request":     {"sum of the limits", ann, "8", lists{two}, false},
		"a record without the number":      {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1},{"name":"Ann","limit":2},{"name":"Ann"}]`}, false},
		"a number that is null":            {"sum of the limits", every, "3", lists{`[{"name":"Ann","limit":1},{"name":"Bob","limit":2},{"name":"Eve","limit":null}]`}, false},
		"two currencies":                   {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"currency":"EUR"},{"name":"Ann","limit":2,"currency":"USD"}]`}, false},
		"a currency of one alone":          {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"currency":"EUR"},{"name":"Ann","limit":2}]`}, false},
		"one currency":                     {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"currency":"EUR"},{"name":"Ann","limit":2,"currency":"eur"}]`}, true},
		"two units":                        {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"unit":"kg"},{"name":"Ann","limit":2,"unit":"g"}]`}, false},
		"two currencies by their codes":    {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"currency_code":"EUR"},{"name":"Ann","limit":2,"currency_code":"USD"}]`}, false},
		"two units of measure":             {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"uom":"kg"},{"name":"Ann","limit":2,"uom":"g"}]`}, false},
		"a row for each guest of a bill":   {"sum of the limits", every, "4", lists{`[{"bill_id":"7","guest":"Ann","limit":2},{"bill_id":"7","guest":"Eve","limit":2}]`}, false},
		"two bills of a customer":          {"sum of the limits", every, "4", lists{`[{"bill_id":"7","customer_id":"1","limit":2},{"bill_id":"8","customer_id":"1","limit":2}]`}, true},
		"two rows of a number":             {"sum of the limits", every, "4", lists{`[{"mail_no":"7","limit":2},{"mail_no":"7","limit":2}]`}, false},
		"a row for each line of a mail":    {"sum of the limits", every, "4", lists{`[{"mail":"M7","limit":2},{"mail":"M7","limit":2}]`}, false},
		"two mails of an account's number": {"sum of the limits", every, "4", lists{`[{"account_no":"7","limit":2},{"account_no":"7","limit":2}]`}, true},
		"a record twice":                   {"sum of the limits", ann, "4", lists{`[{"id":"7","name":"Ann","limit":2},{"id":"7","name":"Ann","limit":2}]`}, false},
		"two lists":                        {"sum of the limits", ann, "5", lists{`{"open":[{"name":"Ann","limit":1},{"name":"Ann","limit":2}],"paid":[{"name":"Ann","limit":2}]}`}, false},
		"a record in a record":             {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1,"parts":[{"name":"Ann","limit":2}]}]`}, false},
		"a list in a record":               {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":[1,2]}]`}, false},
		"a part of the listing":            {"sum of the limits", ann, "3", lists{`{"has_more":true,"items":` + two + `}`}, false},
		"an amount with its currency":      {"sum of the limits", ann, "3", lists{`[{"name":"Ann","limit":1},{"name":"Ann","limit":"2 EUR"}]`}, false},
		"less than nothing":                {"sum of the limits", ann, "-1", lists{`[{"name":"Ann","limit":1},{"name":"Ann","limit":-2}]`}, true},
		"a number beyond all":              {"sum of the limits", ann, "1", lists{`[{"name":"Ann","limit":1},{"name":"Ann","limit":1e400}]`}, false},
		"two companies of a name":          {"sum of the limits", `"field":"limit","where":{"name":"Acme"}`, "3", lists{`[{"name":"Acme Ltd","limit":1},{"name":"Acme SA","limit":2}]`}, false},
		"a total is the member":            {"the order total", total, "3", lists{bills}, false},
		"a total less a number":            {"total minus 5", total, "-2", lists{bills}, false},
		"a total is what is plain":         {"invoice total plus tax", every, "3", lists{two}, false},
		"in total":                         {"the limits in total", every, "3", lists{two}, true},
		"what is added to one":             {"increase added to the limit", every, "3", lists{two}, false},
		"a record of by without a number":  {"limit of the rent", every, "50", lists{`[{"title":"rent","limit":null},{"title":"parking","limit":50}]`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, irreversible := range []bool{true, false} {
				got, misses := summed(t, c.by, c.source, c.value, irreversible, c.lists)
				if got != c.want {
					t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
				}
			}
		})
	}
}

// summed reports whether a payment of a number is covered that is computed from listings.
func summed(t *testing.T, by, source, value string, irreversible bool, lists []string) (bool, []string) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails",`+source+`}],"by":"`+by+`"}}}]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var results []*match.Result
	for i, text := range lists {
		r := &match.Result{Call: strconv.Itoa(i), Server: "mailbox", Tool: "list_mails", Covered: true, Read: true}
		setContent(r, text)
		results = append(results, r)
	}
	p := call("pay", map[string]string{"/amount": "o:" + value})
	p.Irreversible = irreversible
	_, misses, ok := match.NewTask(s, "Pay it for room 5.").Match(p, results)
	return ok, misses
}

// TestSumsOfTwoCalls: equal sums of two months are not one sum.
func TestSumsOfTwoCalls(t *testing.T) {
	s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","args":{"/folder":{"is":["may","june"]}},"field":"limit"}],"by":"sum of the limits"}}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var results []*match.Result
	for _, folder := range []string{"may", "june"} {
		r := &match.Result{Call: folder, Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Args: call("", map[string]string{"/folder": "s:" + folder}).Args}
		setContent(r, `[{"limit":1},{"limit":2}]`)
		results = append(results, r)
	}
	if _, _, ok := match.NewTask(s, "Pay the limits of May and June.").Match(call("pay", map[string]string{"/amount": "o:3"}), results); ok {
		t.Error("covered")
	}
}

// TestNumberOfEach: a number for each of several records is that of the record that another argument
// names, whichever argument comes first.
func TestNumberOfEach(t *testing.T) {
	const (
		four  = `[{"id":"a","balance":-340},{"id":"b","balance":20},{"id":"c","balance":-125},{"id":"d","balance":0}]`
		later = `[{"id":"a","balance":-300},{"id":"b","balance":20},{"id":"c","balance":-125},{"id":"d","balance":0}]`
		twice = `[{"id":"a","balance":-340},{"id":"c","balance":-125},{"id":"a","balance":-900}]`
		texts = `[{"id":"a","balance":"-340","note":"balance: -900"},{"id":"c","balance":"-125, or 900"}]`
	)
	entry := func(of string) string {
		from := `"tool":"list_mails","where":{"balance":{"below":0}}`
		return `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{` + from + `,"field":"id"}],"kind":"id","pick":"all"},` +
			`"/cents":{"computed":[{"tool":"list_mails","where":{"balance":` + of + `},"field":"balance"}],"by":"zero minus the balance"}}}]}`
	}
	same := entry(`{"below":0}`)
	for name, c := range map[string]struct {
		scope, id, cents string
		lists            []string
		want             bool
	}{
		"what is missing":                  {same, "a", "340", []string{four}, true},
		"what another one misses":          {same, "a", "125", []string{four}, false},
		"the other one's":                  {same, "c", "125", []string{four}, true},
		"what all miss":                    {same, "a", "465", []string{four}, false},
		"of one that isn't meant":          {same, "b", "125", []string{four}, false},
		"of one that misses nothing":       {same, "d", "0", []string{four}, false},
		"of records found in another way":  {entry(`{"below":-1}`), "a", "340", []string{four}, false},
		"two listings differ":              {same, "a", "300", []string{four, later}, false},
		"two records of one id":            {same, "a", "340", []string{twice}, false},
		"a number in a remark":             {same, "a", "900", []string{texts}, false},
		"a number in a member's own words": {same, "c", "900", []string{texts}, false},
	} {
		for _, write := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				var results []attacked
				for _, list := range c.lists {
					results = append(results, attacked{"list_mails", nil, list})
				}
				h := hostile{request: "Do it for each.", scope: c.scope, tool: "forward_mail", args: map[string]string{"/id": "s:" + c.id, "/cents": "o:" + c.cents}, write: write, results: results}
				if got, misses := h.covered(t); got != c.want {
					t.Errorf("covered %v, want %v: %v", got, c.want, misses)
				}
			})
		}
	}
}

// TestEachIsItsOwn: of the numbers that a listing has, a call gets the one of its own record and no other.
func TestEachIsItsOwn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		balances := rapid.SliceOfN(rapid.IntRange(-9, 3), 2, 4).Draw(rt, "balances")
		var all []map[string]any
		for i, b := range balances {
			all = append(all, map[string]any{"id": string(rune('a' + i)), "balance": b})
		}
		at := rapid.IntRange(0, len(balances)-1).Draw(rt, "of")
		cents := rapid.IntRange(-9, 9).Draw(rt, "cents")
		h := hostile{
			request: "Do it for each.", tool: "forward_mail", results: mails(nil, listOf(rt, map[string]any{"items": all})),
			args:  map[string]string{"/id": "s:" + string(rune('a'+at)), "/cents": "o:" + strconv.Itoa(cents)},
			scope: `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id"}],"kind":"id","pick":"all"},"/cents":{"computed":[{"tool":"list_mails","field":"balance"}],"by":"zero minus the balance"}}}]}`,
		}
		if got, misses := h.covered(t); got != (balances[at] < 0 && cents == -balances[at]) {
			rt.Errorf("%v of %s: %v", cents, h.results[0].text, misses)
		}
	})
}
