package provenance

import (
	"testing"

	"github.com/remit-project/remit/label"
)

// TestNumbersAsPeopleWriteThem has what users of many languages write, and for
// each what vouches and what must not. Each list was written before what reads
// it.
func TestNumbersAsPeopleWriteThem(t *testing.T) {
	for _, file := range []string{"testdata/numbers.tsv", "testdata/numbers_more.tsv"} {
		for _, c := range readSpoken(t, file) {
			s := after(c.user, page)
			for kind, r := range map[string]Resolution{"number": number(s, "do_it", c.argument, c.value), "text": one(s, "do_it", c.argument, c.value)} {
				if certain(r) != c.vouched {
					t.Errorf("%q: %s = %s as a %s is %s with %b as %q", c.user, c.argument, c.value, kind, r.Label.Trust, r.Label.Obligations, r.How)
				}
			}
		}
	}
}

// TestAmountsOfRecords: a record's amount, or what amounts add up to, is a number
// from a bounded source only where the user said no amount of money, or asked for
// a computation.
func TestAmountsOfRecords(t *testing.T) {
	for _, c := range []struct {
		user, value string
		bounded     bool
	}{
		{"Pay the latest bill to DE89370400440532013000.", "9499", true},
		{"Pay the rent of 500 EUR to DE89370400440532013000.", "9499", false},
		{"Pay the rent of 500 EUR to DE89370400440532013000.", "9999", false}, // 500 + 9499
		{"Pay the rent of 500 EUR to DE89370400440532013000.", "9999.5", false},
		{"I paid 500 EUR, they want 9499: pay the difference.", "8999", true},
		{"Pay two bills: the rent of 500 EUR, and the total of the others.", "9999.5", true},
	} {
		s := after(c.user, page)
		record(t, s, "result:2", "get_bills", `[{"id":1,"amount":9499},{"id":2,"amount":500.5}]`, label.ToolOutput)
		if r := number(s, "send_money", "amount", c.value); r.Bounded != c.bounded {
			t.Errorf("%s after %q: bounded %t, as %s", c.value, c.user, r.Bounded, r.How)
		}
	}
	for value, want := range map[string]bool{"900": true, "2026": false} {
		if r := number(after("Pay the rent for January 2026, 900 EUR, to DE89370400440532013000.", page), "send_money", "amount", value); certain(r) != want {
			t.Errorf("%s is %s as %s", value, r.Label.Trust, r.How)
		}
	}
}
