package match_test

import (
	"strings"
	"testing"
)

// TestComputedBy: "by" says which operation a number is the result of, and whether a source's
// numbers are added up.
func TestComputedBy(t *testing.T) {
	const (
		bills = `[{"name":"Ann","limit":240.5},{"name":"Ann","limit":95.5},{"name":"Eve","limit":7}]`
		even  = `[{"name":"Ann","limit":95.5},{"name":"Ann","limit":95.5},{"name":"Ann","limit":95.5}]`
	)
	for name, c := range map[string]struct {
		by, list, value string
		want            bool
	}{
		"the sum":                         {"sum of Ann's limits", bills, "336", true},
		"one of the numbers":              {"sum of Ann's limits", bills, "240.5", false},
		"with another's":                  {"sum of Ann's limits", bills, "343", false},
		"the sum of equal numbers":        {"total", even, "286.5", true},
		"one of equal numbers":            {"total", even, "95.5", false},
		"no word of a sum":                {"Ann's limits", bills, "336", false},
		"a number that is none":           {"sum of Ann's limits", `[{"name":"Ann","limit":1},{"name":"Ann","limit":"two"}]`, "1", false},
		"the sum less a part":             {"sum of Ann's limits minus 36", bills, "300", true},
		"the sum without what is less":    {"sum of Ann's limits minus 36", bills, "336", false},
		"the sum and what is less":        {"sum of Ann's limits minus 36", bills, "372", false},
		"a part in a hundred less":        {"limit minus 10 percent", `[{"name":"Ann","limit":200}]`, "180", true},
		"a part in a hundred more":        {"limit minus 10 percent", `[{"name":"Ann","limit":200}]`, "220", false},
		"the first of two ways":           {"the new limit, or the present one plus 10", `[{"name":"Ann","limit":200}]`, "200", true},
		"the second of two ways":          {"the new limit, or the present one plus 10", `[{"name":"Ann","limit":200}]`, "210", true},
		"two operations, the first alone": {"limit plus 10 minus 3", `[{"name":"Ann","limit":200}]`, "200", false},
		"a part in a hundred as a number": {"limit plus 10 percent", `[{"name":"Ann","limit":200}]`, "210", false},
		"a sign of the hundredth part":    {"limit plus 10%", `[{"name":"Ann","limit":200}]`, "210", false},
		"two operations":                  {"limit plus 10 minus 3", `[{"name":"Ann","limit":200}]`, "207", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it with Ann.", results: mails(nil, c.list), tool: "pay", args: map[string]string{"/amount": "o:" + c.value},
				scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"limit","where":{"name":"Ann"}}],"by":"` + c.by + `"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestEverySourceCounts: where an operation is named, a number is made of all sources. What the
// request has besides, such as the number of a room, replaces none of them.
func TestEverySourceCounts(t *testing.T) {
	const from = `{"tool":"list_mails","field":"limit","where":{"name":"Ann"}},{"tool":"list_mails","field":"limit","where":{"name":"Eve"}}`
	for name, c := range map[string]struct {
		by, eve, value string
		want           bool
	}{
		"the difference":           {"Ann's limit minus Eve's", "9", "96", true},
		"less the room":            {"Ann's limit minus Eve's", "9", "102", false},
		"less nothing":             {"Ann's limit minus Eve's", "9", "105", false},
		"the product":              {"Ann's limit times Eve's", "9", "945", true},
		"with a sign":              {"Ann's limit × Eve's", "9", "945", true},
		"multiplied":               {"Ann's limit multiplied by Eve's", "9", "945", true},
		"the sum for the product":  {"Ann's limit times Eve's", "9", "114", false},
		"one of them for it":       {"Ann's limit times Eve's", "9", "105", false},
		"the product and one":      {"Ann's limit times Eve's", "9", "954", false},
		"two operations":           {"Ann's limit times Eve's plus 5", "9", "945", false},
		"no operation, of both":    {"what the limits make", "9", "945", false},
		"the difference in a noun": {"difference of the limits", "9", "96", true},
		"their product for it":     {"difference of the limits", "9", "945", false},
		"no operation, of one":     {"what the limits make", "9", "105", false},
		"either of them":           {"Ann's limit or Eve's", "9", "105", true},
		"the other one unknown":    {"Ann's limit minus Eve's", "null", "102", false},
		"the sum":                  {"sum of the limits", "9", "114", true},
		"one of what is added up":  {"sum of the limits", "9", "105", false},
		"one, and the room":        {"sum of the limits", "9", "108", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it for room 3.", tool: "pay", args: map[string]string{"/amount": "o:" + c.value},
				results: mails(nil, `[{"name":"Ann","limit":105},{"name":"Eve","limit":`+c.eve+`}]`),
				scope:   `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[` + from + `],"by":"` + c.by + `"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestNumbersAreUsedOnce: for what can't be taken back, each number of a computation is in its result once, by what its words name.
func TestNumbersAreUsedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		by, value string
		want      bool
	}{
		"less a fee":                     {"total minus the 5 euro fee", "75", true},
		"the double, less a fee":         {"total minus the 5 euro fee", "155", false},
		"the half, less a fee":           {"total minus the 5 euro fee", "35", false},
		"nothing less":                   {"total minus the 5 euro fee", "80", false},
		"of one that says no operation":  {"her share of the 840 pound fee", "80", false},
		"any operation":                  {"her share of the 840 pound fee", "760", false},
		"hours at a rate":                {"12 hours at the rate", "960", true},
		"a rate and hours":               {"12 hours at the rate", "92", false},
		"a rate for days":                {"the daily rate for 3 days", "240", true},
		"a rate less days":               {"the daily rate for 3 days", "77", false},
		"what is left":                   {"what is left of 500", "420", true},
		"with what is left":              {"what is left of 500", "580", false},
		"a number for one in brackets":   {"total minus their share of 12.00 (half: 6.00)", "74", true},
		"the number before the brackets": {"total minus their share of 12.00 (half: 6.00)", "68", false},
		"the number as it is":            {"what is due", "80", true},
		"a half of it":                   {"what is due", "40", false},
		"either of two":                  {"the new total, or the present one plus 3", "83", true},
		"neither":                        {"the new total, or the present one plus 3", "77", false},
		"a price for two":                {"the total price for 2 people", "80", true},
		"that for each, twice":           {"the total price for 2 people", "160", false},
		"a fee for nights":               {"the fee for 3 nights", "80", true},
		"a price per person for two":     {"the price per person for 2 people", "160", true},
		"that for one of them":           {"the price per person for 2 people", "80", false},
		"a year":                         {"the total due in 2026", "80", true},
		"less a year":                    {"the total due in 2026", "-1946", false},
		"the number of an invoice":       {"the total of invoice 4711", "80", true},
		"with the number of an invoice":  {"the total of invoice 4711", "4791", false},
		"less a fee, of an invoice":      {"the total of invoice 4711 minus 5", "75", true},
		"of an invoice, nothing less":    {"the total of invoice 4711 minus 5", "80", false},
		"rounded":                        {"the total rounded to 2 decimals", "80", true},
		"a hundred times":                {"the total rounded to 2 decimals", "160", false},
		"a round number that is no year": {"what is left of 2000", "1920", true},
		"of which nothing is left":       {"what is left of 2000", "80", false},
		"an amount behind a bill":        {"the bill 12.50 euros with it", "80", false},
		"a day":                          {"the total due on 2026-03-01", "80", true},
		"an amount in whole euros":       {"the bill 12 euros with it", "80", false},
		"less one of the request":        {"the total minus the fee of booking 5", "78", false},
		"an amount behind in":            {"the total in 2000 cents", "80", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Pay it by 2.", tool: "pay", args: map[string]string{"/amount": "o:" + c.value}, results: mails(nil, `[{"name":"Ann","total":80}]`),
				scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"total"}],"by":"` + c.by + `"}}}]}`}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestRates: what a source takes may be called a price for each, which words for several multiply.
func TestRates(t *testing.T) {
	for field, want := range map[string]string{"price_per_night": "240", "nightly_fee": "240", "fee": "80", "total_fee": "80"} {
		for _, value := range []string{"80", "240", "83"} {
			h := hostile{request: "Pay it.", tool: "pay", args: map[string]string{"/amount": "o:" + value}, results: mails(nil, `[{"name":"Ann","`+field+`":80}]`),
				scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"` + field + `"}],"by":"fee for 3 nights"}}}]}`}
			if got, misses := h.covered(t); got != (value == want) {
				t.Errorf("%s: %s covered: %v (%v)", field, value, got, misses)
			}
		}
	}
}

// TestLegalForms: a company's name is the same with its legal form, and of two that differ in
// the form alone neither is meant for sure.
func TestLegalForms(t *testing.T) {
	for name, c := range map[string]struct {
		said, list string
		want       bool
	}{
		"as it is said":          {"Hartley Print", `[{"name":"Hartley Print","id":"7"}]`, true},
		"limited":                {"Hartley Print", `[{"name":"Hartley Print Ltd","id":"7"}]`, true},
		"dots and a comma":       {"Acme", `[{"name":"Acme, Inc.","id":"7"}]`, true},
		"several words":          {"Weber", `[{"name":"Weber GmbH & Co. KG","id":"7"}]`, true},
		"spaces":                 {"Nowak", `[{"name":"Nowak Sp. z o.o.","id":"7"}]`, true},
		"of two words in one":    {"Rossi", `[{"name":"Rossi SpA","id":"7"}]`, true},
		"with dots":              {"Rossi", `[{"name":"Rossi S.p.A.","id":"7"}]`, true},
		"where people bathe":     {"Lakeside", `[{"name":"Lakeside Spa","id":"7"}]`, false},
		"beside such a place":    {"Lakeside", `[{"name":"Lakeside Spa","id":"8"},{"name":"Lakeside","id":"7"}]`, true},
		"before the name":        {"Ромашка", `[{"name":"ООО Ромашка","id":"7"}]`, true},
		"without a space":        {"佐藤商事", `[{"name":"株式会社佐藤商事","id":"7"}]`, true},
		"after it":               {"東京電機", `[{"name":"東京電機株式会社","id":"7"}]`, true},
		"two forms":              {"Acme", `[{"name":"Acme Inc.","id":"7"},{"name":"Acme GmbH","id":"8"}]`, false},
		"with and without":       {"Acme", `[{"name":"Acme","id":"8"},{"name":"Acme Inc.","id":"7"}]`, false},
		"a form of another":      {"Acme Ltd", `[{"name":"Acme GmbH","id":"7"}]`, false},
		"the form alone":         {"Inc", `[{"name":"Acme Inc","id":"7"}]`, false},
		"part of a word":         {"Hart", `[{"name":"Hartco","id":"7"}]`, false},
		"another word":           {"Hartley Print", `[{"name":"Hartley Print Shop Ltd","id":"7"}]`, false},
		"a remark":               {"Acme", `[{"name":"Acme (Ltd)","id":"7"}]`, false},
		"a line":                 {"Acme", `[{"name":"Acme\nInc","id":"7"}]`, false},
		"a form behind the form": {"Acme", `[{"name":"Acme Inc Ltd","id":"7"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Forward it: " + c.said + ".", results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:7"},
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"` + c.said + `"}}],"kind":"id","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestLegalFormsOfNames: only the name of a party has a legal form, and a sign that parts no words
// begins none.
func TestLegalFormsOfNames(t *testing.T) {
	for name, c := range map[string]struct{ member, said, text string }{
		"a mail's domain":      {"sender", "ann@acme.com", "ann@acme.com.co"},
		"an address in a name": {"name", "ann@acme.com", "ann@acme.com co"},
		"a domain":             {"domain", "bank.com", "bank.com.sa"},
		"a host for a name":    {"name", "acme", "acme.co"},
		"a login":              {"login", "acme", "acme ag"},
		"a plan":               {"plan", "Pro", "Pro Limited"},
		"a code":               {"code", "AX", "AX SE"},
		"a code for a name":    {"name", "A", "A SE"},
		"a house number":       {"address", "Main Street 12", "Main Street 12 AB"},
		"a number in a name":   {"name", "Room 12", "Room 12 AB"},
		"the name of a file":   {"file_name", "acme", "acme co"},
		"a space of no width":  {"name", "Acme", "Acme\u200b Ltd"},
		"a mark on the name":   {"name", "Acme", "Acme\u0338 Ltd"},
		"a mark on the form":   {"name", "Acme", "Acme L\u0338td"},
		"signs":                {"name", "Acme", "Acme &&.. Ltd"},
		"signs after it":       {"name", "Acme", "Acme Ltd,.,."},
		"another alphabet":     {"name", "Acme", "Acme Ltԁ"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Forward it: " + c.said + ".", results: mails(nil, `[{"`+c.member+`":"`+c.text+`","id":"7"}]`), tool: "forward_mail", args: map[string]string{"/id": "s:7"},
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"` + c.member + `":"` + c.said + `"}}],"kind":"id","pick":"only"}}}]}`,
			}
			if got, _ := h.covered(t); got {
				t.Error("covered")
			}
		})
	}
}

// TestOneCompany: records of two that differ in the form alone are not all of one, and the forms of
// one are.
func TestOneCompany(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		want bool
	}{
		"one":              {`[{"vendor":"Acme Ltd","id":"7"},{"vendor":"ACME Ltd","id":"8"}]`, true},
		"two forms":        {`[{"vendor":"Acme Ltd","id":"7"},{"vendor":"Acme GmbH","id":"8"}]`, false},
		"with and without": {`[{"vendor":"Acme","id":"7"},{"vendor":"Acme GmbH","id":"8"}]`, false},
	} {
		for _, id := range []string{"7", "8"} {
			h := hostile{
				request: "Forward all of Acme.", results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:" + id},
				scope: `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"vendor":"Acme"}}],"kind":"id","pick":"all"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("%s: %s covered %v, want %v (%v)", name, id, got, c.want, misses)
			}
		}
	}
}

