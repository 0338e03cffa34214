package display_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/display"
)

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	lines := display.Wrap("one two three four five", 9)
	if got := strings.Join(lines, "|"); got != "one two|three|four five" {
		t.Errorf("Wrap = %q", got)
	}
	if got := display.Wrap("", 9); len(got) != 1 || got[0] != "" {
		t.Errorf("Wrap of nothing = %q", got)
	}
}

func TestClippedTextSaysSo(t *testing.T) {
	if got := display.Clip("abcdef", 4); got != "abc…" {
		t.Errorf("Clip = %q", got)
	}
	if got := display.ClipStart("abcdef", 4); got != "…def" {
		t.Errorf("ClipStart = %q", got)
	}
}

// A name that could be read as the program's own words is quoted.
func TestOnlyPlainNamesHaveNoQuotes(t *testing.T) {
	for in, want := range map[string]string{
		"/a/~0.b[*]@c:1-_": "/a/~0.b[*]@c:1-_", "": `""`, "a b": `"a b"`, `a"`: `"a\""`, "\u3164": "\"\u3164\"", "a\u202e": `"a\u202e"`,
	} {
		if got := display.Name(in); got != want {
			t.Errorf("Name(%q) = %s, want %s", in, got, want)
		}
	}
	if got := display.ShortName("a bcdefgh", 8); got != `"a bcd…"` {
		t.Errorf("ShortName = %s", got)
	}
}
