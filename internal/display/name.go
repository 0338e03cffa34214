package display

import (
	"strconv"
	"strings"
)

// InQuotes returns what to print between the quotes around text that others
// wrote. It has no quote that could end them, and every printable letter of any
// script as it is.
func InQuotes(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// Name returns the name of a tool, a call, a session or an argument for printing.
// A plain name stays as it is, any other is quoted, because an attacker who
// chooses a name may choose one that reads like the program's own words.
func Name(s string) string { return nameWith(s, "") }

// Origin returns the name of a place in a session for printing, like [Name].
// Unlike a name, an origin may contain # without being quoted.
func Origin(s string) string { return nameWith(s, "#") }

func nameWith(s, also string) string {
	if isPlain(s, also) {
		return s
	}
	return strconv.Quote(s)
}

// ShortName is [Name] in at most n characters.
func ShortName(s string, n int) string {
	if isPlain(s, "") {
		return Clip(s, n)
	}
	return `"` + Clip(InQuotes(s), max(n-2, 1)) + `"`
}

// isPlain reports whether s can't be mistaken for anything else on its line: it
// isn't empty, and has only ASCII letters, digits and a few signs, with those of
// also.
func isPlain(s, also string) bool {
	signs := "_-./~[]*@:" + also
	for _, r := range s {
		if !isLetterOrDigit(r) && !strings.ContainsRune(signs, r) {
			return false
		}
	}
	return s != ""
}

func isLetterOrDigit(r rune) bool {
	lower := 'a' <= r && r <= 'z'
	upper := 'A' <= r && r <= 'Z'
	digit := '0' <= r && r <= '9'
	return lower || upper || digit
}
