package wordlist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/wordlist"
)

// TestFill: every list has a member, every member has a list, and a line is a list or goes on with one.
func TestFill(t *testing.T) {
	type lists struct{ Small, Large wordlist.Set }
	all, err := wordlist.Fill[lists]("# sizes\nsmall: tiny little\n  wee\nlarge: big\n")
	if err != nil {
		t.Fatal(err)
	}
	if !all.Small.Has("wee") || all.Large.In([]string{"tiny", "wee"}) || !slices.Equal(all.Small.Words(), []string{"tiny", "little", "wee"}) {
		t.Errorf("got %v", all)
	}

	for table, want := range map[string]string{
		"small: a\n":                    "member Large has no list",
		"small: a\nlarge: b\nhuge: c\n": "of no member",
		"small: a\nsmall: b\n":          "comes twice",
		"small: a a\n":                  "a word twice",
		"small:\n":                      "not a list",
		"small a\n":                     "not a list",
		"small: a\n  b a\nlarge: c\n":   "a word twice",
	} {
		if _, err := wordlist.Fill[lists](table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
}
