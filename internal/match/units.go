package match

import (
	"math/big"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/currency"
)

// Numbers are compared and added up where they measure the same: 70 dinars are more than 80 euros, 900 ml less than 18 l, and
// what is spent may be written below zero.

// isMeasuredBy reports whether another field of its record says in which currency or unit a number is, as one of any number where the
// field has no name. Nothing measures a moment.
func (f *field) isMeasuredBy(other *field) bool {
	of := other.key
	if isMoment(f.text) || len(of) == 0 {
		return false
	}
	ofPrice := f.key == nil || slices.ContainsFunc(f.key, ofMoney) || lexicon().Flows.In(f.key)
	isSign := isOnly(of, "symbol") && strings.ContainsFunc(other.text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	if isSign || lexicon().OfCurrency.In(of) || isCurrency(other.text) || isUnit(other.text, ofPrice) || (lexicon().Ratings.In(f.key) && lexicon().Ratings.In(of) && lexicon().Highest.In(of)) {
		return true
	}

	for len(of) > 1 && lexicon().Codes.Has(of[len(of)-1]) {
		of = of[:len(of)-1]
	}
	isOf := func(w string) bool { return strings.HasPrefix(of[0], w) } // priced_per of the price
	isOwn, last := len(of) == 1 || slices.ContainsFunc(f.key, isOf), of[len(of)-1:]
	isBeside := isOwn || f.key == nil
	return (isOwn && lexicon().Bases.In(last)) || (isBeside && (lexicon().Measures.In(last) || (ofPrice && lexicon().Intervals.In(last))))
}

// isCurrency reports whether a text is nothing but the sign or the code of a currency, whatever holds it.
func isCurrency(text string) bool {
	isSign := func(r rune) bool { return unicode.Is(unicode.Sc, r) }
	if text != "" && strings.TrimFunc(text, isSign) == "" {
		return true
	}
	_, err := currency.ParseISO(text)
	return err == nil && text == strings.ToUpper(text)
}

// measureOf returns the currency and the unit that the record of a value gives.
func (m *matcher) measureOf(v candidate) string {
	r, record := m.recordOf(v)
	if r == nil {
		return ""
	}
	return r.beside(record, (&field{}).isMeasuredBy)
}

// quantity returns a field as something that can be compared; nil for others.
func (f *field) quantity() *big.Rat {
	v := quantity(f.text)
	if lexicon().Flows.In(f.key) && isBelowZero(v, f.text) {
		return nil
	}
	return v
}

// quantity returns a value itself as something that can be compared; nil for others.
func (v candidate) quantity() *big.Rat {
	n := quantity(v.text)
	if isBelowZero(n, v.text) {
		return nil
	}
	return n
}

// isBelowZero reports whether a text is a number below zero, and not a moment of long ago.
func isBelowZero(n *big.Rat, text string) bool {
	return n != nil && n.Sign() < 0 && !isMoment(text)
}
