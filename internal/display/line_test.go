package display

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Text that others wrote can't move the cursor, colour the screen, hide or
// turn itself around.
func TestLineDisarms(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 東":               "plain ü 東",
		"a\nb\tc":                 "a⏎b c",
		"\x1b[2J":                 `\u{1b}[2J`,
		"bob\u202egro.live":       `bob\u{202e}gro.live`,
		"pay\u200bpal":            `pay\u{200b}pal`,
		"\u009b31m":               `\u{9b}31m`,
		"\U000e0041":              `\u{e0041}`,
		string([]byte{'a', 0xff}): `a\u{fffd}`,
		"\r\x00":                  `\u{d}\u{0}`,
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBlockKeepsLines(t *testing.T) {
	if got, want := Block("a\x1b\n\tb\n"), "a\\u{1b}\n b\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOneLineHasWordsAndSpaces(t *testing.T) {
	if got, want := OneLine(" a\n\tb\u202ec\x1b[0m \xffd "), "a b c [0m \ufffdd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[31mb\u202e\n")
	f.Fuzz(func(t *testing.T, s string) {
		out := Line(s)
		if strings.ContainsAny(out, "\x1b\r\n\x07\u009b\u202e") || !utf8.ValidString(out) {
			t.Fatalf("Line(%q) = %q", s, out)
		}
	})
}
