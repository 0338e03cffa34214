package atom_test

import (
	"slices"
	"testing"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// TestAll: an atom ends at white space, brackets, quotes and the separators of lists, and where
// ASCII meets a script without spaces. What joins the parts of an address ends none.
func TestAll(t *testing.T) {
	for text, want := range map[string][]string{
		"to dana@corp.example, please": {"to", "dana@corp.example", "please"},
		`{"a/b": "c-d"}`:               {"a/b", ":", "c-d"},
		"送给dana@corp.example吧":         {"送给", "dana@corp.example", "吧"},
		"":                             nil,
	} {
		var got []string
		for start, end := range atom.All(text) {
			got = append(got, text[start:end])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestIsBounded: a whole atom is bounded, and no piece of one. The mark that ends a sentence and the
// quotes around a value are not part of it.
func TestIsBounded(t *testing.T) {
	for _, c := range []struct {
		before, value, after string
		want                 bool
	}{
		{"pay ", "12", " euros", true},
		{"pay ", "12", ".50", false},
		{"it is ", "12", ".", true},
		{"'", "ann", "'", true},
		{"", "ann", "'s", true},
		{"jo", "ann", "", false},
		{"x", "@corp.example", "", false},
		{"", "dana@corp.example", ".evil.example", false},
	} {
		text := c.before + c.value + c.after
		if got := atom.IsBounded(text, len(c.before), len(c.before)+len(c.value)); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.value, text, got, c.want)
		}
	}
}

// TestIsPartOfGroups: of a code written in groups no group stands for itself.
func TestIsPartOfGroups(t *testing.T) {
	for text, want := range map[string]bool{"DE89 3704 0044 0532 0130 00": true, "DE89 costs 3704 euros": false} {
		if got := atom.IsPartOfGroups(text, 0, len("DE89")); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
