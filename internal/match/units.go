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

// The words of members that say in what the numbers beside them are: a currency, a unit, the time that a price is for, or the most that
// a rating may be.
var (
	ofCurrency = strings.Fields("currency ccy")
	measures   = strings.Fields("unit uom measure in")
	bases      = strings.Fields("per basis scale denomination multiplier")
	intervals  = strings.Fields("interval period frequency cycle")
	ratings    = strings.Fields("rating score stars points grade")
	highest    = strings.Fields("max maximum best out scale")
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
	if isSign || oneOf(of, ofCurrency) || isCurrency(other.text) || (oneOf(f.key, ratings) && oneOf(of, ratings) && oneOf(of, highest)) {
		return true
	}

	for len(of) > 1 && slices.Contains(codes, of[len(of)-1]) {
		of = of[:len(of)-1]
	}
	isOf := func(w string) bool { return strings.HasPrefix(of[0], w) } // priced_per of the price
	isOwn, last := len(of) == 1 || slices.ContainsFunc(f.key, isOf), of[len(of)-1:]
	ofPrice := f.key == nil || slices.ContainsFunc(f.key, ofMoney) || oneOf(f.key, flows)
	isBeside := isOwn || f.key == nil
	return (isOwn && oneOf(last, bases)) || (isBeside && (oneOf(last, measures) || (ofPrice && oneOf(last, intervals))))
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
