package match_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWholeCriterion: a criterion is read whole, or not at all.
func TestWholeCriterion(t *testing.T) {
	const four = `[{"id":"a","date":"2026-01-02","size":5,"rating":1},{"id":"b","date":"2026-01-04","size":7,"rating":2},{"id":"c","date":"2026-01-01","size":9,"rating":3},{"id":"d","date":"2026-01-03","size":2,"rating":4}]`
	for by, want := range map[string]string{
		"largest by size":                              "c",
		"latest, the last by date":                     "b",
		"best by the highest rating":                   "d",
		"least recent":                                 "c",
		"the second least recent":                      "a",
		"largest, the newest if two are equal":         "",
		"the largest of the three newest":              "",
		"newest and largest":                           "",
		"newest or oldest":                             "",
		"the second of the newest by date":             "",
		"newest of the second account":                 "",
		"second to last by date":                       "",
		"last but one by date":                         "",
		"third from the end, by date the newest":       "",
		"largest but not the newest":                   "",
		"largest without the drafts":                   "",
		"largest other than the report":                "",
		"newest before March":                          "",
		"smallest over 100 by size":                    "",
		"first in the list":                            "a",
		"the second in the list":                       "b",
		"the third mail of the list":                   "c",
		"first two in the list":                        "ab",
		"the two first in the list":                    "ab",
		"last in the list":                             "d",
		"the last one in the list":                     "d",
		"last two in the list":                         "cd",
		"second to last in the list":                   "c",
		"second last in the list":                      "c",
		"last but one in the list":                     "c",
		"penultimate in the list":                      "c",
		"third from the bottom of the list":            "b",
		"second in the list, from the end":             "c",
		"third from the left in the list":              "",
		"second in the list from Ann":                  "",
		"first or second in the list":                  "",
		"last but two in the list":                     "",
		"the second newest in the list":                "d",
		"second in the list of the newest":             "",
		"first in the list by size":                    "",
		"last in the list, sorted by size":             "",
		"fifth in the list":                            "",
		"fifth from the bottom of the list":            "",
		"last five in the list":                        "",
		"first in the list that is not the newest one": "",
	} {
		t.Run(by, func(t *testing.T) {
			if got := coveredOf(t, choosing(by), four); got != want {
				t.Errorf("covered: %q, want %q", got, want)
			}
		})
	}
}

// TestMemberOfCriterion: what stands behind "by" as programs write a name is a member's, whatever its words mean elsewhere.
func TestMemberOfCriterion(t *testing.T) {
	const fares = `[{"id":"a","priceFirst":70,"priceSecond":50},{"id":"b","priceFirst":80,"priceSecond":40},{"id":"c","priceFirst":60,"priceSecond":45}]`
	for by, want := range map[string]string{
		"cheapest by priceSecond":        "b",
		"cheapest by price_first":        "c",
		"second cheapest by priceSecond": "c",
		"cheapest by price, the second":  "",
		"cheapest by second":             "",
		"cheapest by the second":         "",
		"cheapest by priceThird":         "",
	} {
		t.Run(by, func(t *testing.T) {
			if got := coveredOf(t, choosing(by), fares); got != want {
				t.Errorf("covered: %q, want %q", got, want)
			}
		})
	}
}

// TestWordsOfMembers: a word that leaves things out elsewhere is a member's name right behind "by".
func TestWordsOfMembers(t *testing.T) {
	const waiting = `[{"id":"a","since":"2023-03-01"},{"id":"b","since":"2022-11-30"}]`
	for by, want := range map[string]string{"oldest by since": "b", "oldest since": "", "oldest by since March": ""} {
		t.Run(by, func(t *testing.T) {
			if got := coveredOf(t, choosing(by), waiting); got != want {
				t.Errorf("covered: %q, want %q", got, want)
			}
		})
	}
}

