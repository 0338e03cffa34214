package question_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
)

// TestQuoted shows what can't be seen, and nothing that begins markup.
func TestQuoted(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                    {"", `""`},
		"a word":                     {"hello", `"hello"`},
		"a quotation":                {`say "yes"`, `"say \"yes\""`},
		"markup":                     {"<!-- x", `"\u003c!-- x"`},
		"an indented line":           {"a\n        b", `"a\n        b"`},
		"spaces that push":           {"ls" + strings.Repeat(" ", 300) + "; rm -rf /", `"ls" (300 spaces) "; rm -rf /"`},
		"spaces at the end":          {"ls" + strings.Repeat(" ", 17), `"ls" (17 spaces)`},
		"line breaks that push":      {"ls" + strings.Repeat("\n", 40) + "rm", `"ls" (40 times "\n") "rm"`},
		"a character again":          {strings.Repeat("-", 40), `(40 times "-")`},
		"what looks like a count":    {`x" (300 spaces) "y`, `"x\" (300 spaces) \"y"`},
		"a space of no width":        {"a\u200bb", `"a\u200bb"`},
		"a filler that prints":       {"a\u3164b", `"a\u3164b"`},
		"a blank of Braille":         {"a\u2800b", `"a\u2800b"`},
		"a selector of a variant":    {"a\ufe0fb", `"a\ufe0fb"`},
		"one beyond the first plane": {"a\U000e0100b", `"a\U000e0100b"`},
		"another script":             {"аnn", `"аnn" (spelled "\u0430nn")`},
		"no text":                    {"a\xffb", `"a\xffb"`},
	} {
		got := question.Quoted(c.in, 2000)
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFolded breaks lines between words and within quotations, of which nothing is lost,
// and no line of which begins like the question's own.
func TestFolded(t *testing.T) {
	piece := rapid.SampledFrom([]string{"word ", "long-word-without-a-space", "\"", "\\", "\n", "```", "<b>", " ", "\u202e", "é", "1. "})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "body"), "")
		text := question.Of(sighting.Asked{Decision: held(&testing.T{}, "eve@evil.example", body)})
		shown, whole := "", false
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > 92 {
				t.Errorf("line %d has %d characters: %s", i, n, line)
			}
			if strings.HasPrefix(line, "```") || strings.ContainsAny(line, "<>\u202e") {
				t.Errorf("line %d is not harmless: %s", i, line)
			}
			switch {
			case strings.HasPrefix(line, "/body = "):
				shown, whole = strings.TrimPrefix(line, "/body = "), true
			case whole && strings.HasPrefix(line, "    "):
				shown += " " + strings.TrimPrefix(line, "    ")
			default:
				whole = false
			}
		}

		shown, _, _ = strings.Cut(shown, " (spelled ")
		got := ""
		for shown = strings.TrimSpace(shown); shown != ""; shown = strings.TrimSpace(shown) {
			q, err := strconv.QuotedPrefix(shown)
			if err != nil {
				t.Fatalf("%v: %s", err, shown)
			}
			part, err := strconv.Unquote(q)
			if err != nil {
				t.Fatal(err)
			}
			got, shown = got+part, shown[len(q):]
		}
		if runs := strings.Contains(text, " times \"") || strings.Contains(text, " spaces)"); !runs && utf8.RuneCountInString(body) <= 320 && got != body {
			t.Errorf("shown %q, want %q", got, body)
		}
	})
}
