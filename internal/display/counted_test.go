package display_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/display"
)

// Nothing in a value is pushed out of sight, or passes for nothing.
func TestCountedShowsRunsAndLineBreaks(t *testing.T) {
	for in, want := range map[string]string{
		"ls":                                   "ls",
		"ls\nrm":                               "ls[⏎]\nrm",
		"a\n\n b":                              "a[⏎⏎]\n\n b",
		"ls" + strings.Repeat(" ", 300) + "rm": "ls[(300 spaces)]rm",
		"a" + strings.Repeat(" ", 16) + "b":    "a" + strings.Repeat(" ", 16) + "b",
		strings.Repeat("\n", 40) + "rm":        "[(40 line breaks)]\nrm",
		strings.Repeat("\t", 17):               `[(17 times \t)]`,
		strings.Repeat("-", 40) + ">":          "[(40 times -)]>",
		strings.Repeat("\u200b", 20):           `[(20 times \u{200b})]`,
		"a\u202eb":                             `a[\u{202e}]b`,
	} {
		if got := written(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// written is a text as it is shown, with the escapes in brackets.
func written(s string) string {
	var b strings.Builder
	for span := range display.Counted(s) {
		if span.Escaped {
			b.WriteString("[" + span.Text + "]")
		} else {
			b.WriteString(span.Text)
		}
	}
	return b.String()
}

// A text without line breaks and long runs is shown as spans are.
func TestCountedIsSpansOfShortRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 16, -1).Draw(t, "text")
		if strings.Contains(s, "\n") {
			return
		}
		var got, want strings.Builder
		for span := range display.Counted(s) {
			got.WriteString(span.Text)
		}
		for span := range display.Spans(s) {
			want.WriteString(span.Text)
		}
		if got.String() != want.String() {
			t.Errorf("%q is shown as %q, want %q", s, got.String(), want.String())
		}
	})
}
