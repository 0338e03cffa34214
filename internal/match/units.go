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
	if f.isBesideUnit(other, ofPrice) {
		return true
	}

	isID := of[len(of)-1] == "id"
	for len(of) > 1 && lexicon().Codes.Has(of[len(of)-1]) {
		of = of[:len(of)-1]
	}
	isOfThing := isID && !slices.Contains([]string{"uom", "measure"}, of[len(of)-1]) // unit_id is a flat's; where it holds a unit, that counts above
	isOf := func(w string) bool { return strings.HasPrefix(of[0], w) }               // priced_per of the price
	isOfAll := ofPrice && lexicon().Money.Has(thing(of[0]))                          // amounts_in of the rent
	isOwn, last := len(of) == 1 || isOfAll || slices.ContainsFunc(f.key, isOf), of[len(of)-1:]
	isBeside := isOwn || f.key == nil
	return (isOwn && lexicon().Bases.In(last)) || (isBeside && ((lexicon().Measures.In(last) && !isOfThing) || (ofPrice && lexicon().Intervals.In(last))))
}

// isBesideUnit reports whether another field is a currency or a unit whatever it is called, says how a price is meant, or the most that a
// rating may be.
func (f *field) isBesideUnit(other *field, ofPrice bool) bool {
	isSign := isOnly(other.key, "symbol") && strings.ContainsFunc(other.text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	isUnit := isSign || lexicon().OfCurrency.In(other.key) || isCurrency(other.text) || isUnit(other.text, ofPrice)
	return isUnit || (ofPrice && f != other && (other.saysHowPriced() || other.saysWhatIsIn())) || (lexicon().Ratings.In(f.key) && isHighest(other.key))
}

// isHighest reports whether a member is called as the most that a rating may be: rating_max, out_of, max.
func isHighest(of []string) bool {
	isAlone := isOnly(of, "max") || isOnly(of, "maximum")
	isOutOf := len(of) > 1 && of[len(of)-2] == "out" && of[len(of)-1] == "of"
	return isAlone || isOutOf || (lexicon().Ratings.In(of) && lexicon().Highest.In(of))
}

// saysHowPriced reports whether a field says for what a price is, or how often, in a word: "pricing": "per guest".
func (f *field) saysHowPriced() bool {
	const short = 32 // bytes
	of, last := f.key, len(f.key)-1
	isSo := (last == 0 && lexicon().Pricings.Has(of[0])) || (last > 0 && lexicon().Rates.Has(of[0]) && lexicon().Modes.Has(of[last]))
	isWord := strings.ContainsFunc(f.text, unicode.IsLetter) && !slices.Contains([]string{"true", "false"}, f.text) && !isMoment(f.text)
	return isSo && isWord && !f.numeric && !f.null && len(f.text) <= short
}

// saysWhatIsIn reports whether a member says whether tax is in a price, or what the price is for: "tax_included": true, "vat": "excl.", "price_for": "stem".
func (f *field) saysWhatIsIn() bool {
	const short = 16 // bytes
	l, text := lexicon(), strings.TrimSpace(f.text)
	if f.numeric || f.null || len(text) > short || len(f.key) == 0 || quantity(text) != nil {
		return false
	}
	first, last := f.key[0], f.key[len(f.key)-1]
	isWord := text != "" && unicode.IsLower([]rune(text)[0]) && text != "true" && text != "false"
	isFor := len(f.key) == 2 && (last == "for" || last == "by") && (l.Rates.Has(first) || l.Pricings.Has(first) || first == "sold")
	return (isFor && isWord) || (l.Taxes.In(f.key) && !slices.ContainsFunc(f.key, isOfTaxpayer))
}

// isOfTaxpayer reports whether a word beside "tax" says by which number or where somebody is taxed: vat_id, tax_country.
func isOfTaxpayer(w string) bool {
	return w == "id" || w == "number" || w == "no" || w == "country" || w == "code"
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
