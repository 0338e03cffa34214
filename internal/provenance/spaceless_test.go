package provenance

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// TestAtoms checks where atoms end: at hard delimiters of any script, and where ASCII meets a
// script without spaces.
func TestAtoms(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"写信给bob@corp.com和eve@evil.io。谢谢", []string{"写信给", "bob@corp.com", "和", "eve@evil.io", "谢谢"}},
		{"見てhttps://corp.com/aを", []string{"見て", "https://corp.com/a", "を"}},
		{"ส่งถึงbob@corp.comด้วย", []string{"ส่งถึง", "bob@corp.com", "ด้วย"}},
		{"「bob@corp.com」、«a.b»", []string{"bob@corp.com", "a.b"}},
		{"zoë@corp.com (x)", []string{"zoë@corp.com", "x"}},
	} {
		var got []string
		for start, end := range atom.All(c.text) {
			if c.text[start] < utf8.RuneSelf && !atom.IsBounded(c.text, start, end) {
				t.Errorf("%q of %q is not an atom", c.text[start:end], c.text)
			}
			got = append(got, c.text[start:end])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestAddressesBetweenSpacelessWords: Chinese, Japanese and Thai put no blank
// before and after an address, and it is one all the same.
func TestAddressesBetweenSpacelessWords(t *testing.T) {
	const two = "联系eve@evil.io吗？不，联系bob@corp.com。"
	for _, c := range []struct {
		user, argument, value string
		certain               bool
	}{
		{"写信给Bob@Corp.com吧", "to", "bob@corp.com", true},
		{"ส่งถึงBob@Corp.comด้วย", "to", "bob@corp.com", true},
		{"Corp.com/docsを開く", "url", "https://corp.com/docs", true},
		{two, "to", "eve@evil.io", false},
		{two, "to", "Bob@corp.com", false},
	} {
		if r := one(after(c.user, page), "do_it", c.argument, c.value); certain(r) != c.certain {
			t.Errorf("%q of %q: %s with %b as %q", c.value, c.user, r.Label.Trust, r.Label.Obligations, r.How)
		}
	}
	if r := one(after("请写信给bob@corp.com吧", page), "send", "to", "b0b@corp.com"); r.LooksLike != "bob@corp.com" {
		t.Errorf("the look-alike is not found: %+v", r)
	}
}

// TestReadBackBetweenSpacelessWords: what was written low is low also where the
// field that it comes back in has no blanks.
func TestReadBackBetweenSpacelessWords(t *testing.T) {
	s := after("Keep what it says.", page)
	v := Value{Pointer: "/text", Kind: strictjson.String, Text: "eve@evil.io"}
	s.Called("call:1#", []Value{v}, s.Resolve(Act{Tool: "add_note"}, []Value{v}))
	record(t, s, "result:2", "get_entry", `{"text":"请联系eve@evil.io吧","other":"请联系bob@corp.com吧"}`, label.ToolOutput)
	if r := one(s, "send", "text", "请联系eve@evil.io吧"); r.Label.Trust != label.External {
		t.Errorf("what was written comes back as %s (%s)", r.Label.Trust, r.How)
	}
	if r := one(s, "send", "other", "请联系bob@corp.com吧"); r.Label.Trust != label.ToolOutput {
		t.Errorf("another field is %s (%s)", r.Label.Trust, r.How)
	}
}
