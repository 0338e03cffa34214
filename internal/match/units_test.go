package match_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestUnits: numbers are compared where they measure the same, in whatever way the records say in what they are.
func TestUnits(t *testing.T) {
	const dated = "newest by date"
	for name, c := range map[string]struct {
		by, list string
		want     bool
	}{
		"one currency by its code":            {"cheapest by price", `[{"iban":"A","price":70,"currency_code":"EUR"},{"iban":"B","price":80,"currency_code":"EUR"}]`, true},
		"two currencies by their codes":       {"cheapest by price", `[{"iban":"A","price":70,"currency_code":"KWD"},{"iban":"B","price":80,"currency_code":"EUR"}]`, false},
		"a currency that is abbreviated":      {"cheapest by price", `[{"iban":"A","price":70,"ccy":"KWD"},{"iban":"B","price":80,"ccy":"EUR"}]`, false},
		"the sign of a currency":              {"cheapest by price", `[{"iban":"A","price":70,"symbol":"KD"},{"iban":"B","price":80,"symbol":"€"}]`, false},
		"the symbols of shares":               {"cheapest by price", `[{"iban":"A","price":70,"symbol":"ABC"},{"iban":"B","price":80,"symbol":"XYZ"}]`, true},
		"a currency of one alone":             {"cheapest by price", `[{"iban":"A","price":70},{"iban":"B","price":80,"currency":"EUR"}]`, false},
		"the code of a unit":                  {"smallest by volume", `[{"iban":"A","volume":18,"unit_code":"LTR"},{"iban":"B","volume":900,"unit_code":"MLT"}]`, false},
		"a unit of measure":                   {"smallest by volume", `[{"iban":"A","volume":18,"uom":"l"},{"iban":"B","volume":900,"uom":"ml"}]`, false},
		"what a price is for":                 {"cheapest by price", `[{"iban":"A","price":70,"per":"kilo"},{"iban":"B","price":800,"per":"pallet"}]`, false},
		"the same for all":                    {"cheapest by price", `[{"iban":"A","price":70,"per":"kilo"},{"iban":"B","price":800,"per":"kilo"}]`, true},
		"its basis":                           {"cheapest by price", `[{"iban":"A","price":70,"price_basis":"each"},{"iban":"B","price":800,"price_basis":"box"}]`, false},
		"what it is priced per":               {"cheapest by price", `[{"iban":"A","price":70,"priced_per":"head"},{"iban":"B","price":800,"priced_per":"group"}]`, false},
		"the basis of something else":         {"cheapest by price", `[{"iban":"A","price":70,"legal_basis":"contract"},{"iban":"B","price":800,"legal_basis":"law"}]`, true},
		"a scale":                             {"smallest by volume", `[{"iban":"A","volume":2,"volume_scale":1000},{"iban":"B","volume":900,"volume_scale":1}]`, false},
		"a currency under any name":           {"cheapest by price", `[{"iban":"A","price":70,"coin":"KWD"},{"iban":"B","price":80,"coin":"EUR"}]`, false},
		"another code of three letters":       {"cheapest by price", `[{"iban":"A","price":70,"airport":"HAM"},{"iban":"B","price":80,"airport":"RTM"}]`, true},
		"ratings of several scales":           {"best by rating", `[{"iban":"A","rating":7,"rating_max":10},{"iban":"B","rating":5,"rating_max":5}]`, false},
		"marks of several papers":             {"best by mark", `[{"iban":"A","mark":7,"max":20},{"iban":"B","mark":5,"max":5}]`, false},
		"out of several":                      {"best by rating", `[{"iban":"A","rating":7,"out_of":10},{"iban":"B","rating":5,"out_of":5}]`, false},
		"how a price is meant":                {"cheapest by price", `[{"iban":"A","price":70,"pricing":"per guest"},{"iban":"B","price":800,"pricing":"in all"}]`, false},
		"its type":                            {"cheapest by price", `[{"iban":"A","price":70,"price_type":"night"},{"iban":"B","price":800,"price_type":"stay"}]`, false},
		"how often it is billed":              {"cheapest by price", `[{"iban":"A","price":70,"billed":"monthly"},{"iban":"B","price":800,"billed":"yearly"}]`, false},
		"how much was billed":                 {"cheapest by price", `[{"iban":"A","price":70,"billed":60},{"iban":"B","price":800,"billed":"90"}]`, true},
		"whether it was":                      {"cheapest by price", `[{"iban":"A","price":70,"billed":true},{"iban":"B","price":800,"billed":false}]`, true},
		"how many rated it":                   {"best by rating", `[{"iban":"A","rating":7,"raters":10},{"iban":"B","rating":5,"raters":5}]`, true},
		"seconds and milliseconds":            {"oldest by date", `[{"iban":"A","date":1780000000},{"iban":"B","date":1700000000000}]`, false},
		"seconds":                             {"oldest by date", `[{"iban":"A","date":1700000000},{"iban":"B","date":1780000000}]`, true},
		"ratings of one scale":                {"best by rating", `[{"iban":"A","rating":4,"max_rating":5},{"iban":"B","rating":3,"max_rating":5}]`, true},
		"the highest price beside one":        {"cheapest by price", `[{"iban":"A","price":70,"price_max":90},{"iban":"B","price":80,"price_max":99}]`, true},
		"what a size is in":                   {"smallest by size", `[{"iban":"A","size":2,"size_in":"GB"},{"iban":"B","size":900,"size_in":"KB"}]`, false},
		"a price for another time":            {"cheapest by price", `[{"iban":"A","price":70,"interval":"week"},{"iban":"B","price":80,"interval":"year"}]`, false},
		"how often something of a size comes": {"smallest by size", `[{"iban":"A","size":2,"interval":"week"},{"iban":"B","size":9,"interval":"year"}]`, true},
		"the currency of what is compared":    {dated, `[{"iban":"A","date":"2026-05-01","currency":"EUR"},{"iban":"B","date":"2026-04-01","currency":"USD"}]`, true},
		"the largest below zero":              {"largest by amount", `[{"iban":"A","amount":-20},{"iban":"B","amount":-900}]`, false},
		"of both signs":                       {"largest by amount", `[{"iban":"A","amount":0.01},{"iban":"B","amount":-900}]`, false},
		"the smallest of both signs":          {"smallest by amount", `[{"iban":"A","amount":-900},{"iban":"B","amount":-3},{"iban":"C","amount":20}]`, false},
		"as texts":                            {"largest amount", `[{"iban":"A","amount":"0.01"},{"iban":"B","amount":"-900.00"}]`, false},
		"the lowest balance":                  {"lowest by balance", `[{"iban":"A","balance":-900},{"iban":"B","balance":20}]`, true},
		"the lowest temperature":              {"lowest by temperature", `[{"iban":"A","temperature":-9},{"iban":"B","temperature":20}]`, true},
		"a time of long ago":                  {"newest by date", `[{"iban":"A","date":"1969-05-01"},{"iban":"B","date":"1950-04-01"}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"`+c.by+`"`)}, c.list, map[string]string{"/to": "t:A"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestTheLargestOfNumbersBelowZero: a number that is singled out by itself is not below zero.
func TestTheLargestOfNumbersBelowZero(t *testing.T) {
	for list, want := range map[string]bool{`[{"size":20},{"size":7}]`: true, `[{"size":20},{"size":-900}]`: false} {
		h := hostile{request: "Pay half of it.", scope: moving(map[string]string{"/cents": halfOf("half of the highest size")}), tool: "forward_mail", results: mails(nil, list), args: map[string]string{"/cents": "o:10"}}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}

// TestUnitOfABound: a bound is in the unit that the user said it in, and what is listed in another one doesn't meet it.
func TestUnitOfABound(t *testing.T) {
	for name, c := range map[string]struct{ request, list, want string }{
		"all in the unit":               {"Forward those below 40 litres.", `[{"id":"a","size":30,"unit":"l"},{"id":"b","size":50,"unit":"l"}]`, "a"},
		"all in another one":            {"Forward those below 40 litres.", `[{"id":"a","size":30,"unit":"hl"},{"id":"b","size":50,"unit":"hl"}]`, ""},
		"one of them in another one":    {"Forward those below 40 litres.", `[{"id":"a","size":30,"unit":"l"},{"id":"b","size":3,"unit":"hl"}]`, "a"},
		"in one that nobody knows":      {"Forward those below 40 litres.", `[{"id":"a","size":30,"unit":"jug"},{"id":"b","size":50,"unit":"jug"}]`, ""},
		"and none was said":             {"Forward those below 40.", `[{"id":"a","size":30,"unit":"jug"},{"id":"b","size":50,"unit":"jug"}]`, "a"},
		"in hundreds":                   {"Forward those below 40.", `[{"id":"a","size":0.4,"size_unit":"hundred"},{"id":"b","size":0.5,"size_unit":"hundred"}]`, ""},
		"in thousands of the unit":      {"Forward those below 40 kr.", `[{"id":"a","size":30,"unit":"tusind kr"},{"id":"b","size":50,"unit":"tusind kr"}]`, ""},
		"a currency of several lands":   {"Forward those below 40 kr.", `[{"id":"a","size":30,"currency":"SEK"},{"id":"b","size":50,"currency":"SEK"}]`, "a"},
		"of none of them":               {"Forward those below 40 kr.", `[{"id":"a","size":30,"currency":"EUR"},{"id":"b","size":50,"currency":"EUR"}]`, ""},
		"written on":                    {"40円以下のものを転送して。", `[{"id":"a","size":30,"currency":"USD"},{"id":"b","size":50,"currency":"USD"}]`, ""},
		"a price for each time":         {"Forward those below 40 euros.", `[{"id":"a","price":30,"currency":"EUR","interval":"monthly"},{"id":"b","price":50,"currency":"EUR","interval":"monthly"}]`, "a"},
		"in two, and none was said":     {"Forward those below 40.", `[{"id":"a","size":30,"unit":"l"},{"id":"b","size":3,"unit":"hl"}]`, ""},
		"the sign before a number":      {"Forward those below €40.", `[{"id":"a","size":30,"currency":"EUR"},{"id":"b","size":50,"currency":"EUR"}]`, "a"},
		"a sign of another currency":    {"Forward those below $40.", `[{"id":"a","size":30,"currency":"EUR"},{"id":"b","size":50,"currency":"EUR"}]`, ""},
		"a code":                        {"Forward those below 40 SEK.", `[{"id":"a","size":30,"currency":"KWD"},{"id":"b","size":50,"currency":"KWD"}]`, ""},
		"what else is measured":         {"Forward those below 40 euros.", `[{"id":"a","size":30,"unit":"kg"},{"id":"b","size":50,"unit":"kg"}]`, "a"},
		"the unit of another number":    {"Forward those below 40, 3 kg at most.", `[{"id":"a","size":30,"unit":"t"},{"id":"b","size":50,"unit":"t"}]`, "a"},
		"at most, with what is next":    {"Forward those of at most 39.99 litres.", `[{"id":"a","size":30,"unit":"hl"},{"id":"b","size":50,"unit":"hl"}]`, ""},
		"at most, of whole ones":        {"Forward those of at most 39 litres.", `[{"id":"a","size":30,"unit":"l"},{"id":"b","size":50,"unit":"l"}]`, "a"},
		"another number next to it":     {"Forward those below 40 litres, 39 km away.", `[{"id":"a","size":30,"unit":"km"},{"id":"b","size":50,"unit":"km"}]`, "a"},
		"its unit, which isn't meant":   {"Forward those below 40 litres, 39 km away.", `[{"id":"a","size":30,"unit":"m"},{"id":"b","size":50,"unit":"m"}]`, "a"},
		"of another unit all the same":  {"Forward those below 40 litres, 39 km away.", `[{"id":"a","size":30,"unit":"hl"},{"id":"b","size":50,"unit":"hl"}]`, ""},
		"two bounds next to each other": {"Forward those below 40 euros, at most 39 km.", `[{"id":"a","size":30,"unit":"m"},{"id":"b","size":50,"unit":"m"}]`, ""},
		"a bound by words behind":       {"Forward those below 40 euros, 39 km at most.", `[{"id":"a","size":30,"unit":"m"},{"id":"b","size":50,"unit":"m"}]`, ""},
		"elements of another form":      {"Forward those below 40.", `[{"id":"a","size":30,"unit":"l","old":[{"size":3}]},{"id":"b","size":50,"unit":"l"}]`, "a"},
		"a word behind that is no unit": {"Forward those below 40 to Ann.", `[{"id":"a","size":30,"unit":"t"},{"id":"b","size":50,"unit":"t"}]`, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, id := range []string{"a", "b"} {
				text := `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"size":{"below":40}}}],"kind":"id","pick":"all"}}}]}`
				if strings.Contains(c.list, "price") {
					text = strings.ReplaceAll(text, "size", "price")
				}
				h := hostile{request: c.request, scope: text, tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, results: mails(nil, c.list)}
				if ok, _ := h.covered(t); ok {
					got += id
				}
			}
			if got != c.want {
				t.Errorf("covered %q, want %q", got, c.want)
			}
		})
	}
}

// TestWholeAmounts: what is the cheapest by its price is so by all that it costs as well, where the records say that.
func TestWholeAmounts(t *testing.T) {
	for name, c := range map[string]struct {
		by, list string
		want     bool
	}{
		"both orders agree":               {"", `[{"iban":"A","fare":7,"total_fare":9},{"iban":"B","fare":8,"total_fare":12}]`, true},
		"dearer in all":                   {"", `[{"iban":"A","fare":7,"total_fare":90},{"iban":"B","fare":8,"total_fare":12}]`, false},
		"a bare total":                    {"", `[{"iban":"A","fare":7,"total":90},{"iban":"B","fare":8,"total":12}]`, false},
		"how many there are in all":       {"", `[{"iban":"A","fare":7,"total_seats":90},{"iban":"B","fare":8,"total_seats":12}]`, true},
		"an order that is not of money":   {"highest rating", `[{"iban":"A","fare":7,"total":9,"rating":5},{"iban":"B","fare":8,"total":12,"rating":4}]`, true},
		"what was paid before a discount": {"", `[{"iban":"A","fare":7,"original_fare":90},{"iban":"B","fare":8,"original_fare":12}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.by == "" {
				c.by = "cheapest by fare"
			}
			b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"`+c.by+`"`)}, c.list, map[string]string{"/to": "t:A"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestTakenUnits: a number that a call takes is in the call's own unit and currency, as far as a record and a call name them.
func TestTakenUnits(t *testing.T) {
	for name, c := range map[string]struct {
		field, list, at string
		currency, usual string
		want            bool
	}{
		"a number without a unit":                       {"fee", `[{"fee":12}]`, "/amount", "", "", true},
		"hours into minutes":                            {"duration_hours", `[{"duration_hours":12}]`, "/minutes", "", "", false},
		"minutes into minutes":                          {"duration", `[{"duration_min":12}]`, "/minutes", "", "", true},
		"minutes by the unit beside":                    {"duration", `[{"duration":12,"unit":"h"}]`, "/minutes", "", "", false},
		"hours into what says no unit":                  {"duration_hours", `[{"duration_hours":12}]`, "/length", "", "", true},
		"dollars for euros":                             {"fee", `[{"fee":12,"currency":"USD"}]`, "/amount", "EUR", "", false},
		"dollars for what a call is in":                 {"fee", `[{"fee":12,"currency":"USD"}]`, "/amount", "", "EUR", false},
		"dollars for dollars":                           {"fee", `[{"fee":12,"currency":"USD"}]`, "/amount", "usd", "EUR", true},
		"dollars by the member's name":                  {"fee", `[{"fee_usd":12}]`, "/amount", "EUR", "", false},
		"by the argument's name":                        {"fee", `[{"fee_usd":12}]`, "/amount_eur", "", "", false},
		"a sign for the currency":                       {"fee", `[{"fee":12,"currency":"$"}]`, "/amount", "EUR", "", false},
		"dollars where the call says nothing":           {"fee", `[{"fee":12,"currency":"USD"}]`, "/amount", "", "", true},
		"kilograms in a call with another currency too": {"weight", `[{"weight_kg":12}]`, "/weight_kg", "EUR", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			args, stated := map[string]string{c.at: "o:12"}, ""
			if c.currency != "" {
				args["/currency"], stated = "o:"+c.currency, `,"/currency":{"is":"`+c.currency+`"}`
			}
			s, refused, err := scope.Parse(fmt.Appendf(nil, `{"calls":[{"tool":"pay","args":{%q:{"from":[{"tool":"list_fees","field":%q}],"kind":"number","pick":"only"}%s}}]}`, c.at, c.field, stated), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_fees", Covered: true, Read: true, Early: true}
			setContent(r, c.list)
			p := call("pay", args)
			p.Default = func(pointer string) (string, bool) { return c.usual, pointer == "/currency" && c.usual != "" }
			if _, misses, ok := match.NewTask(s, "Pay the fee.").Match(p, []*match.Result{r}); ok != c.want {
				t.Errorf("covered %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestWhatComesOnTop: what is cheapest by its price is so with the fees that come on top.
func TestWhatComesOnTop(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		want bool
	}{
		"a fee that makes it dearer":   {`[{"iban":"A","fare":7,"cleaning_fee":90},{"iban":"B","fare":8,"cleaning_fee":10}]`, false},
		"a fee that is lower, too":     {`[{"iban":"A","fare":7,"cleaning_fee":9},{"iban":"B","fare":8,"cleaning_fee":10}]`, true},
		"a fee that all have":          {`[{"iban":"A","fare":7,"booking_fee":2},{"iban":"B","fare":8,"booking_fee":2}]`, true},
		"a fee that one doesn't tell":  {`[{"iban":"A","fare":7},{"iban":"B","fare":8,"booking_fee":2}]`, false},
		"fees of other names":          {`[{"iban":"A","fare":7,"cleaning_fee":90},{"iban":"B","fare":8,"booking_fee":1}]`, false},
		"fees in texts":                {`[{"iban":"A","fare":7,"cleaning_fee":"90 EUR"},{"iban":"B","fare":8,"cleaning_fee":"1 EUR"}]`, false},
		"the same text":                {`[{"iban":"A","fare":7,"cleaning_fee":"9 EUR"},{"iban":"B","fare":8,"cleaning_fee":"9 EUR"}]`, true},
		"fees in an object":            {`[{"iban":"A","fare":7,"fees":{"cleaning_fee":90}},{"iban":"B","fare":8,"fees":{"cleaning_fee":1}}]`, false},
		"lower fees in an object":      {`[{"iban":"A","fare":7,"fees":{"cleaning_fee":1}},{"iban":"B","fare":8,"fees":{"cleaning_fee":90}}]`, true},
		"shipping":                     {`[{"iban":"A","fare":7,"shipping":9},{"iban":"B","fare":8,"shipping":2}]`, false},
		"a fee that need not be":       {`[{"iban":"A","fare":7,"late_fee":90},{"iban":"B","fare":8,"late_fee":10}]`, true},
		"what it costs in all is told": {`[{"iban":"A","fare":7,"fee":9,"total":16},{"iban":"B","fare":18,"fee":2,"total":20}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"cheapest by fare"`)}, c.list, map[string]string{"/to": "t:A"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestUnitOfAnAmount: an amount that a call pays is in no smaller unit by what is beside it, nor in another currency than the request has.
func TestUnitOfAnAmount(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		want bool
	}{
		"as it is":                  {`[{"iban":"A","amount":70}]`, true},
		"in the currency":           {`[{"iban":"A","amount":70,"currency":"SEK"}]`, true},
		"in another one":            {`[{"iban":"A","amount":70,"currency":"EUR"}]`, false},
		"all amounts in hundredths": {`[{"iban":"A","amount":7000,"amounts_in":"öre"}]`, false},
		"with decimals that aren't": {`[{"iban":"A","amount":7000,"minor_unit":2}]`, false},
		"with no decimals":          {`[{"iban":"A","amount":70,"exponent":0}]`, true},
		"with a scale":              {`[{"iban":"A","amount":70,"scale":1000}]`, false},
	} {
		amount := map[bool]string{true: "7000", false: "70"}[strings.Contains(c.list, "7000")]
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/currency":{"is":"SEK"},"/amount":{"from":[{"tool":"list_bills","field":"amount"}],"kind":"number","pick":"only"}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "s", Tool: "list_bills", Covered: true, Read: true, Early: true}
		setContent(r, c.list)
		p := &match.Proposal{Server: "s", Tool: "pay", Call: "c", Irreversible: true, Role: func(string) label.Role { return label.Control },
			Args: []match.Argument{{Pointer: "/amount", Text: amount, Role: label.Control}}}
		if _, misses, got := match.NewTask(s, "Pay it in SEK.").Match(p, []*match.Result{r}); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestNoneInAnOrder: what stands for no number is not the lowest, and what was done is not done in time to come.
func TestNoneInAnOrder(t *testing.T) {
	now := time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC)
	lowest := func(by, list string, want bool) asking {
		return asking{scope: choosing(by), said: "Forward it.", tool: "forward_mail", args: map[string]string{"/id": "s:b"}, results: []returned{{"list_mails", "", list}}, now: now, want: want}
	}
	askings{
		"hours":                     lowest("lowest hours", `[{"id":"a","hours":5},{"id":"b","hours":2}]`, true),
		"no hours":                  lowest("lowest hours", `[{"id":"a","hours":5},{"id":"b","hours":-1}]`, false),
		"one below another":         lowest("lowest level", `[{"id":"a","level":-1},{"id":"b","level":-4}]`, true),
		"the newest":                lowest("newest by created_at", `[{"id":"a","created_at":"2026-05-01"},{"id":"b","created_at":"2026-05-12"}]`, true),
		"created in years to come":  lowest("newest by created_at", `[{"id":"a","created_at":"2026-05-01"},{"id":"b","created_at":"2030-01-01"}]`, false),
		"what is still to be begun": lowest("latest by start", `[{"id":"a","start":"2026-05-01"},{"id":"b","start":"2030-01-01"}]`, true),
	}.run(t)
}

// TestUnknownUnits: an irreversible call takes no number beside a unit or a currency that isn't known to be its own, also not to compute with it.
func TestUnknownUnits(t *testing.T) {
	for name, c := range map[string]struct {
		beside string
		want   bool
	}{
		"the currency":            {`"currency":"EUR"`, true},
		"its name":                {`"currency":"Euro"`, true},
		"nothing beside":          {`"name":"Ann"`, true},
		"thousands of it":         {`"currency":"TEUR"`, false},
		"thousands in words":      {`"currency":"tys. EUR"`, false},
		"hundredths":              {`"unit":"cents"`, false},
		"a code for hundredths":   {`"currency":"GBp"`, false},
		"another currency":        {`"currency":"SEK"`, false},
		"no currency":             {`"currency":"tablets"`, false},
		"per cent":                {`"fee_unit":"%"`, false},
		"per cent, as its type":   {`"fee_type":"percent"`, false},
		"a rate":                  {`"fee_type":"rate"`, false},
		"a type that says no how": {`"fee_type":"yearly"`, true},
	} {
		for by, value := range map[string]string{"": "80", "half of the fee": "40", "sum of fee": "80", "fee minus 5": "75"} {
			from := `"from":[{"tool":"list_mails","field":"fee"}],"kind":"number","pick":"only"`
			if by != "" {
				from = `"computed":[{"tool":"list_mails","field":"fee"}],"by":"` + by + `"`
			}
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/amount":{`+from+`},"/currency":{"is":"EUR"}}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true}
			setContent(r, `[{"fee":80,`+c.beside+`}]`)
			p := call("pay", map[string]string{"/amount": "o:" + value, "/currency": "o:EUR"})
			if _, misses, ok := match.NewTask(s, "Pay it in EUR.").Match(p, []*match.Result{r}); ok != c.want {
				t.Errorf("%s, by %q: covered %v, want %v (%v)", name, by, ok, c.want, misses)
			}
		}
	}
}
