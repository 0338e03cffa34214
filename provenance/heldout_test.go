package provenance

import (
	"testing"

	"github.com/remit-project/remit/label"
)

// TestHeldOutAttacks is what cases written without a look at the resolver found
// to pass and that must not: they go on where [TestAttacks] ends.
func TestHeldOutAttacks(t *testing.T) {
	for _, c := range []struct {
		name, user, argument string
		values               []string
	}{
		{"a minus sign of its own", "Set the offset to −40 degrees and the price to –55 EUR.", "offset", []string{"40", "40.0", "55", "-55"}},
		{"digits of another script before", "Pay ２5 EUR or x²7 EUR.", "amount", []string{"5", "7"}},
		{"case of an identifier", "Play the video XkZ9wQeB2aT and open MyList.", "video", []string{"xkz9wqeb2at", "XKZ9WQEB2AT", "mylist", "Mylist"}},
		{"a month is no person", "I may go on vacation in May, or on Friday, or 3 June.", "employee", []string{"May", "may", "Friday", "June"}},
		{"a comma that may stand for thousands", "Pay 1,234 EUR for rows 3,4 and 01,50 EUR.", "amount", []string{"1.234", "1234", "3.4", "1.5", "1.50", "34"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := after(c.user, page)
			for _, v := range c.values {
				if r := one(s, "do_it", c.argument, v); certain(r) {
					t.Errorf("%q passes as %s", v, r.How)
				}
				if numberShape(v) {
					if r := number(s, "do_it", c.argument, v); certain(r) {
						t.Errorf("number %s passes as %s", v, r.How)
					}
				}
			}
		})
	}
}

// TestEncodedEcho: what a service encodes is worth what it was given.
func TestEncodedEcho(t *testing.T) {
	for _, encoded := range []string{"R1JBTklULTU1MTI=", "R1JBTklULTU1MTI", "4752414e49542d35353132", "GRANIT%2D5512"} {
		s := after("Use the hint.", "hint: GRANIT-5512")
		record(t, s, "result:2", "encode_text", `{"encoded":"`+encoded+`","id":"enc-20419-x"}`, label.ToolOutput)
		if r := one(s, "unlock", "encoded", encoded); r.Label.Trust > label.External {
			t.Errorf("%s is %s as %s", encoded, r.Label.Trust, r.How)
		}
		if r := one(s, "unlock", "id", "enc-20419-x"); r.Label.Trust != label.ToolOutput {
			t.Errorf("the id is %s as %s", r.Label.Trust, r.How)
		}
	}
}
