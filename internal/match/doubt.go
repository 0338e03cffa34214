package match

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/lookalike"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// What speaks against a call, in unless and except, does so under any disguise: otherwise the
// author of a text could keep it from being left out.

// is reports whether a text is a value of a condition.
func (w *Match) is(v scope.Value, text string) bool {
	if isDay(v) && isOnDay(v, text, w.zone, w.against) {
		return true
	}
	if mayBeCompany(text, string(v)) && w.isParty() && isCompany(text, string(v)) {
		return true
	}
	if !w.against {
		return same(string(v), text, w.exact)
	}
	unclear := w.days && !isMoment(text) && strings.TrimSpace(text) != "" // a day in words
	return unclear || same(string(v), text, false) || mayBe(string(v), text) || isAmong(string(v), text) || (w.isOnName() && mayBeCalled(string(v), text)) || w.maySaySo(v, text)
}

// mayCover reports whether a text in the very place of an id may be about one that a condition looks for, as no other id is, or that of
// whatever else a condition states is about all there is: all rooms.
func (w *Match) mayCover(text string) bool {
	shown := fold(strings.TrimSpace(text))
	isAll := len(w.Is)+len(w.Contains) > 0 && (shown == "*" || lexicon().Everything.Has(shown))
	return isAll || (w.isOnID() && slices.ContainsFunc(w.Is, func(v scope.Value) bool { return mayCover(string(v), text) }))
}

// isOnID reports whether a condition is on the id, the number or the code of something.
func (w *Match) isOnID() bool {
	name := head(w.name())
	return len(name) > 0 && (endsIn(name, "id") || endsIn(name, "uuid") || lexicon().Filled.Has(name[len(name)-1]))
}

// mayCover reports whether a text in the place of a code says anything but another one: "all", C* and C5-9 may be about C7, and so is what no program
// reads. Another code is one with letters, digits and signs in the same order, or of the same length.
func mayCover(code, text string) bool {
	value, shown := plainly(code), plainly(text)
	if !isCode(value) || isMoment(code) || rational(strings.TrimSpace(code)) != nil || shown == "" {
		return false
	}
	isLong := len(value) >= longCode && len(shown) == len(value) && isCode(shown)
	if isLong {
		return false // as a random one is
	}
	return shapeOf(shown) != shapeOf(value) || unpadded(shown) == unpadded(value)
}

// longCode is how long a code is, in bytes, that may have letters and digits in any order.
const longCode = 6

// shapeOf returns the order of letters, digits and signs in a text.
func shapeOf(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			r = 'a'
		case unicode.IsDigit(r):
			r = '0'
		}
		if r != last || (r != 'a' && r != '0') {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// unpadded returns a code without zeros before its numbers.
func unpadded(code string) string {
	return digits().ReplaceAllStringFunc(code, func(n string) string { return strings.TrimLeft(n, "0") })
}

// maySaySo reports whether a short text that is no title may say a value among other words, inflected or in a compound: "Admin (owner)" and
// administrators are admins, for what speaks against a call.
func (w *Match) maySaySo(v scope.Value, text string) bool {
	name := head(w.name())
	if len(name) == 0 || w.exact || lexicon().Titles.Ends(name) {
		return false
	}
	of := spaced(plainly(string(v)))
	isWord := strings.ContainsFunc(of, unicode.IsLetter) && !strings.ContainsFunc(of, unicode.IsDigit) && switches()[of] == ""
	if !isWord || len(words(text)) > maxTitle {
		return false
	}
	what, isCompound := strings.CutPrefix(unsigned(text), unsigned(string(v)))
	isCompound = isCompound && what == name[len(name)-1] // the Nagyterem of terem: nagy
	return isCompound || maySay(spaced(plainly(text)), of)
}

// mayBe reports whether a text may be a value, whatever its form: an amount with its currency, an
// address with a name, a name with invisible characters.
func mayBe(value, text string) bool {
	if n := rational(strings.TrimSpace(value)); n != nil {
		return mayBeNumber(value, text)
	}
	a, isMoment := moment(strings.TrimSpace(value))
	b, dated := moment(strings.TrimSpace(text))
	if isMoment && dated {
		return sameClock(a, b) || isWrittenAs(a, b)
	}
	value, shown := plainly(value), plainly(text)
	if on := switches()[value]; on != "" && on == switches()[shown] {
		return true
	}
	for _, k := range heldKinds {
		if appears(shown, value) && isOf(value, k) {
			return true
		}
	}
	return shown == value || isDisguised(text)
}

// isAmong reports whether a short text has a code among others ("s1; s2"), at one end of a range ("s1-s4"), in a link, or parted ("s 1").
func isAmong(code, text string) bool {
	value := plainly(code)
	if strings.ContainsFunc(text, isListSign) && isPartOf(value, plainly(text)) {
		return true
	}
	if !isCode(value) || isMoment(code) || rational(strings.TrimSpace(code)) != nil {
		return false
	}

	shown := plainly(text)
	if len(shown) > 16*maxTitle {
		return false
	}
	if strings.ReplaceAll(shown, " ", "") == value {
		return true
	}
	parts := strings.FieldsFunc(shown, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|&+/\\()[]{}", r) })
	return slices.ContainsFunc(parts, func(part string) bool {
		first, last, isRange := strings.Cut(part, "-")
		return part == value || (isRange && isCode(first) && isCode(last) && (first == value || last == value))
	})
}

// isPartOf reports whether a short text is a list with a value.
func isPartOf(value, text string) bool {
	isValue := func(part string) bool { return strings.TrimSpace(part) == value }
	return value != "" && len(text) <= 16*maxTitle && slices.ContainsFunc(strings.FieldsFunc(text, isListSign), isValue)
}

// isListSign reports whether a sign parts the values of a list: "A+B".
func isListSign(r rune) bool { return strings.ContainsRune(",;|&+/、，；", r) }

// switches are the ways of writing that something is so, or isn't.
var switches = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"true": "on", "yes": "on", "on": "on", "y": "on", "t": "on", "1": "on",
		"false": "off", "no": "off", "off": "off", "n": "off", "f": "off", "0": "off",
	}
})

