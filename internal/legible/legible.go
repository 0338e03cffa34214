// Package legible makes text that others wrote fit to be shown: what could move a
// cursor, hide, or turn text around is shown as an escape.
package legible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text fit for one line: control and format characters are shown as
// escapes, and a line break as a sign.
func Line(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎")
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			b.WriteString(Escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Block is [Line] for text of several lines, which it keeps.
func Block(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(l)
	}
	return strings.Join(lines, "\n")
}

// Escape is how a character is shown that can't be shown as it is.
func Escape(r rune) string { return `\u{` + strconv.FormatInt(int64(r), 16) + "}" }
