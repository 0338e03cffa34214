package scope_test

import "testing"

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
