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
		{"a month is not a person", "I may go on vacation in May, or on Friday, or 3 June.", "employee", []string{"May", "may", "Friday", "June"}},
		{"a comma that may stand for thousands", "Pay 1,234 EUR for rows 3,4 and 01,50 EUR.", "amount", []string{"1.234", "1234", "3.4", "1.5", "1.50", "34"}},
		{"a date of two readings", "Between 3/4/2026 and 13/14/2026, see /log/12/31/2025/x, in 26年6月7日.", "date", []string{"2026-03-04", "2026-04-03", "2026-13-14", "2025-12-31", "2026-06-07"}},
		{"points and hours", "提3点建议，第4点，共5時間。", "time", []string{"03:00", "04:00", "05:00"}},
		{"digits with dots", "The hosts 192.168.10.250, 10.0.0.1 and version 123.4567.8901.", "phone", []string{"19216810250", "10001", "12345678901"}},
		{"an account that doesn't check", "Pay fr76 3000 6000 0112 3456 7890 188.", "iban", []string{"FR7630006000011234567890188", "FR7630006000011234567890189"}},
		{"single digits are not a book", "Take pages 9-7-8-3-1-6-1-4-8-4-1-0-1.", "isbn", []string{"9783161484101"}},
		{"the zero of an area", "Call 49 (0)89 5550-1234.", "phone", []string{"498955501234", "+498955501234", "0895550123"}},
		{"two directories", "Copy C:\\Users\\kim\\a.txt to D:\\out, not /srv.", "path", []string{`C:\out`, `C:\Users\out`, `D:\out\..\a.txt`, `D:\\out\kim`, `D:\out/a.txt`, `D:\evil`}},
		{"text that is shown in another order", "Write to eve@evil.io\u202e now, or bob\u3164@corp.com.", "to", []string{"bob@corp.com", "eve@evil.io"}},
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

// TestHeldOutVouched are ways of the user's to say things that held-out cases
// found missing.
func TestHeldOutVouched(t *testing.T) {
	for _, c := range []struct{ user, argument, value string }{
		{"Bitte am 3. Oktober 2026 um 18:15 Uhr", "start", "2026-10-03T18:15"},
		{"Réserve le 1er juillet 2026 à 9h30", "start", "2026-07-01 09:30"},
		{"Paga el 5 de mayo de 2026", "due", "2026-05-05"},
		{"Montag um 9:30", "start", "2026-01-12 09:30"},
		{"from 13/2/2026 on", "from", "2026-02-13"},
		{"until 2/28/2026", "to", "2026-02-28"},
		{"since 2026/05/06", "from", "2026-05-06"},
		{"请安排在2026年6月1日下午3点半", "start", "2026-06-01T15:30"},
		{"部屋を5月12日10時から", "start", "2026-05-12 10:00"},
		{"Lies ‚Harbour‘ vor", "title", "Harbour"},
		{"Invite Zoe\u0308@corp.com", "to", "Zo\u00eb@corp.com"},
		{"Order lot AX\u200b-5591", "lot", "AX-5591"},
		{"\u2067שלום עולם\u2069", "text", "שלום עולם"},
		{"Put it into fr76 3000 6000 0112 3456 7890 189", "iban", "FR7630006000011234567890189"},
		{"Ring +49 (0)89 5550-1234", "phone", "+498955501234"},
		{"Ring 555.010.4477", "phone", "5550104477"},
		{"Borrow 978-3-16-148410-0", "isbn", "9783161484100"},
		{"Read the file notes.txt in C:\\Users\\kim", "path", `C:\Users\kim\notes.txt`},
		{"In /work/space list assets/icons", "path", "/work/space/assets/icons"},
	} {
		if r := one(after(c.user, page), "do_it", c.argument, c.value); r.Label.Trust < label.User {
			t.Errorf("%q: %q is %s as %s", c.user, c.value, r.Label.Trust, r.How)
		}
	}
	for _, c := range []struct{ user, value string }{
		{"Überweise 1.234,56 €", "1234.56"}, {"Zahle 49,90 EUR", "49.9"}, {"Rabatt 12,5 %", "12.5"}, {"Balance −40 EUR", "-40"},
	} {
		if r := number(after(c.user, page), "do_it", "value", c.value); r.Label.Trust < label.User {
			t.Errorf("%q: %s is %s as %s", c.user, c.value, r.Label.Trust, r.How)
		}
	}
}

// TestHeldOutFields: fields of the right kind by the names around them.
func TestHeldOutFields(t *testing.T) {
	s := after("Order hinges.", page)
	record(t, s, "result:2", "list_suppliers", `[{"id":"SUP-310","name":"Beslag"}]`, label.ToolOutput)
	record(t, s, "result:3", "list_roles", `["viewer","owner"]`, label.ToolOutput)
	s.Output("result:4", Result{Text: "- id: lamp-9f2a\n  name: Hall", Tool: "devices", Spec: Spec{Trust: label.ToolOutput}})
	for _, c := range []struct {
		argument, value string
		want            label.Trust
	}{
		{"supplier", "SUP-310", label.ToolOutput}, {"file", "SUP-310", label.External}, {"supplier", "Beslag", label.External},
		{"role", "owner", label.ToolOutput}, {"channel", "owner", label.External},
		{"ids", "lamp-9f2a", label.ToolOutput}, {"ids", "lamp-9f2", label.External},
	} {
		if r := one(s, "do_it", c.argument, c.value); r.Label.Trust != c.want {
			t.Errorf("%s %q is %s as %s", c.argument, c.value, r.Label.Trust, r.How)
		}
	}
}