// mayBeNumber reports whether a text may be read as a number.
func mayBeNumber(value, text string) bool {
	shown := plainly(text)
	want, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if have, err := strconv.ParseFloat(shown, 64); err == nil {
		return have == want
	}
	numbers, few := shaped(shown, scope.Number)
	is := func(n string) bool { have, err := strconv.ParseFloat(n, 64); return err == nil && have == want }
	return !few || slices.ContainsFunc(numbers, is) || strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsDigit(r) && r > unicode.MaxASCII })
}

// invisible are the characters that don't show, and those that mark others.
var invisible = []*unicode.RangeTable{unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point}

// visible returns a text without what is invisible, folded, and with one space for several.
func visible(text string) string {
	if !isASCII(text) {
		text = strings.Map(func(r rune) rune {
			if unicode.In(r, invisible...) {
				return -1
			}
			return r
		}, norm.NFKD.String(text))
	}
	text = fold(text)
	if !strings.ContainsFunc(text, unicode.IsSpace) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// plainly returns a text as people see it.
func plainly(text string) string { return lookalike.Latin(visible(text)) }

// alphabets are those whose letters look like each other's.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee}

// isDisguised reports whether a word of a text has letters of several alphabets that look alike.
func isDisguised(text string) bool {
	return !isASCII(text) && slices.ContainsFunc(words(visible(text)), func(word string) bool {
		of := 0
		for _, a := range alphabets {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(a, r) }) {
				of++
			}
		}
		return of > 1
	})
}

// begins reports whether a text begins with the prefix of a condition, and as a path stays there.
func (w *Match) begins(text string) bool {
	if strings.HasPrefix(fold(text), fold(w.Prefix)) {
		out := strings.Contains(w.Prefix, "/") && stepsOut(text)
		return w.against || !out
	}
	return w.against && (strings.HasPrefix(unsigned(text), unsigned(w.Prefix)) || isDisguised(text))
}

// ends reports whether a text ends with the end of a condition. Of a number or a word, signs and blanks between don't count: 0470 55 01 19
// ends in 0119.
func (w *Match) ends(text string) bool {
	of := fold(w.Ends)
	if strings.HasSuffix(strings.TrimSpace(fold(text)), of) {
		return true
	}
	if plain := strings.ReplaceAll(of, " ", ""); !strings.ContainsFunc(plain, isSign) && strings.HasSuffix(strings.Join(strings.FieldsFunc(fold(text), isSign), ""), plain) {
		return true
	}
	return w.against && (strings.HasSuffix(unsigned(text), unsigned(w.Ends)) || isDisguised(text))
}

// isSign reports whether a character is in no word.
func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// unsigned returns a text as it reads without signs and blanks.
func unsigned(text string) string { return strings.Join(strings.FieldsFunc(plainly(text), isSign), "") }

// edges are what a text has to begin and to end with; nil for none.
func (w *Match) edges() []string {
	var out []string
	for _, text := range []string{w.Prefix, w.Ends} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// says reports whether a text has words that a condition looks for, or one of alternatives. Signs
// among them have to be there as well: C++ is not C.
func (w *Match) says(text string) bool {
	in, folded := spaced(text), fold(text)
	found := slices.ContainsFunc(w.Contains, func(looked string) bool {
		if of := spaced(looked); of != "" {
			return hasWords(in, of) && (w.against || hasSigns(folded, fold(looked)))
		}
		return strings.Contains(folded, fold(looked))
	})
	if found || w.compounds {
		return found || slices.ContainsFunc(w.Contains, func(looked string) bool { return hasCompound(in, spaced(looked)) })
	}
	if !w.against {
		return false
	}

	shown := spaced(plainly(text))
	parted, together := strings.Join(words(text[:min(len(text), maxLabel)]), " "), strings.ReplaceAll(shown, " ", "") // GymPlus is the gym
	return isDisguised(text) || slices.ContainsFunc(w.Contains, func(looked string) bool {
		of := spaced(plainly(looked))
		before, after, several := strings.Cut(of, " ")
		inOne := several && strings.Contains(together, before+strings.ReplaceAll(after, " ", ""))
		return hasWords(shown, of) || hasWords(parted, of) || inOne || maySay(shown, of)
	})
}

// decimals are numbers with a sign within.
var decimals = pattern.OnUse(`\d+(?:[.,:]\d+)+`)

// hasSigns reports whether a folded text has the signs of another one, and its numbers as they are
// written.
func hasSigns(text, of string) bool {
	absent := func(r rune) bool { return unicode.IsSymbol(r) && !strings.ContainsRune(text, r) }
	other := func(n string) bool { return !appears(text, n) }
	return !strings.ContainsFunc(of, absent) && !slices.ContainsFunc(decimals().FindAllString(of, maxOperands), other)
}

// work returns how much text a program goes through to hold a text of a length to a condition.
func (w *Match) work(length int) int {
	for _, words := range w.Contains {
		length += len(words)
	}
	if !w.against {
		return length
	}
	all := length
	for _, v := range w.Is {
		all += length + len(v)
	}
	return all
}
