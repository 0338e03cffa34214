package provenance

import (
	"math/big"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/numeral"
)

// quantity is a number in a vouching text.
type quantity struct {
	position
	value   *big.Rat
	percent bool
	// marked is set when the number has a currency, a unit or decimals: it is then a
	// quantity and not a bare little number.
	marked bool
	// spelled is set when it is written in words.
	spelled bool
}

// addQuantities indexes the numbers of a vouching text.
func (v *vouching) addQuantities(source int32, text string) {
	read := numeral.All(text)
	v.sources[source].numerals = read
	for _, n := range read {
		if n.Value == nil {
			continue
		}
		if n.Money && !n.Percent {
			v.money = true
		}

		q := quantity{position{source, int32(n.Start), int32(n.End)}, n.Value, n.Percent, n.Marked, n.Spelled}
		if key := ratKey(n.Value); len(v.numbers[key]) < maxPositions {
			v.numbers[key] = append(v.numbers[key], q)
		}
		if v.operand(&q) {
			v.order = append(v.order, q)
		}
	}
}

// operand reports whether a number is a quantity that others are computed from:
// it has a currency, a unit, a percent sign or decimals, or a word for a quantity
// next to it. House numbers and postal codes are not quantities.
func (v *vouching) operand(q *quantity) bool {
	if q.value.Sign() == 0 || q.marked || q.percent {
		return q.value.Sign() != 0
	}
	left, right := v.around(occurrence{source: int(q.source), start: int(q.start), end: int(q.end)}, 3, 1)
	return vocabulary().QuantityWords.In(left) || vocabulary().QuantityWords.In(right)
}

// isMisread reports whether a plain number as programs write it is another number than
// the text has at that place: a piece of "1.2 million", or a "1.200" that is twelve
// hundred to its writer.
func (v *vouching) isMisread(o occurrence) bool {
	src := &v.sources[o.source]
	i, _ := slices.BinarySearchFunc(src.numerals, o.start, func(n numeral.Numeral, start int) int { return n.End - 1 - start })
	if i == len(src.numerals) || src.numerals[i].Start > o.start {
		return false
	}
	value, ok := parseNumber(src.text[o.start:o.end])
	n := src.numerals[i].Value
	return !ok || n == nil || n.Cmp(value) != 0
}

// numberShape reports whether a value of an argument or a field is a plain
// number: the JSON grammar without exponents, within [numeral.MaxDigits].
func numberShape(s string) bool {
	if s == "" || len(s) > numeral.MaxDigits {
		return false
	}

	digits, dots := 0, 0
	unsigned := strings.TrimPrefix(s, "-")
	for i := range len(unsigned) {
		switch {
		case atom.IsDigit(unsigned[i]):
			digits++
		case unsigned[i] == '.' && digits > 0 && dots == 0:
			dots++
		default:
			return false
		}
	}

	if digits == 0 || strings.HasSuffix(s, ".") {
		return false
	}
	leadingZero := len(unsigned) > 1 && unsigned[0] == '0' && unsigned[1] != '.'
	return !leadingZero
}

// parseNumber reads a value of an argument or a field as an exact number.
func parseNumber(s string) (*big.Rat, bool) {
	if !numberShape(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// numberKey returns the one spelling of a plain number by which equal ones are found: 12.50 and
// 12.5 are the same amount.
func numberKey(s string) (string, bool) {
	if !numberShape(s) {
		return "", false
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return s, true
}

// ratKey is [numberKey] of a number that was computed. Its decimals always end.
func ratKey(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(2*numeral.MaxDigits), "0")
}

// numberWords are the small numbers that people write as words.
var numberWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "an": 1, "a": 1, "half": 0,
}
