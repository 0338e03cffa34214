// Package numeral reads the numbers of texts as people write them: in the digits of any script, in
// words, and with their currency, percent sign or scale. A number that may be two is none.
package numeral

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// Numeral is a number as a text writes it, with its sign and its currency,
// percent sign or scale.
type Numeral struct {
	Start, End int
	// Value is nil where the number has two readings, or none: then nothing
	// vouches by it, nor by a piece of it.
	Value *big.Rat

	Percent bool
	Marked  bool // by a currency, a unit or decimals: a quantity
	Money   bool
	Spelled bool // in words

	before bool // its only currency is before it
	minor  bool // cents
	scaled bool // by thousand, million and the like
}

// reader reads the numbers of one text.
type reader struct {
	text string
	lang language
	// decimal and thousands are the separators whose meaning some number of the text settles
	// beyond doubt.
	decimal, thousands map[rune]bool
	out                []Numeral
}

// All returns the numbers of a text, in its order.
func All(text string) []Numeral {
	r := &reader{text: text, decimal: map[rune]bool{}, thousands: map[rune]bool{}}
	runs := digitRuns(text)
	spelled := mayCount(text)
	if len(runs) == 0 && !spelled {
		return nil
	}

	r.lang = writtenIn(text)
	for i := range runs {
		r.learn(&runs[i])
	}
	for i := range runs {
		r.read(&runs[i])
	}
	if spelled {
		r.spelledOut()
		r.han()
	}
	slices.SortStableFunc(r.out, func(a, b Numeral) int { return a.Start - b.Start })
	r.settle()
	return r.out
}

