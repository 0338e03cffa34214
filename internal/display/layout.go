package display

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clip shortens text to its first n characters, the last of which is then "…".
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s[:min(len(s), max(n, 0)*utf8.UTFMax)])
	return string(r[:max(n-1, 0)]) + "…"
}

// ClipStart shortens text to its last n characters, the first of which is then
// "…".
func ClipStart(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}

// Wrap breaks text between words into lines of at most width characters. A longer
// word has a line of its own. There is always at least one line.
func Wrap(s string, width int) []string {
	var lines []string
	line, n := "", 0
	for word := range strings.FieldsSeq(s) {
		w := utf8.RuneCountInString(word)
		if n > 0 && n+1+w > width {
			lines, line, n = append(lines, line), "", 0
		}
		if n > 0 {
			line, n = line+" ", n+1
		}
		line, n = line+word, n+w
	}

	if n > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// Count writes a number with the right form of its noun: "1 tool", "2 tools".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
