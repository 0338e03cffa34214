package provenance

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/wordlist"
)

// TestTablesAreStrict: a mistake in a table of words is found when it is read.
func TestTablesAreStrict(t *testing.T) {
	vocabulary := func(s string) error { _, err := wordlist.Fill[wordLists](wordTable + s); return err }
	lexicon := func(s string) error { _, err := readLexicon(deedTable + s); return err }
	settings := func(s string) error { _, err := readSettings(settingTable + s); return err }
	for _, c := range []struct {
		name   string
		read   func(string) error
		added  string
		reason string
	}{
		{"an unknown class", vocabulary, "verbs: run\n", "is of no member"},
		{"a class twice", vocabulary, "starters: a\n", "comes twice"},
		{"a class without words", vocabulary, "starters:\n", "not a list"},
		{"a line without a head", vocabulary, "run walk\n", "not a list"},
		{"a word twice", lexicon, "send xx: post post\n", "a word twice"},
		{"an unknown deed", lexicon, "sing en: sing\n", "not a deed or a mark"},
		{"an unknown language", lexicon, "send xx: post\n", "not a deed or a mark"},
		{"a mark in names of tools", lexicon, "negator tool: not\n", "not a deed or a mark"},
		{"answers of an unknown deed", lexicon, "merge answers: sing\n", "not a deed"},
		{"an unknown kind of settings", settings, "color red: #f00\n", "not a constant"},
		{"a setting without its value", settings, "setting: red\n", "not a constant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.read("\n" + c.added); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("got %v, want %q", err, c.reason)
			}
		})
	}

	if _, err := wordlist.Fill[wordLists]("starters: a\n"); err == nil || !strings.Contains(err.Error(), "has no list") {
		t.Errorf("classes without a list: %v", err)
	}
}
