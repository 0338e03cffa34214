package provenance

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// quantity is a number in a vouching text or in a field.
type quantity struct {
	position
	value   *big.Rat
	percent bool
	// marked is set when a currency or a unit stands next to the number, or it
	// has a decimal part: it is then a quantity and no bare little number.
	marked bool
}

// addQuantities indexes the numbers of a vouching text.
func (v *vouching) addQuantities(source int32, text string) {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isDigit(text[i]) || (text[i] == '.' || text[i] == ',') && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
		body := text[start:i]
		q := quantity{position: position{source, int32(start), int32(i)}}
		before := byte(' ')
		if start > 0 {
			before = text[start-1]
		}
		rest := text[i:]
		minus, unclear := signBefore(text, start)
		if unclear || !minus && before >= utf8.RuneSelf && !currencyBefore(text[:start]) && !boundedLeft(text, start) ||
			isAlnum(before) || strings.IndexByte("_./@:#=~\\", before) >= 0 && !currencyBefore(text[:start]) {
			continue // part of a longer atom
		}
		value, ok := readNumber(body)
		if !ok && (currencyBefore(text[:start]) || currencyAfter(rest) > 0 || strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, " %")) {
			value, ok = readDecimalComma(body)
		}
		if !ok || inGroups(text, start, i) {
			continue
		}
		q.marked = strings.ContainsAny(body, ".,") || currencyBefore(text[:start])
		n := 0
		switch {
		case strings.HasPrefix(rest, "%"):
			q.percent, n = true, 1
		case strings.HasPrefix(rest, " %"):
			q.percent, n = true, 2
		case len(rest) > 0 && (rest[0] == 'k' || rest[0] == 'K') && ends(rest, 1):
			value.Mul(value, big.NewRat(1000, 1))
			q.marked, n = true, 1
		case len(rest) > 0 && rest[0] == 'M' && ends(rest, 1):
			value.Mul(value, big.NewRat(1_000_000, 1))
			q.marked, n = true, 1
		default:
			if m := currencyAfter(rest); m > 0 {
				q.marked, n = true, m
			}
		}
		if !ends(rest, n) {
			continue
		}
		q.end += int32(n)
		q.value = value
		if minus {
			_, size := utf8.DecodeLastRuneInString(text[:start])
			q.value = new(big.Rat).Neg(value)
			q.start -= int32(size)
		}
		key := ratKey(q.value)
		if len(v.numbers[key]) < maxPositions {
			v.numbers[key] = append(v.numbers[key], q)
		}
		v.order = append(v.order, q)
	}
}

// signBefore tells whether a number has a minus sign. It is unclear where the
// sign touches a word before it, or is a dash that begins no range: some people
// write "–40" with a dash.
func signBefore(text string, start int) (minus, unclear bool) {
	r, size := utf8.DecodeLastRuneInString(text[:start])
	before, _ := utf8.DecodeLastRuneInString(text[:start-size])
	free := start == size || hard(before)
	switch r {
	case '-', '−':
		return free, !free
	case '–', '—':
		return false, free
	}
	return false, false
}

// inGroups tells whether the digits at start and end are a group of a longer
// code, as in "DE89 3704 0044": none of its groups is an amount.
func inGroups(text string, start, end int) bool {
	i := end + 1
	for i < len(text) && text[end] == ' ' && isDigit(text[i]) {
		i++
	}
	if i-end > 2 {
		return true
	}
	if start < 2 || text[start-1] != ' ' || !isDigit(text[start-2]) {
		return false
	}
	for i = start - 1; i > 0 && isAlnum(text[i-1]); i-- {
	}
	// A whole account before it is no group of anything.
	return start-1-i > 1 && start-1-i <= maxGroupLength
}

// ends tells whether a number ends n bytes into rest.
func ends(rest string, n int) bool {
	if n >= len(rest) {
		return true
	}
	c := rest[n]
	if c == '-' {
		// "1-hour", "10-15": before a unit or in a range, not in a date.
		i := n + 1
		for i < len(rest) && isDigit(rest[i]) {
			i++
		}
		return i == n+1 || i == len(rest) || rest[i] != '-'
	}
	if strings.IndexByte(".!?:", c) >= 0 {
		return n+1 >= len(rest) || rest[n+1] == ' ' || rest[n+1] == '\n' || strings.IndexByte(`"')`, rest[n+1]) >= 0
	}
	return c == '\'' || c >= 0x80 && currencyAfter(rest[n:]) == 0 && boundedRight("0"+rest[n:], 1) || c < 0x80 && hard(rune(c))
}

