package match

import (
	"math/big"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// "Below 50 kg" is no bound of what is listed in tons. A unit is compared with those of what it measures, as far as a program knows
// both; in any other one the number alone counts.

// unit is one in which the user said a number, and what it measures.
type unit struct{ of, name string }

// unitNames are the ways of writing units, the first of each as their name, by what they measure.
const unitNames = `
money: eur euro euros €, usd dollar dollars bucks $, gbp pound pounds quid sterling £, jpy yen ¥ 円, chf franc francs franken, btc bitcoin bitcoins ₿,
 dkk kr krone kroner, sek kr krona kronor, nok kr krone kroner, isk kr krona kronur, czk kč koruna koruny korun, pln zł zloty zlotys złoty złotych, huf ft forint, ron lei leu,
 mdl lei leu, bgn лв лева, rub руб рублей рубля ₽, uah грн гривень ₴, try ₺ tl lira, krw ₩ 원, cny ¥ 元 yuan rmb, inr ₹ rupee rupees, vnd ₫ đồng, thb ฿ baht บาท, ils ₪ shekel shekels,
 kwd dinar dinars, rsd din dinar dinara
mass: mg milligram milligrams, µg μg mcg ug microgram micrograms, g gr gram grams gramm, kg kilo kilos kilogram kilograms kilogramm, t ton tons tonne tonnes, lb lbs pound pounds, oz ounce ounces
length: mm, cm, m meter meters metre metres, km kilometer kilometers kilometre kilometres, mi mile miles, ft foot feet, inch inches
volume: µl μl, ml milliliter milliliters millilitre millilitres, dl, cl, l liter liters litre litres, hl, gal gallon gallons
time: s sec second seconds, min mins minute minutes, h hr hrs hour hours, d day days, week weeks, month months, year years
energy: wh, kwh, mwh
power: w watt watts, kw kilowatt kilowatts, mw
area: m2 m² sqm qm, ha hectare hectares, km2 km², acre acres, sqft ft2
speed: kmh km/h kph, mph, kn knot knots
temperature: c °c celsius, f °f fahrenheit
activity: iu ie, mmol, mol
data: byte bytes, kb, mb, gb, tb`

// isUnit reports whether a text is nothing but a unit, or one for each of another ("l/s", "per month"), whatever holds it.
// A letter alone is more often a size, and one with a digit an id. Those of time count where times are said to.
func isUnit(text string, times bool) bool {
	const longest = 24 // bytes
	if len(text) > longest {
		return false
	}
	parts := strings.FieldsFunc(strings.TrimPrefix(fold(text), "per "), func(r rune) bool { return r == '/' || r == ' ' })
	isPart := func(w string) bool {
		named := slices.ContainsFunc(unitTable()[w], func(u unit) bool { return times || len(parts) > 1 || u.of != "time" })
		return named || lexicon().UnitSigns.Has(w) || (w == "per" && len(parts) > 1)
	}
	isShort := len(parts) == 1 && (lexicon().UnitsAndMore.Has(parts[0]) || utf8.RuneCountInString(parts[0]) == 1 || strings.ContainsFunc(parts[0], unicode.IsDigit))
	return len(parts) > 0 && !isShort && !slices.ContainsFunc(parts, func(w string) bool { return !isPart(w) })
}

// unitTable has the units that a word or a sign means.
var unitTable = sync.OnceValue(func() map[string][]unit {
	table := map[string][]unit{}
	for line := range strings.Lines(strings.TrimSpace(strings.ReplaceAll(unitNames, ",\n", ","))) {
		of, all, _ := strings.Cut(line, ":")
		for names := range strings.SplitSeq(all, ",") {
			each := strings.Fields(names)
			for _, word := range each {
				table[word] = append(table[word], unit{of, each[0]})
			}
		}
	}
	return table
})

// unitsCalled returns the units that a word or a sign may mean.
func unitsCalled(word string) []unit {
	out := unitTable()[word]
	if code := strings.ToUpper(word); out == nil && len(code) == len("EUR") {
		if _, err := currency.ParseISO(code); err == nil {
			out = []unit{{"money", word}}
		}
	}
	return out
}

// unitsOf returns the units in which the user said the number that bounds a condition: by the word behind it, or a sign beside it.
func (m *matcher) unitsOf(w *Match) []unit {
	bounds := string(w.Below + w.Above)
	if bounds == "" || !m.work(len(m.folded)) {
		return nil
	}
	var out []unit
	isStated := m.isStated(w)
	for _, at := range numbers().FindAllStringIndex(m.folded, maxOperands) {
		if n, ok := number(plain(m.folded[at[0]:at[1]])); !ok || !(isNextTo(n, w.Below, -1) || isNextTo(n, w.Above, 1)) || (isStated && !isBound(n, w) && !m.isBounding(at)) {
			continue
		}

		before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(m.folded[:at[0]], " "))
		behind := strings.TrimLeft(m.folded[at[1]:], " ")
		sign, _ := utf8.DecodeRuneInString(behind)
		word := behind
		if end := strings.IndexFunc(behind, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			word = behind[:end]
		}
		for _, called := range []string{string(before), string(sign), word} {
			r := []rune(called + " ")[0]
			isSign := called != word && !unicode.Is(unicode.Sc, r) && !(called == string(sign) && writesOn(r))
			if called != "" && !isSign {
				out = append(out, unitsCalled(called)...)
			}
		}
	}
	return out
}