// TestDirectionOfADifference: what the words name behind "minus" is taken away, and nothing that they owe us is paid to them.
func TestDirectionOfADifference(t *testing.T) {
	source := func(field string) string {
		return `{"tool":"read_file","args":{"/path":{"is":"may.txt"}},"field":"` + field + `"}`
	}
	const bill = `{"due":100,"paid":70,"fee":15,"late_fee":5,"bonus":40}`
	for name, c := range map[string]struct {
		fields, by, amount string
		want               bool
	}{
		"what is left to pay":          {"due paid", "due minus paid", "30", true},
		"sources in another order":     {"paid due", "due minus paid", "30", true},
		"what they owe us":             {"due paid", "paid minus due", "30", false},
		"a negative amount":            {"due paid", "paid minus due", "-30", false},
		"the other way round":          {"due paid", "due minus paid", "-30", false},
		"subtracted from":              {"due paid", "paid subtracted from due", "30", true},
		"the wrong one from the other": {"due paid", "subtract due from paid", "30", false},
		"between two":                  {"paid due", "the difference between paid and due", "30", true},
		"three":                        {"due paid fee", "due minus paid minus fee", "15", true},
		"three in another order":       {"due paid fee", "paid minus due minus fee", "15", false},
		"one more, one less":           {"due bonus fee", "due plus bonus minus fee", "125", true},
		"the other more, the one less": {"due bonus fee", "due plus bonus minus fee", "75", false},
		"a name in another":            {"due fee late_fee", "due minus late fee plus fee", "110", true},
		"a name for another":           {"due fee late_fee", "due minus late fee plus fee", "90", false},
		"a number first":               {"paid", "120 minus paid", "50", true},
		"a number behind":              {"paid", "paid minus 20", "50", true},
		"a number first, reversed":     {"due", "90 minus due", "10", false},
		"a sum in brackets":            {"due bonus fee", "due minus (bonus plus fee)", "75", false},
		"a list in brackets":           {"due bonus fee", "(due and bonus) minus fee", "45", false},
		"a remark in brackets":         {"due paid", "due minus paid (of May)", "30", true},
		"a sum in words":               {"due bonus fee", "due minus the sum of bonus plus fee", "75", false},
		"less":                         {"due paid", "due less paid", "30", true},
		"less than":                    {"due paid", "due less than paid", "30", false},
		"mixed, and not named":         {"due bonus fee", "the bill plus the extra minus the charge", "125", false},
	} {
		var from []string
		for _, field := range strings.Fields(c.fields) {
			from = append(from, source(field))
		}
		h := hostile{
			request: "Pay the rest of may.txt.", results: file("may.txt", bill), tool: "pay", args: map[string]string{"/amount": "o:" + c.amount},
			scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[` + strings.Join(from, ",") + `],"by":"` + c.by + `"}}}]}`,
		}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}
