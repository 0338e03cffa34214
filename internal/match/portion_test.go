package match_test

import "testing"

// TestSharesAreReadWhole: a part or a multiple that words name is that, and words that aren't read compute nothing.
func TestSharesAreReadWhole(t *testing.T) {
	const (
		one   = `{"id":"7","total":90}`
		three = `[{"id":"a","total":18},{"id":"b","total":2},{"id":"c","total":8}]`
		cents = `[{"total":0.0018},{"total":0.004},{"total":0.0012}]`
	)
	for name, c := range map[string]struct {
		by, list, value string
		want            bool
	}{
		"a half":                             {"half of the total", one, "45", true},
		"the whole for a half":               {"half of the total", one, "90", false},
		"the double for a half":              {"half of the total", one, "180", false},
		"a third":                            {"one third of the total", one, "30", true},
		"the whole for a third":              {"one third of the total", one, "90", false},
		"a third, without a number":          {"third of the total", one, "30", true},
		"two thirds":                         {"two thirds of the total", one, "60", true},
		"a quarter":                          {"a quarter of the total", one, "22.5", true},
		"the whole for a quarter":            {"a quarter of the highest total", three, "18", false},
		"a quarter of the highest":           {"a quarter of the highest total", three, "4.5", true},
		"a fraction":                         {"2/3 of the total", one, "60", true},
		"the whole for a fraction":           {"1/3 of the highest total", three, "18", false},
		"divided":                            {"total divided by 3", one, "30", true},
		"divided by nothing":                 {"total divided by 0", one, "90", false},
		"split":                              {"total split in three", one, "30", true},
		"a sign that divides":                {"total / 3", one, "30", true},
		"the whole where it is divided":      {"highest total / 3", three, "18", false},
		"times a number":                     {"0.5 * total", one, "45", true},
		"a number of times":                  {"total times 1.2", one, "108", true},
		"the whole where it is multiplied":   {"total times 1.2", one, "90", false},
		"three times":                        {"three times the total", one, "270", true},
		"triple":                             {"triple the lowest total", three, "6", true},
		"the whole for the triple":           {"triple the lowest total", three, "2", false},
		"percent":                            {"20 percent of the highest total", three, "3.6", true},
		"a decimal comma":                    {"12,5 % of the highest total", three, "2.25", true},
		"the whole with a decimal comma":     {"12,5 % of the highest total", three, "18", false},
		"a comma that may part thousands":    {"1,500 % of the total", one, "1350", false},
		"and what is added":                  {"20% of the total, plus 5", one, "23", true},
		"and what is added to a multiple":    {"total times 3, plus 20", one, "290", true},
		"the multiple of the sum":            {"total times 3, plus 20", one, "330", false},
		"without the comma":                  {"total times 3 plus 20", one, "290", false},
		"a sign that adds":                   {"lowest total + 5", three, "7", true},
		"the whole where a sign adds":        {"lowest total + 5", three, "2", false},
		"a sign that takes away":             {"total - 5", one, "85", true},
		"more taken away than there is":      {"total minus 150", one, "-60", false},
		"a share more than all taken away":   {"total minus 150 percent", one, "-45", false},
		"a tax":                              {"total plus 19% tax", one, "107.1", true},
		"a tax that isn't read":              {"total with 10% tax", one, "90", false},
		"a discount":                         {"total minus 10 percent", one, "81", true},
		"the number of a bill that is added": {"total plus 5 percent", one, "4801", false},
		"the number of a bill as a factor":   {"20% of the total", one, "4239.9", false},
		"the third largest":                  {"half of the third highest total", three, "1", true},
		"the third largest, as a third":      {"the third highest total", three, "6", false},
		"an average":                         {"average of the totals", one, "90", false},
		"a part of one of two equal ones":    {"half of the highest total", `[{"total":18},{"total":18}]`, "9", true},
		"the whole of one of two equal":      {"half of the highest total", `[{"total":18},{"total":18}]`, "18", false},
		"below a cent":                       {"half of the lowest total", cents, "0.0006", true},
		"another one below a cent":           {"half of the lowest total", cents, "0.0049", false},
		"rounded to a cent":                  {"one third of the total", `{"total":100}`, "33.33", true},
		"rounded to another one":             {"one third of the total", `{"total":100}`, "33.34", false},
		"in capitals":                        {"Half of the Total", one, "45", true},
		"the number itself":                  {"total", one, "90", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Pay for 4711.", tool: "pay", args: map[string]string{"/amount": "o:" + c.value}, results: mails(nil, c.list),
				scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"total"}],"by":"` + c.by + `"}}}]}`}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestSumsAreOfTheirSources: no number of the request is a part of what is added up of several sources, and a part is none of all.
func TestSumsAreOfTheirSources(t *testing.T) {
	for name, c := range map[string]struct {
		by, value string
		want      bool
	}{
		"the sum":                   {"rent plus heating", "780", true},
		"with the number of a flat": {"rent plus heating", "5491", false},
		"the difference":            {"rent minus heating", "620", true},
		"less the number of a flat": {"rent minus heating", "4011", false},
		"half of which":             {"half of rent plus heating", "780", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Pay for flat 4711.", tool: "pay", args: map[string]string{"/amount": "o:" + c.value}, results: mails(nil, `[{"title":"Rent","total":700},{"title":"Heating","total":80}]`),
				scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"total","where":{"title":"Rent"}},{"tool":"list_mails","field":"total","where":{"title":"Heating"}}],"by":"` + c.by + `"}}}]}`}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