// mayCount reports whether a text has letters, in which a number may be written.
func mayCount(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

const (
	// definiteDecimal and definiteGroup are the Arabic separators, which mean
	// one thing only.
	definiteDecimal = '٫'
	definiteGroup   = '٬'
)

// zeros are the zeros of the decimal digits that are read. Those of a script
// follow each other.
var zeros = [...]rune{'0', '٠', '۰', '०', '০', '੦', '૦', '௦', '౦', '೦', '൦', '๐', '໐', '０'}

const (
	malformed      shape = iota
	whole                // 1200
	decimal              // 12.50
	twofold              // 1.200: two readings
	grouped              // 1.200.300, 1'200
	groupedDecimal       // 1.200,50
)

// learn notes what a number with one reading shows of the separators.
func (r *reader) learn(run *digitRun) {
	s, group, point := run.shape()
	switch s {
	case groupedDecimal:
		r.thousands[group], r.decimal[point] = true, true
	case grouped:
		if r.quantity(run) {
			r.thousands[group] = true
		}
	case decimal, malformed:
		// "01,50 EUR" is none, and shows what the comma is.
		fraction := point == '.' && run.groups[0] == "0"
		if point != 0 && (fraction || r.quantity(run)) {
			r.decimal[point] = true
		}
	}
}

// quantity reports whether a run has a currency, a percent sign, a scale or a unit
// next to it.
func (r *reader) quantity(run *digitRun) bool {
	n := currencyBefore(r.text[:run.start])
	s := r.suffix(run.end, n > 0)
	return n > 0 || s.money || s.percent || s.factor != nil || s.unit
}

// read reads one run of digits.
func (r *reader) read(run *digitRun) {
	text := r.text
	if hanNumeral(atom.LastRune(text[:run.start])) || hanUnits[atom.FirstRune(text[run.end:])] > 0 {
		return // a part of a number in characters
	}
	before := currencyBefore(text[:run.start])
	minus, ok := r.signOf(run.start, before)
	if !ok {
		return
	}
	s := r.suffix(run.end, before > 0)
	perUnit := s.money && strings.HasPrefix(text[run.end+s.length:], "/")
	if !perUnit && !numberEnds(text[run.end:], s.length) {
		return
	}

	n := Numeral{Start: run.start, End: run.end + s.length, Percent: s.percent, minor: s.minor, scaled: s.factor != nil || s.unknownScale}
	n.Money, n.before = before > 0 || s.money, !s.money
	n.Marked = n.Money || n.scaled || strings.ContainsAny(text[run.start:run.end], ".,")
	value, list := r.decide(run, n.Money || n.Percent || n.scaled || s.unit, n.Money)
	unmarked := value == nil && !n.Marked
	if list || unmarked || inGroups(text, run.start, run.end) {
		return
	}

	if value != nil && !s.unknownScale && !s.minor && !r.upTo(n) {
		n.Value = value
		if s.factor != nil {
			n.Value = new(big.Rat).Mul(value, s.factor)
		}
		if minus {
			_, size := utf8.DecodeLastRuneInString(text[:run.start])
			n.Value, n.Start = n.Value.Neg(n.Value), n.Start-size
		}
	}
	r.out = append(r.out, n)
}

// signOf returns the sign of the number at start, after a currency of so many bytes. It is not ok
// where the digits are a part of something longer.
func (r *reader) signOf(start, currency int) (minus, ok bool) {
	text := r.text
	minus, unclear := SignBefore(text, start)
	if unclear || start == 0 {
		return minus, !unclear
	}
	if currency > 0 {
		left, _ := utf8.DecodeLastRuneInString(text[:start-currency])
		return minus, !strings.ContainsRune("-−–", left)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	if before >= utf8.RuneSelf {
		return minus, minus || boundedBefore(text, start)
	}
	return minus, !atom.IsAlphanumeric(byte(before)) && !strings.ContainsRune("_./@:#=~\\", before)
}

// boundedBefore reports whether digits, of whatever script, begin an atom.
func boundedBefore(text string, start int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	return atom.IsBoundedLeft(text, start) || atom.IsUnspaced(before)
}

// decide returns the value of a run, nil where it is in doubt. It is a list
// where commas more likely divide one.
func (r *reader) decide(run *digitRun, quantity, money bool) (value *big.Rat, list bool) {
	s, group, point := run.shape()
	switch s {
	case whole:
		return run.value(false), false
	case decimal:
		if point != ',' || quantity {
			return run.value(true), false
		}
		return nil, conventions[r.lang].decimal != ',' && !r.decimal[',']
	case twofold:
		if decimals, ok := r.twofold(group, run.groups[1], money, quantity); ok {
			return run.value(decimals), false
		}
		return nil, false
	case grouped, groupedDecimal:
		return r.decideGroups(run, quantity)
	}

	return nil, !money
}

// decideGroups is decide for a run with groups.
func (r *reader) decideGroups(run *digitRun, quantity bool) (value *big.Rat, list bool) {
	s, group, _ := run.shape()
	dots := group == '.' && s == grouped && !strings.ContainsRune(conventions[r.lang].thousands, '.')
	lakhs := group == ',' && len(run.groups[1]) == 2

	if !quantity && (dots || lakhs) {
		return nil, true // a version, the address of a host, or a list
	}
	if group == ' ' && !r.spaced(run, quantity) {
		return nil, false
	}
	return run.value(s == groupedDecimal), false
}

// twofold decides what a dot or a comma before three digits is, "1.200": what another number of
// the text shows, then what the language's own convention is. Where they differ it stays in
// doubt, as does money with three decimals.
func (r *reader) twofold(sep rune, digits string, money, quantity bool) (decimals, ok bool) {
	other := '.' + ',' - sep
	tellsGroup, tellsDecimal := r.thousands[sep] || r.decimal[other], r.decimal[sep] || r.thousands[other]
	if tellsGroup && tellsDecimal {
		return false, false
	}

	usesGroup, usesDecimal := r.uses(sep, money)
	if money {
		groups := tellsGroup || (usesGroup && !usesDecimal && !tellsDecimal)
		return false, groups
	}
	if tellsGroup {
		return false, !usesDecimal
	}
	if usesGroup {
		// People type decimals with a dot whatever they speak.
		return false, (sep == ',' || quantity) && !tellsDecimal
	}
	conventional := usesDecimal && (sep == '.' || quantity)
	endsInZero := digits[2] == '0' // which people leave out of decimals
	return true, (tellsDecimal || conventional) && !endsInZero
}

// uses reports whether the language of the text has a separator for groups, and for
// decimals.
func (r *reader) uses(sep rune, money bool) (group, decimal bool) {
	c := conventions[r.lang]
	spanishMoney := money && r.lang == spanish // both, by country
	frenchMoney := money && r.lang == french && sep == '.'

	group = strings.ContainsRune(c.thousands, sep) || frenchMoney || spanishMoney
	return group, c.decimal == sep && !spanishMoney
}

// spaced reports whether blanks group the digits of a run, and do not divide two
// numbers.
func (r *reader) spaced(run *digitRun, quantity bool) bool {
	c := conventions[r.lang]
	usual := quantity || strings.Contains(c.thousands, " ")
	if c.decimal != ',' || !usual {
		return false
	}

	w := lastWord(strings.TrimRight(r.text[:run.start], " "))
	germanNoun := r.lang == german && unicode.IsUpper(atom.FirstRune(w))
	return !germanNoun && !lexicon().Labels.Has(strings.ToLower(w))
}

// lastWord returns the word at the end of a text, with the signs of "n°" and "№".
func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !atom.IsWordRune(r) && !strings.ContainsRune("°º№", r) })
	if i < 0 {
		return s
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return s[i+size:]
}