func currencyBefore(s string) bool {
	for _, c := range [...]string{"$", "€", "£", "¥", "₹", "$ ", "€ ", "£ ", "EUR ", "USD ", "GBP ", "CHF "} {
		if strings.HasSuffix(s, c) {
			return true
		}
	}
	return false
}

func currencyAfter(s string) int {
	for _, c := range [...]string{"€", "£", "$", " €", " £", " $", " EUR", " USD", " GBP", " CHF", " euro", " euros", " dollars", " pounds"} {
		if strings.HasPrefix(s, c) && (len(s) == len(c) || !isAlnum(s[len(c)])) {
			return len(c)
		}
	}
	return 0
}

// maxDigits bounds the numbers that are compared by value: more digits than
// any amount has, few enough that exact arithmetic stays cheap.
const maxDigits = 24

// readNumber reads a plain decimal number of a text that has one reading only:
// digits and at most one dot, or dots in the shape of thousands with a comma
// part. "1,234" and "1.234" could be twelve hundred or one and a bit: the first
// is refused, the second is read as JSON would.
func readNumber(s string) (*big.Rat, bool) {
	if s == "" || len(s) > maxDigits {
		return nil, false
	}
	if whole, frac, ok := strings.Cut(s, ","); ok && thousands(whole) && (len(frac) == 1 || len(frac) == 2) {
		return new(big.Rat).SetString(strings.ReplaceAll(whole, ".", "") + "." + frac)
	}
	if strings.Count(s, ",") > 0 {
		groups := strings.Split(s, ",")
		last := groups[len(groups)-1]
		whole, frac, dotted := strings.Cut(last, ".")
		// Only a full shape is unambiguous: 12,345,678 or 1,234.50.
		if len(groups) < 3 && !dotted || len(whole) != 3 || dotted && len(frac) != 2 {
			return nil, false
		}
		for i, g := range groups[:len(groups)-1] {
			if i == 0 && (len(g) == 0 || len(g) > 3) || i > 0 && len(g) != 3 {
				return nil, false
			}
		}
		s = strings.ReplaceAll(s, ",", "")
	}
	if strings.Count(s, ".") > 1 || len(s) > 1 && s[0] == '0' && s[1] != '.' {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// thousands tells whether dots group the digits of a number: 1.234 or 1.234.567.
func thousands(s string) bool {
	groups := strings.Split(s, ".")
	for i, g := range groups {
		if !isIndex(g) || i > 0 && len(g) != 3 || i == 0 && (len(g) > 3 || g[0] == '0') {
			return false
		}
	}
	return len(groups) > 1
}

// readDecimalComma reads a number whose comma must be the decimal one, since
// thousands have three digits: 12,5 and 49,90. It may still be a list, so what
// stands next to it must say that it is an amount.
func readDecimalComma(s string) (*big.Rat, bool) {
	whole, frac, ok := strings.Cut(s, ",")
	if !ok || len(s) > maxDigits || !isIndex(whole) || len(whole) > 1 && whole[0] == '0' || !isIndex(frac) || len(frac) > 2 {
		return nil, false
	}
	return new(big.Rat).SetString(whole + "." + frac)
}

// numberShape tells whether a value of an argument or a field is a plain
// number: the JSON grammar without exponents, within [maxDigits].
func numberShape(s string) bool {
	if s == "" || len(s) > maxDigits {
		return false
	}
	i := 0
	if s[0] == '-' {
		i = 1
	}
	digits, dots := 0, 0
	for j := i; j < len(s); j++ {
		switch {
		case isDigit(s[j]):
			digits++
		case s[j] == '.' && digits > 0 && dots == 0:
			dots++
		default:
			return false
		}
	}
	return digits > 0 && s[len(s)-1] != '.' && !(s[i] == '0' && i+1 < len(s) && s[i+1] != '.')
}

// parseNumber reads a value of an argument or a field as an exact number.
func parseNumber(s string) (*big.Rat, bool) {
	if !numberShape(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// numberKey is the one spelling of a plain number by which equal ones are
// found: 12.50 and 12.5 are the same amount.
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
	return strings.TrimRight(r.FloatString(2*maxDigits), "0")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// smallNumbers are the words for the numbers from one on.
var smallNumbers = [...]string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// numberWords are the small numbers that people write as words.
var numberWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "an": 1, "a": 1, "half": 0,
}
