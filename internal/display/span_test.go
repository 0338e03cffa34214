package display_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/display"
)

// What isn't seen, or changes what is seen, is an escape of its own; all else stays.
func TestSpansShowWhatIsHidden(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 東\n\tline":   "plain ü 東\n\tline",
		"bob\u202egro.live":   "bob[\\u{202e}]gro.live",
		"a\u200b\u00a0b":      "a[\\u{200b}][\\u{a0}]b",
		"\u3164":              "[\\u{3164}]",
		"e\u0301\u0301\u0301": "e\u0301\u0301[\\u{301}]",
		"\x1b[31m":            "[\\u{1b}][31m",
		"a\xffb":              "a[\\u{fffd}]b",
		"":                    "",
	} {
		var b strings.Builder
		for s := range display.Spans(in) {
			if s.Escaped {
				b.WriteString("[" + s.Text + "]")
			} else {
				b.WriteString(s.Text)
			}
		}
		if b.String() != want {
			t.Errorf("Spans(%q) = %q, want %q", in, b.String(), want)
		}
	}
}

func FuzzSpans(f *testing.F) {
	f.Add("a\x1b[31mb\u202e\n")
	f.Fuzz(func(t *testing.T, s string) {
		for span := range display.Spans(s) {
			if span.Text == "" || strings.ContainsAny(span.Text, "\x1b\r\x07\u009b\u202e\u00a0") || !utf8.ValidString(span.Text) {
				t.Fatalf("a span of %q is %q", s, span.Text)
			}
		}
	})
}
