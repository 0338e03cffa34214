package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestUnitsThatNobodySaid: an irreversible call takes no number whose unit or currency neither the call nor the request has, wherever the result
// says it.
func TestUnitsThatNobodySaid(t *testing.T) {
	const one = `{"order":"O1","wanted":60`
	of := func(argument, said, list string, want bool) asking {
		scope := `{"calls":[{"tool":"send","args":{"` + argument + `":{"from":[{"tool":"list_orders","field":"wanted","where":{"order":"O1"}}],"kind":"number","pick":"only"}}}]}`
		return asking{scope: scope, said: "Send what order O1 wants" + said, tool: "send", args: map[string]string{argument: "o:60"}, results: []returned{{"list_orders", "", list}}, early: true, want: want}
	}
	units := func(beside string, want bool) asking { return of("/units", ".", `[`+one+beside+`}]`, want) }
	askings{
		"no unit":                          units(``, true),
		"single ones":                      units(`,"unit":"pcs"`, true),
		"the argument's":                   units(`,"unit":"units"`, true),
		"one that no program knows":        units(`,"unit":"pallets"`, false),
		"tied by the name":                 units(`,"wanted_unit":"ml"`, false),
		"tied, and what it is in":          units(`,"wanted_in":"dozens"`, false),
		"of another number":                units(`,"weight":3,"weight_unit":"kg"`, true),
		"the currency of another number":   units(`,"price":3,"currency":"EUR"`, true),
		"the unit of a flat":               units(`,"unit":"4B"`, true),
		"a sentence":                       units(`,"measure":"as it was agreed on the telephone"`, true),
		"a word of the request":            of("/units", ", in pallets.", `[`+one+`,"unit":"pallets"}]`, true),
		"a unit by the argument's name":    of("/kilograms", ".", `[`+one+`,"unit":"kg"}]`, true),
		"another by the argument's name":   of("/kilograms", ".", `[`+one+`,"unit":"lb"}]`, false),
		"around the list":                  of("/units", ".", `{"unit":"dozen","orders":[`+one+`}]}`, false),
		"of all values":                    of("/units", ".", `{"values_in":"thousands","orders":[`+one+`}]}`, false),
		"a map of units":                   of("/units", ".", `{"units":{"wanted":"dozen"},"orders":[`+one+`}]}`, false),
		"a map of the others' units":       of("/units", ".", `{"units":{"weight":"kg"},"orders":[`+one+`}]}`, true),
		"a list of columns":                of("/units", ".", `{"columns":[{"name":"wanted","unit":"dozen"}],"orders":[`+one+`}]}`, false),
		"a list of the other columns":      of("/units", ".", `{"columns":[{"name":"weight","unit":"kg"}],"orders":[`+one+`}]}`, true),
		"settings beside the list":         of("/amount", ", in USD.", `{"settings":{"currency":"JPY"},"orders":[`+one+`}]}`, false),
		"a currency where the call has no": of("/amount", ".", `[`+one+`,"currency":"EUR"}]`, true),
		"of two in the list":               of("/amount", ".", `[`+one+`,"currency":"EUR"},{"order":"O2","wanted":7,"currency":"HUF"}]`, false),
	}.run(t)

	coin := func(beside string, want bool) asking {
		scope := `{"calls":[{"tool":"send","args":{"/coin":{"is":"USDT"},"/amount":{"from":[{"tool":"list_orders","field":"amount","where":{"order":"O1"}}],"kind":"number","pick":"only"}}}]}`
		return asking{scope: scope, said: "Send what order O1 wants, in USDT.", tool: "send", args: map[string]string{"/amount": "o:60", "/coin": "o:USDT"}, results: []returned{{"list_orders", "", `[{"order":"O1","amount":60,` + beside + `}]`}}, early: true, want: want}
	}
	askings{
		"the coin":                       coin(`"coin":"USDT"`, true),
		"another currency than the coin": coin(`"coin":"USDT","amount_currency":"KRW"`, false),
		"what it is priced in":           coin(`"coin":"USDT","priced_in":"KRW"`, false),
		"a millionth of it":              coin(`"coin":"USDT","amount_unit":"micro"`, false),
	}.run(t)
}

// TestPricesWithAndWithoutTax: prices are compared where each has the tax in it, or none has, and they are for the same.
func TestPricesWithAndWithoutTax(t *testing.T) {
	cheapest := func(a, b string, want bool) asking {
		return asking{
			scope: `{"calls":[{"tool":"buy","args":{"/id":{"from":[{"tool":"list_items","field":"id"}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`,
			said:  "Buy the cheapest one.", tool: "buy", args: map[string]string{"/id": "s:b"}, early: true, want: want,
			results: []returned{{"list_items", "", `[{"id":"a","price":28` + a + `},{"id":"b","price":26` + b + `}]`}},
		}
	}
	askings{
		"both with tax":      cheapest(`,"tax_included":true`, `,"tax_included":true`, true),
		"one without":        cheapest(`,"tax_included":true`, `,"tax_included":false`, false),
		"net and gross":      cheapest(`,"net":false`, `,"net":true`, false),
		"in words":           cheapest(`,"vat":"incl."`, `,"vat":"excl."`, false),
		"its rate":           cheapest(`,"vat":19`, `,"vat":7`, true),
		"for something else": cheapest(`,"price_for":"bunch"`, `,"price_for":"stem"`, false),
		"by whom":            cheapest(`,"sold_by":"Ann"`, `,"sold_by":"Bo"`, true),
	}.run(t)
}

// TestUnsaidUnitAlwaysAsks draws a place for a unit and a word: a number in a unit that neither the call nor the request has is never taken.
func TestUnsaidUnitAlwaysAsks(t *testing.T) {
	places := []string{"unit", "wanted_unit", "wanted_in", "measure", "around", "map", "columns", "beside"}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[b-z]{4,9}`).Filter(func(w string) bool {
			return !strings.Contains("send what order wants units pallets pieces stueck each item stycket darab", strings.TrimSuffix(w, "s"))
		}).Draw(t, "unit")
		isSaid := rapid.Bool().Draw(t, "is said")
		record, list := map[string]any{"order": "O1", "wanted": 60}, map[string]any{}
		switch place := rapid.SampledFrom(places).Draw(t, "place"); place {
		case "around":
			list["unit"] = word
		case "map":
			list["units"] = map[string]any{"wanted": word}
		case "columns":
			list["columns"] = []any{map[string]any{"name": "wanted", "unit": word}}
		case "beside":
			list["settings"] = map[string]any{"unit": word}
		default:
			record[place] = word
		}
		list["orders"] = []any{record}

		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		request := "Send what order O1 wants."
		if isSaid {
			request = "Send what order O1 wants, in " + word + "."
		}
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"send","args":{"/units":{"from":[{"tool":"list_orders","field":"wanted","where":{"order":"O1"}}],"kind":"number","pick":"only"}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_orders", Covered: true, Read: true, Early: true}
		setContent(r, string(text))
		if _, misses, ok := match.NewTask(s, request).Match(call("send", map[string]string{"/units": "o:60"}), []*match.Result{r}); ok && !isSaid {
			t.Fatalf("%s covers 60 (%v)", text, misses)
		}
	})
}
