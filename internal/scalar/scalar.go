// Package scalar reads the scalars of scopes and of results as what they are: numbers, moments,
// times of the day and words, each in one form whatever way it is written.
package scalar

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/pattern"
)

// Fold returns the form in which text is compared where case doesn't matter.
func Fold(s string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(s)))
}

// Words returns the words of a name or a description, folded.
func Words(s string) []string {
	if isLower(s) {
		return strings.FieldsFunc(s, isBetween) // as most names are written
	}
	var b strings.Builder
	b.Grow(len(s))
	lower := false
	for _, r := range s {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ') // camelCase
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return strings.FieldsFunc(Fold(b.String()), isBetween)
}

// isBetween reports whether a character is in no word.
func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !isVowel(r) }

// isLower reports whether a text is ASCII without capitals, which folding leaves as it is.
func isLower(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII || ('A' <= s[i] && s[i] <= 'Z') {
			return false
		}
	}
	return true
}

// isVowel reports whether a mark is a letter of its own in a script that writes vowels so, and none that may be put onto any letter.
func isVowel(r rune) bool { return unicode.IsMark(r) && !unicode.Is(unicode.Inherited, r) }

// plainNumber has no zeros in front: 0012 is an account or an id, and another one than 12.
var plainNumber = pattern.OnUse(`^-?(?:0|[1-9]\d{0,17})(\.\d{1,12})?$`)

// Number returns the one way to write a plain number; false for another text.
func Number(s string) (string, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || !plainNumber().MatchString(s) {
		return "", false
	}
	negative := strings.HasPrefix(s, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	fraction = strings.TrimRight(fraction, "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if negative && whole != "0" {
		whole = "-" + whole
	}
	return whole, true
}

// layouts are the ways in which tools write days and moments, the last ones with a zone.
var layouts = []string{
	"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05",
	time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00",
}

// Moment returns the moment that a text is, which is at [Unzoned] where it is written without a
// zone; false for another text.
func Moment(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02") || s[0] < '0' || s[0] > '9' || len(s) > len(time.RFC3339)+6 {
		return time.Time{}, false
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && IsZoned(s) {
			return t, true
		} else if err == nil {
			return t.In(Unzoned), true
		}
	}
	return time.Time{}, false
}

// Unzoned is the place of what is written without a zone, with the clock of UTC.
var Unzoned = time.FixedZone("", 0)

// IsZoned reports whether a moment says in which zone it is.
func IsZoned(s string) bool {
	const offset = "+00:00"
	return strings.HasSuffix(s, "Z") || (len(s) > len(time.DateTime) && strings.ContainsAny(s[len(s)-len(offset):][:1], "+-"))
}

// clocks are the ways in which tools write a time of the day alone.
var clocks = []string{"15:04", "15:04:05", "3:04 PM", "3:04PM"}

// Clock returns the time of the day that a text is, since midnight; false for another text.
func Clock(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if len(s) < len("7:00") || len(s) > len("12:00:00 PM") || s[0] < '0' || s[0] > '9' || !strings.Contains(s[:3], ":") {
		return 0, false
	}
	for _, l := range clocks {
		if t, err := time.Parse(l, strings.ToUpper(s)); err == nil {
			return SinceMidnight(t), true
		}
	}
	return 0, false
}

// SinceMidnight returns how late in its day a moment is.
func SinceMidnight(t time.Time) time.Duration {
	clock := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second
	return clock + time.Duration(t.Nanosecond())
}
