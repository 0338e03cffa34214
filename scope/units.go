package scope

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
)

// Numbers are compared and added up where they measure the same: 70 dinars are more than 80 euros, 900 ml less than 18 l, and
// what is spent may be written below zero.

// The words of members that say in what the numbers beside them are: a currency, a unit, or the time that a price is for.
var (
	ofCurrency = strings.Fields("currency ccy")
	measures   = strings.Fields("unit uom measure in")
	intervals  = strings.Fields("interval period frequency cycle")
)

// codes are the words behind these that say in which form they are written.
var codes = strings.Fields("code symbol name iso id")

// isMeasuredBy reports whether another field of its record says in which currency or unit a number is, as one of any number where the
// field has no name. Nothing measures a moment.
func (f *field) isMeasuredBy(other *field) bool {
	of := other.key
	if isMoment(f.text) || len(of) == 0 {
		return false
	}
	isSign := isOnly(of, "symbol") && strings.ContainsFunc(other.text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	if isSign || oneOf(of, ofCurrency) {
		return true
	}

	for len(of) > 1 && slices.Contains(codes, of[len(of)-1]) {
		of = of[:len(of)-1]
	}
	isOwn, last := len(of) == 1 || f.key == nil || slices.Contains(f.key, of[0]), of[len(of)-1:]
	ofPrice := f.key == nil || slices.ContainsFunc(f.key, ofMoney) || oneOf(f.key, flows)
	return isOwn && (isOneOf(measures)(last[0]) || (ofPrice && oneOf(last, intervals)))
}

// measureOf returns the currency and the unit that the record of a value gives.
func (m *matcher) measureOf(v candidate) string {
	r, record := m.recordOf(v)
	if r == nil {
		return ""
	}
	return r.beside(record, (&field{}).isMeasuredBy)
}

// flows are the members whose numbers are below zero where money goes the other way. Of the largest of such payments nobody
// says whether it is the one that is farthest from zero; a balance has an order.
var flows = strings.Fields("amount price total sum cost fee due rent payment fare rate charge expense value transaction debit credit")

// quantity returns a field as something that can be compared; nil for others.
func (f *field) quantity() *big.Rat {
	v := quantity(f.text)
	if oneOf(f.key, flows) && isBelowZero(v, f.text) {
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
