package scope_test

import "testing"

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
