package match

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/label"
)

// same reports whether two scalars are the same value. Authority is compared byte by
// byte; elsewhere case, and the ways of writing a number or a moment, don't matter.
func same(want, have string, authority bool) bool {
	want, have = strings.TrimSpace(want), strings.TrimSpace(have)
	if want == have {
		return true
	}
	if a, ok := number(want); ok {
		b, ok := number(have)
		return ok && a == b
	}
	if sameSite(want, have) || sameSite(have, want) || sameHour(want, have) {
		return true
	}
	if authority || len(want) > maxFolded*(len(have)+1) || len(have) > maxFolded*(len(want)+1) {
		return false
	}

	if a, ok := moment(want); ok {
		b, ok := moment(have)
		return ok && a.Equal(b)
	}
	if isASCII(want) && isASCII(have) {
		return strings.EqualFold(want, have)
	}
	return caseless(want) == caseless(have)
}

// caseless returns a text without its case. Full-width and superscript letters are other letters.
func caseless(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// is reports whether an argument is a value. Where that is exact, a text is no number in another form, since 1.10 is another version than
// 1.1, and blanks around it make another path.
func (a *Argument) is(value string, exact bool) bool {
	if value == a.Text {
		return true
	}
	if !exact {
		return same(value, a.Text, false)
	}
	_, isNumber := number(strings.TrimSpace(value))
	isPadded := strings.TrimSpace(a.Text) != a.Text
	isOtherForm := isNumber && strings.ContainsAny(value, ".eE") != strings.ContainsAny(a.Text, ".eE") // which doubles may round
	return !isPadded && !isOtherForm && !(a.String && isNumber) && same(value, a.Text, true)
}

// takes reports whether an argument is a value of a source: exactly, where it is a target or picks an object.
func (a *Argument) takes(value string) bool {
	return a.is(value, a.authority() || (a.Role == label.Selector && !isMoment(value)))
}

// sameSite reports whether a link is another one, that of a site, with the slash of its empty path: to a
// host, both are the same (RFC 3986, section 6.2.3).
func sameSite(site, slashed string) bool {
	if len(slashed) != len(site)+1 || !strings.HasPrefix(slashed, site) || slashed[len(site)] != '/' {
		return false
	}
	_, host, found := strings.Cut(site, "://")
	isLink := strings.HasPrefix(site, "https:") || strings.HasPrefix(site, "http:")
	return found && isLink && host != "" && !strings.ContainsAny(host, "/?#@\\")
}

// sameHour reports whether two texts are one moment without a zone, of whose forms the letter between the day and the hour differs, and
// the seconds.
func sameHour(a, b string) bool {
	at, ok := hour(a)
	other, okToo := hour(b)
	return ok && okToo && at.Equal(other)
}

// isHourIn reports whether two hours of a day of which one alone says its zone are the same, with the other in a place's: whoever says 14:00
// means their own clock. It reports false for known for other texts, and where the zone of the place is unknown.
func isHourIn(zone *time.Location, a, b string) (is, known bool) {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if zone == nil || min(len(a), len(b)) < len("2006-01-02T15:04") {
		return false, false // as most texts are
	}
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		open, isHour := hour(pair[0])
		if !isHour {
			continue
		}
		other := pair[1]
		if zoned, ok := moment(other); ok && scalar.IsZoned(other) {
			return inZone(open, zone).Equal(zoned), true
		}
	}
	return false, false
}

// hour returns a moment of a day without a zone; false for another text.
func hour(s string) (time.Time, bool) {
	isOfLength := len("2006-01-02T15:04") <= len(s) && len(s) <= len("2006-01-02T15:04:05")
	if !isOfLength || s[4] != '-' {
		return time.Time{}, false // as most texts are, without an error to make
	}
	for _, l := range hourLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// hourLayouts are the ways in which tools write moments of a day without a zone.
var hourLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}

// canonical returns the one way to write a value that may be written in several.
func canonical(text string) string {
	if t, ok := hour(strings.TrimSpace(text)); ok {
		return t.Format(time.DateTime)
	}
	text = fold(text)
	if n, ok := number(text); ok {
		return n
	}
	if site := strings.TrimSuffix(text, "/"); sameSite(site, text) {
		return site
	}
	return text
}

// maxFolded is more than by what factor folding makes a text longer or shorter.
const maxFolded = 32

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// The forms of scalars: see [scalar].
func fold(s string) string                 { return scalar.Fold(s) }
func words(s string) []string              { return scalar.Words(s) }
func number(s string) (string, bool)       { return scalar.Number(s) }
func moment(s string) (time.Time, bool)    { return scalar.Moment(s) }
func clock(s string) (time.Duration, bool) { return scalar.Clock(s) }

// maxCompared bounds the bytes that places of a value in one text are compared for: a
// value that repeats itself is found at every byte of a text that does.
const maxCompared = 1 << 24

// appears reports whether a value appears in a text as a whole: what is around it
// doesn't continue it.
func appears(text, value string) bool {
	value = strings.TrimSpace(value)
	if value == "" {
		return false
	}
	left := maxCompared / len(value)
	for from := 0; left > 0; left-- {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(value)
		if !continues(text[:start], true) && !continues(text[end:], false) {
			return true
		}
		from = start + 1
	}
	return false
}

// joiners continue a token where a letter or digit follows them.
const joiners = "@.-_+/:%&=?#~"

// continues reports whether the text beside a value continues its token.
func continues(beside string, before bool) bool {
	const enough = 16 // bytes, of which two runes count
	switch {
	case len(beside) <= enough:
	case before:
		beside = beside[len(beside)-enough:]
	default:
		beside = beside[:enough]
	}
	runes := []rune(beside)
	if len(runes) == 0 {
		return false
	}
	first, second := runes[0], rune(' ')
	if before {
		first = runes[len(runes)-1]
		if len(runes) > 1 {
			second = runes[len(runes)-2]
		}
	} else if len(runes) > 1 {
		second = runes[1]
	}

	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if inWord(first) {
		return true
	}
	return strings.ContainsRune(joiners, first) && inWord(second)
}
