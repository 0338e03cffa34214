package match

import (
	"slices"

	"github.com/remit-project/remit/internal/pattern"
)

// ratioSigns matches what a ratio is of, what says so, and the unit that it is for: "price per kilo", "Preis pro Liter", "price/kg". But for
// "per", these are words and signs of something else as well.
var ratioSigns = pattern.OnUse(`(\pL+)(?: (per) (?:an? |one )?| (?:pro|je|par|por|za|na|al|au) | ?/ ?)(?:\d+ ?)?(\pL+)`)

// ratioIn returns what a criterion compares for one of which unit: of the price per kilo, the price and the kilo; empty where it names no
// ratio.
func ratioIn(by string) (of, unit string) {
	found := ratioSigns().FindStringSubmatch(fold(by))
	if found == nil || found[3] == "cent" || (found[2] == "" && !isRatioUnit(found[3])) {
		return "", ""
	}
	return found[1], found[3]
}

// isRatioUnit reports whether a word is a unit, or a piece.
func isRatioUnit(word string) bool { return lexicon().Apiece.Has(word) || unitTable()[word] != nil }

// isSameUnit reports whether two words mean one unit, or a piece each.
func isSameUnit(a, b string) bool {
	if sameWord(a, b) || (lexicon().Apiece.Has(a) && lexicon().Apiece.Has(b)) {
		return true
	}
	return slices.ContainsFunc(unitTable()[a], func(u unit) bool { return slices.Contains(unitTable()[b], u) })
}

// ratio returns the best values by the members that say that they hold a ratio (price_per_kg, unitPrice). What is cheap need not be so by the
// kilo: without such a member, a program can't tell.
func (m *matcher) ratio(of, unit string, by criterion, o offers) [][]candidate {
	isOf := func(w string) bool { return sameWord(w, of) || by.order.isAbout(w) }
	names := m.membersOf(o, func(key []string) bool {
		if len(key) == 2 && lexicon().Apiece.Has(key[0]) {
			return lexicon().Apiece.Has(unit) && isOf(key[1])
		}
		at := slices.Index(key, "per")
		return at > 0 && at+2 == len(key) && isSameUnit(key[at+1], unit) && isOf(key[at-1])
	})
	var out [][]candidate
	for _, name := range names {
		out = append(out, m.first(o, []string{name}, by).best()...)
	}
	if out == nil {
		return unclear()
	}
	return out
}
