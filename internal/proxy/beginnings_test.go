package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// TestBeginnings: only a body with all the same bytes, of the same tenant, began so before.
func TestBeginnings(t *testing.T) {
	s := beginnings{}
	tenant, other := hashParts([]byte("a")), hashParts([]byte("b"))
	turn := func(word string) string {
		return `{"role":"user","content":"` + word + strings.Repeat(" and on", 20) + `"}`
	}
	body := func(turns ...string) []byte {
		return []byte(`{"messages":[` + strings.Join(turns, ",") + `],"model":"m"}`)
	}
	keep := func(of hash, text []byte) {
		t.Helper()
		known, sum := s.find(of, text)
		req, err := chat{}.request(text, known, containers{})
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{req: req, begun: known}
		r.locate(of, of)
		s.keep(of, text, sum, r)
	}

	keep(tenant, body(turn("one"), turn("two")))
	keep(tenant, body(turn("one"), turn("two"), turn("six"))) // in the place of the first
	if len(s.list) != 1 {
		t.Fatalf("%d beginnings are kept", len(s.list))
	}
	for name, c := range map[string]struct {
		of   hash
		body []byte
		want bool
	}{
		"the same":                         {tenant, body(turn("one"), turn("two"), turn("six")), true},
		"more":                             {tenant, body(turn("one"), turn("two"), turn("six"), turn("ten")), true},
		"another word of the same length":  {tenant, body(turn("ten"), turn("two"), turn("six"), turn("ten")), false},
		"an earlier turn of that length":   {tenant, body(turn("one"), turn("ten"), turn("six"), turn("ten")), false},
		"less":                             {tenant, body(turn("one"), turn("two")), false},
		"another tenant":                   {other, body(turn("one"), turn("two"), turn("six")), false},
		"a space in front":                 {tenant, append([]byte(" "), body(turn("one"), turn("two"), turn("six"))...), false},
		"a body that ends within the last": {tenant, body(turn("one"), turn("two"), turn("six"))[:300], false},
	} {
		if got, _ := s.find(c.of, c.body); (got != nil) != c.want {
			t.Errorf("%s: known is %v", name, got != nil)
		}
	}

	// What may have marks, or be repaired, is read again each time.
	for _, text := range []string{turn(`\u0041`), turn(markMember)} {
		keep(other, body(turn("one"), text))
		if got, _ := s.find(other, body(turn("one"), text)); got != nil {
			t.Errorf("%s is kept", text)
		}
	}
	for i := range 2 * maxBegun {
		keep(tenant, body(turn(fmt.Sprint(i))))
	}
	if len(s.list) > maxBegun {
		t.Errorf("%d beginnings are kept", len(s.list))
	}
}
