// Package display prepares text for a terminal or another page that a person reads.
// Text that others wrote is shown so that it can't move the cursor, hide, run
// backwards, or pass for the words of the program.
package display

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text safe to show on one line: control and format characters become
// escapes, and a line break becomes a sign.
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

// Block makes text of several lines safe to show, each line as [Line] does.
func Block(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(l)
	}
	return strings.Join(lines, "\n")
}

// OneLine leaves out control and format characters, and writes all white space
// between words as one space.
func OneLine(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
	return strings.Join(words, " ")
}

// Escape returns the escape of a character, such as \u{202e}.
func Escape(r rune) string { return `\u{` + strconv.FormatInt(int64(r), 16) + "}" }