// upTo reports whether a number is the lower end of a range with a scale that
// holds for it too: "5 to 10 million".
func (r *reader) upTo(n Numeral) bool {
	if n.scaled {
		return false
	}
	rest := strings.TrimLeft(r.text[n.End:], " \u00a0")
	connective := ""
	for _, c := range rangeWords {
		if strings.HasPrefix(rest, c) && len(c) > len(connective) {
			connective = c
		}
	}
	if connective == "" {
		return false
	}

	rest = strings.TrimLeft(rest[len(connective):], " \u00a0")
	start := len(r.text) - len(rest)
	if sign, size := utf8.DecodeRuneInString(rest); unicode.Is(unicode.Sc, sign) {
		start += size
	}
	if v, _ := digitOf(atom.FirstRune(r.text[start:])); v < 0 {
		return false
	}
	run := readRun(r.text, start)
	s := r.suffix(run.end, n.Money)
	return s.factor != nil || s.unknownScale
}

// rangeWords are between the ends of a range.
var rangeWords = [...]string{"-", "–", "—", "~", "〜", "～", "to ", "or ", "and ", "bis ", "oder ", "und ", "à ", "ou ", "et ", "a ", "o ", "y ", "e ", "até ", "tot ", "of ", "en ",
	"до ", "или ", "и ", "至", "到", "或", "から", "か"}

// settle puts those numbers in doubt that another one next to them changes: "5
// euros 50", "12 dollars and 50 cents", "a hundred 50".
func (r *reader) settle() {
	for i := 1; i < len(r.out); i++ {
		prev, n := &r.out[i-1], &r.out[i]
		if n.Start < prev.End {
			prev.Value, n.Value = nil, nil // two readings of one place
			continue
		}

		gap := strings.Trim(r.text[prev.End:min(n.Start, prev.End+maxGap)], " \u00a0")
		next := gap == "" && n.Start-prev.End <= 2
		plain := !prev.Money && !prev.Percent
		switch {
		case prev.Money && n.minor && (next || lexicon().SmallConnectives.Has(gap)):
			prev.Value, n.Value = nil, nil
		case prev.Money && next && n.before && !n.Percent && !n.scaled:
			if prev.End == n.Start || n.maybeCents() {
				prev.Value = nil
			}
			n.Value = nil
		case next && plain && prev.Spelled != n.Spelled && (n.Spelled || prev.scaled):
			prev.Value, n.Value = nil, nil
		}
	}
}

// maybeCents reports whether a number after an amount may be its cents.
func (n *Numeral) maybeCents() bool {
	return n.Value != nil && n.Value.Cmp(big.NewRat(10, 1)) >= 0 && n.Value.Cmp(big.NewRat(100, 1)) < 0
}

// maxGap is more than there is between two parts of one amount, in bytes.
const maxGap = 8

// SignBefore reports whether a number has a minus sign. It is unclear where the
// sign touches a word before it, or is a dash that begins no range: some people
// write "–40" with a dash.
func SignBefore(text string, start int) (minus, unclear bool) {
	r, size := utf8.DecodeLastRuneInString(text[:start])
	before, _ := utf8.DecodeLastRuneInString(text[:start-size])
	free := start == size || atom.IsHard(before)
	switch r {
	case '-', '−':
		return free, !free
	case '–', '—':
		return false, free
	}
	return false, false
}

// MaxDigits bounds the numbers that are compared by value: more digits than
// any amount has, few enough that exact arithmetic stays cheap.
const MaxDigits = 24