// isStated reports whether the user said just the number of a bound, behind a word that leaves it out: a number next to it is then another
// one, unless it has such words itself.
func (m *matcher) isStated(w *Match) bool {
	return slices.ContainsFunc(numbers().FindAllStringIndex(m.folded, maxOperands), func(at []int) bool {
		n, ok := number(plain(m.folded[at[0]:at[1]]))
		return ok && isBound(n, w) && leavingOut().MatchString(m.folded[max(0, at[0]-maxBounding):at[0]])
	})
}

// isBound reports whether a number is the bound of a condition.
func isBound(n string, w *Match) bool {
	said := rational(n)
	isSame := func(bound scope.Value) bool {
		limit := rational(string(bound))
		return bound != "" && limit != nil && said != nil && said.Cmp(limit) == 0
	}
	return isSame(w.Below) || isSame(w.Above)
}

// isBounding reports whether the user's words around a number make it a bound.
func (m *matcher) isBounding(at []int) bool {
	before, behind := m.folded[max(0, at[0]-maxBounding):at[0]], m.folded[at[1]:min(len(m.folded), at[1]+maxBounding)]
	return leavingOut().MatchString(before) || including().MatchString(before) || boundBehind().MatchString(behind)
}

// maxBounding bounds the words that make a number a bound, in bytes.
const maxBounding = 24

// leavingOut and including match words before a number that make it a bound, and boundBehind those behind it.
var (
	leavingOut  = pattern.OnUse(`\b(?:below|under|above|over|(?:less|fewer|more|cheaper) than)\s+\W?$`)
	including   = pattern.OnUse(`\b(?:at (?:most|least)|up to|within|to|max|maximum|min|minimum|from|limit|is|of|least|most|than)[\s:]+\W?$`)
	boundBehind = pattern.OnUse(`^\W*(?:\w+ )?(?:at (?:most|least)|or|and|max|maximum|min|minimum|tops)\b`)
)

// isNextTo reports whether a number that the user said is a bound, or is included by one next to it: "at most 50" is below 50.01, or
// below 51 where there is nothing between.
func isNextTo(said string, bound scope.Value, side int) bool {
	if bound == "" {
		return false
	}
	limit, n := rational(string(bound)), rational(said)
	if limit == nil || n == nil {
		return false
	}
	within := n.Sub(n, limit)
	if side > 0 {
		within.Neg(within)
	}
	return within.Sign() <= 0 && within.Cmp(big.NewRat(-1, 1)) >= 0
}

// writesOn reports whether words go on behind a letter of a script without a blank: 500円以下.
func writesOn(r rune) bool { return character.IsUnspaced(r) || unicode.Is(unicode.Hangul, r) }

// isInUnits reports whether a number with units beside it may be compared with a bound. It is in the unit that the user said. Or the user
// said none, no program knows another one, and all numbers are in the same. It counts no hundreds or thousands.
func (h *held) isInUnits(r *Result, f *field) bool {
	isSame, isOther, fields := false, false, 0
	for _, i := range r.records[f.record] {
		beside := &r.fields[i]
		if !f.isMeasuredBy(beside) {
			continue
		}

		fields++
		isKnown := false
		for _, word := range strings.Fields(fold(beside.text)) {
			if lexicon().Scales.Has(word) {
				return false
			}
			for _, u := range unitsCalled(word) {
				isKnown, isSame = true, isSame || slices.Contains(h.said, u)
				isOther = isOther || slices.ContainsFunc(h.said, func(said unit) bool { return said.of == u.of })
			}
		}
		isUnit := lexicon().Measures.In(beside.key) || lexicon().OfCurrency.In(beside.key)
		isOther = isOther || (isUnit && !isKnown && len(h.said) > 0)
	}
	if isSame {
		return !h.mixed || fields == 1
	}
	return !isOther && !h.mixed
}