// TestUnitsThatAreThings: a unit's id is that of a flat or a box, and measures nothing; a unit of measure makes numbers incomparable.
func TestUnitsThatAreThings(t *testing.T) {
	for name, c := range map[string]struct{ by, list, want string }{
		"ids of units":         {"most expensive by monthlyFee", `[{"id":"a","unitId":"G-3","monthlyFee":420},{"id":"b","unitId":"G-8","monthlyFee":1190}]`, "b"},
		"units of measure":     {"largest by size", `[{"id":"a","uomId":"1","size":2},{"id":"b","uomId":"2","size":9}]`, ""},
		"a unit in the id":     {"largest by size", `[{"id":"a","unitId":"kg","size":2},{"id":"b","unitId":"g","size":9}]`, ""},
		"units by their names": {"largest by size", `[{"id":"a","unitName":"crate","size":2},{"id":"b","unitName":"pallet","size":9}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := coveredOf(t, choosing(c.by), c.list); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestRatios: what is compared for one of a unit is so by a member that says so, or by none.
func TestRatios(t *testing.T) {
	const (
		plain  = `[{"id":"a","price":54.9,"size":"250 g"},{"id":"b","price":39.9,"size":"200 g"}]`
		perKG  = `[{"id":"a","price":54.9,"price_per_kg":219},{"id":"b","price":39.9,"price_per_kg":239}]`
		each   = `[{"id":"a","price":54.9,"unitPrice":3},{"id":"b","price":39.9,"unitPrice":4}]`
		nights = `[{"id":"a","price":500,"price_per_night":90},{"id":"b","price":400,"price_per_night":95}]`
	)
	for name, c := range map[string]struct{ by, list, want string }{
		"no member says so":        {"lowest by price per kilo", plain, ""},
		"in German":                {"lowest Preis pro Kilo", plain, ""},
		"with a sign":              {"lowest by price/kg", plain, ""},
		"of each":                  {"cheapest price je Stück", plain, ""},
		"a number of the unit":     {"lowest by price per 100 g", plain, ""},
		"a member that says so":    {"lowest by price per kilo", perKG, "a"},
		"the same, with a sign":    {"lowest by price/kg", perKG, "a"},
		"said without the price":   {"cheapest per kilo", perKG, "a"},
		"of another unit":          {"lowest by price per litre", perKG, ""},
		"the price of a unit":      {"lowest by price per piece", each, "a"},
		"a unit's, for a kilo":     {"lowest by price per kilo", each, ""},
		"what is no measure":       {"cheapest price per night", nights, "a"},
		"the price alone":          {"cheapest by price", plain, "b"},
		"a sign between two names": {"lowest by price/cost", plain, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []bool{true, false} {
				got := ""
				for _, id := range []string{"a", "b"} {
					h := hostile{request: "Forward the right one.", scope: choosing(c.by), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, c.list), write: write}
					if ok, _ := h.covered(t); ok {
						got += id
					}
				}
				if got != c.want {
					t.Errorf("can be taken back %v: covered %q, want %q", write, got, c.want)
				}
			}
		})
	}
}

// TestEndOfPage: the last in a list isn't the last of a page of it, and the first is.
func TestEndOfPage(t *testing.T) {
	const page = `{"has_more":true,"mails":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]}`
	for by, want := range map[string]string{
		"first in the list":                  "a",
		"last in the list":                   "",
		"second to last in the list":         "",
		"second from the end of the list":    "",
		"the last two in the list of things": "",
	} {
		t.Run(by, func(t *testing.T) {
			if got := coveredOf(t, choosing(by), page); got != want {
				t.Errorf("covered: %q, want %q", got, want)
			}
		})
	}
}

// TestMeasures: numbers are compared with numbers of the same measure that are written in one way.
func TestMeasures(t *testing.T) {
	below := func(limit string) string {
		return `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"size":{"below":` + limit + `}}}],"kind":"id","pick":"only"}}}]}`
	}
	for name, c := range map[string]struct{ scope, list, want string }{
		"one unit":                         {choosing("largest by size"), `[{"id":"a","size":18,"unit":"l"},{"id":"b","size":1,"unit":"L"}]`, "a"},
		"two units":                        {choosing("largest by size"), `[{"id":"a","size":18,"unit":"l"},{"id":"b","size":900,"unit":"ml"}]`, ""},
		"a unit of one alone":              {choosing("largest by size"), `[{"id":"a","size":18,"unit":"l"},{"id":"b","size":900}]`, ""},
		"the unit of the member":           {choosing("largest by size"), `[{"id":"a","size":18,"size_unit":"l"},{"id":"b","size":900,"size_unit":"ml"}]`, ""},
		"a unit in an object":              {choosing("largest by size"), `[{"id":"a","size":{"value":18,"unit":"l"}},{"id":"b","size":{"value":900,"unit":"ml"}}]`, ""},
		"a unit of a company":              {choosing("largest by size"), `[{"id":"a","size":18,"business_unit":"law"},{"id":"b","size":900,"business_unit":"tax"}]`, "b"},
		"two currencies":                   {choosing("cheapest"), `[{"id":"a","price":18,"currency":"EUR"},{"id":"b","price":17,"currency":"USD"}]`, ""},
		"two currencies, in no English":    {choosing("cheapest"), `[{"id":"a","price":18,"moneda":"eur"},{"id":"b","price":17,"moneda":"usd"}]`, ""},
		"two of their signs":               {choosing("cheapest"), `[{"id":"a","price":18,"of":"kr"},{"id":"b","price":17,"of":"Kč"}]`, ""},
		"two units, in no English":         {choosing("largest by size"), `[{"id":"a","size":18,"unidad":"saco"},{"id":"b","size":900,"unidad":"palé"}]`, ""},
		"two units under any name":         {choosing("largest by size"), `[{"id":"a","size":18,"as":"l/s"},{"id":"b","size":900,"as":"m3/h"}]`, ""},
		"for two lengths of time":          {choosing("cheapest"), `[{"id":"a","price":18,"billed":"month"},{"id":"b","price":17,"billed":"hour"}]`, ""},
		"one unit under any name":          {choosing("largest by size"), `[{"id":"a","size":18,"as":"l"},{"id":"b","size":900,"as":"l"}]`, "b"},
		"countries":                        {choosing("cheapest"), `[{"id":"a","price":18,"country":"GB"},{"id":"b","price":17,"country":"FR"}]`, "b"},
		"sizes":                            {choosing("cheapest"), `[{"id":"a","price":18,"size":"M"},{"id":"b","price":17,"size":"L"}]`, "b"},
		"words that are no units":          {choosing("largest by size"), `[{"id":"a","size":18,"as":"blue"},{"id":"b","size":900,"as":"red"}]`, "b"},
		"a point that may part thousands":  {choosing("cheapest"), `[{"id":"a","price":"900.00"},{"id":"b","price":"1.050"}]`, ""},
		"with a number":                    {choosing("cheapest"), `[{"id":"a","price":900},{"id":"b","price":"1.050"}]`, ""},
		"in all of them":                   {choosing("cheapest"), `[{"id":"a","price":"9.000"},{"id":"b","price":"1.050"}]`, "b"},
		"of numbers it is the decimal one": {choosing("cheapest"), `[{"id":"a","price":900},{"id":"b","price":1.055}]`, "b"},
		"nothing is before the point":      {choosing("cheapest"), `[{"id":"a","price":"0.500"},{"id":"b","price":"0.45"}]`, "b"},
		"below in one reading":             {below("900"), `[{"id":"a","size":"1.050"},{"id":"b","size":"2000.00"}]`, ""},
		"below in both readings":           {below("2000"), `[{"id":"a","size":"1.050"},{"id":"b","size":"2000.00"}]`, "a"},
		"below as a number":                {below("900"), `[{"id":"a","size":1.055},{"id":"b","size":2000}]`, "a"},
		"below in two units":               {below("10"), `[{"id":"a","size":2,"unit":"l"},{"id":"b","size":900,"unit":"ml"}]`, ""},
		"below in one unit":                {below("10"), `[{"id":"a","size":2,"unit":"l"},{"id":"b","size":900,"unit":"l"}]`, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := coveredOf(t, c.scope, c.list); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestChosenRecord: whatever records there are, what a choice of one member lets through of another one is of
// a record that is chosen, also where others have the chosen value.
func TestChosenRecord(t *testing.T) {
	const paying = `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"account"}],"kind":"account","pick":"choice","by":"largest by size"},"/amount":{"from":[{"tool":"list_mails","field":"amount"}],"kind":"number","pick":"all"}}}]}`
	accounts := []string{"DE89370400440532013000", "GB33BUKB20201555555555", "DE75512108001245126199"}
	rapid.Check(t, func(rt *rapid.T) {
		var records []map[string]any
		for range rapid.IntRange(1, 4).Draw(rt, "records") {
			records = append(records, map[string]any{
				"account": rapid.SampledFrom(accounts).Draw(rt, "account"), "amount": rapid.SampledFrom([]string{"5", "7", "9"}).Draw(rt, "amount"), "size": rapid.IntRange(1, 3).Draw(rt, "size"),
			})
		}
		data, err := json.Marshal(records)
		if err != nil {
			rt.Fatal(err)
		}
		largest := slices.MaxFunc(records, func(a, b map[string]any) int { return a["size"].(int) - b["size"].(int) })["size"]

		for _, account := range accounts {
			for _, amount := range []string{"5", "7", "9"} {
				h := hostile{request: "Pay the largest.", scope: paying, tool: "pay", args: map[string]string{"/account": "t:" + account, "/amount": "o:" + amount}, results: mails(nil, string(data))}
				isMeant := slices.ContainsFunc(records, func(r map[string]any) bool {
					return r["account"] == account && r["amount"] == amount && r["size"] == largest
				})
				if ok, _ := h.covered(t); ok && !isMeant {
					rt.Errorf("%s to %s is covered: %s", amount, account, data)
				}
			}
		}
	})
}
