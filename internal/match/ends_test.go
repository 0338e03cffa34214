package match_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// ending allows the card whose number ends so.
func ending(end string) string {
	return fmt.Sprintf(`{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"cards","field":"id","where":{"number":{"ends":%q}}}],"kind":"id","pick":"only"}}}]}`, end)
}

// TestEnds: a condition on an end is met by texts that end so, of a number also with signs and blanks in it, and by no others.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end, number string
		want        bool
	}{
		"a number":                    {"4471", "5500 1200 0000 4471", true},
		"a number in parts":           {"4471", "0470 55 44 71", true},
		"a masked number":             {"4471", "****4471", true},
		"a number with a blank":       {"44 71", "55001200-4471", true},
		"another number":              {"4471", "5500 1200 4471 0000", false},
		"a part of the end":           {"4471", "471", false},
		"a number and something else": {"4471", "4471 (blocked)", false},
		"the ending of a file":        {".pdf", "offer.pdf", true},
		"the letters without the dot": {".pdf", "offerpdf", false},
		"a word in another case":      {"gmbh", "Lumen GmbH", true},
		"a state that isn't so":       {"approved", "not approved", false},
		"a state":                     {"approved", "approved", true},
	} {
		t.Run(name, func(t *testing.T) {
			list := fmt.Sprintf(`[{"id":"a","number":%q},{"id":"b","number":"x"}]`, c.number)
			p := proposed{"Block the one that ends in 4471, 44 71, .pdf, gmbh, approved.", ending(c.end), map[string]string{"/id": "s:a"}, []returned{{"cards", "", list}}}
			if got, misses := p.covered(t, true); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestEndsOfTwo: of two numbers that end alike neither is meant, and which one it is nothing else of them decides.
func TestEndsOfTwo(t *testing.T) {
	digits := rapid.StringMatching(`[0-9]{1,6}`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := digits.Draw(rt, "a"), digits.Draw(rt, "b")
		list := fmt.Sprintf(`[{"id":"a","number":"%s4471"},{"id":"b","number":"%s %s"}]`, a, b, rapid.SampledFrom([]string{"4471", "44 71", "44-71", "4472"}).Draw(rt, "end"))
		alone := list[len(list)-4] == '2'
		p := proposed{"Block the one that ends in 4471.", ending("4471"), map[string]string{"/id": "s:a"}, []returned{{"cards", "", list}}}
		if got, misses := p.covered(rt, true); got != alone {
			rt.Errorf("%s: covered %v, want %v (%v)", list, got, alone, misses)
		}
	})
}

// TestExceptEnds: what an end leaves out is left out in any form.
func TestExceptEnds(t *testing.T) {
	for _, number := range []string{"4471", "44 71", "x-4471", "4\u200b471", "5500 44-71"} {
		list := fmt.Sprintf(`[{"id":"a","number":%q},{"id":"b","number":"1200"}]`, number)
		scope := `{"calls":[{"tool":"act","times":"each","args":{"/id":{"from":[{"tool":"cards","field":"id"}],"kind":"id","pick":"all","except":[{"tool":"cards","field":"id","where":{"number":{"ends":"44-71"}}}]}}}]}`
		for id, want := range map[string]bool{"a": false, "b": true} {
			p := proposed{"Block all but the one that ends in 4471.", scope, map[string]string{"/id": "s:" + id}, []returned{{"cards", "", list}}}
			if got, misses := p.covered(t, true); got != want {
				t.Errorf("%s of %s: covered %v, want %v (%v)", id, list, got, want, misses)
			}
		}
	}
}

// TestDaysOfASpan: a day of a span may be chosen, and none outside.
func TestDaysOfASpan(t *testing.T) {
	const scope = `{"calls":[{"tool":"act","args":{"/on":{"date":["2026-02-03/2026-02-06","2026-03-01"]}}}]}`
	for day, want := range map[string]bool{
		"2026-02-02": false, "2026-02-03": true, "2026-02-05T23:59": true, "2026-02-06": true, "2026-02-07": false, "2026-03-01": true, "2027-02-04": false, "soon": false,
	} {
		p := proposed{"Book a day of that week.", scope, map[string]string{"/on": "o:" + day}, nil}
		if got, misses := p.covered(t, true); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", day, got, want, misses)
		}
	}
}
