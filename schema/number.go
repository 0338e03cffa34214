package schema

import (
	"cmp"
	"strconv"
	"strings"
)

// number is a JSON number by its value: sign, digits without zeros at either
// end, and the place of the point before (positive) or after the first digit.
// Zero has no digits. Floats would take 9007199254740993 for its neighbour.
type number struct {
	negative bool
	digits   string
	point    int
}

// maxExponent is the length of an exponent that is read, in digits. Nothing that
// a tool counts is larger, and points that are added to it stay far from overflow.
const maxExponent = 9

// parseNumber reads a number as JSON writes it, and reports whether it is one.
func parseNumber(text string) (number, bool) {
	if !validNumber(text) {
		return number{}, false
	}
	var n number
	text, n.negative = strings.CutPrefix(text, "-")

	if e := strings.IndexAny(text, "eE"); e >= 0 {
		if len(strings.TrimLeft(text[e+1:], "+-")) > maxExponent {
			return number{}, false
		}
		n.point, _ = strconv.Atoi(text[e+1:])
		text = text[:e]
	}

	whole, fraction, _ := strings.Cut(text, ".")
	n.point += len(whole)
	n.digits = strings.TrimLeft(whole+fraction, "0")
	n.point -= len(whole) + len(fraction) - len(n.digits)
	n.digits = strings.TrimRight(n.digits, "0")
	if n.digits == "" {
		return number{}, true
	}
	return n, true
}

// whole reports whether n has no fraction, however it was written.
func (n number) whole() bool { return n.point >= len(n.digits) }

// compare orders numbers by their value.
func (n number) compare(m number) int {
	if c := cmp.Compare(n.sign(), m.sign()); c != 0 {
		return c
	}
	size := cmp.Or(cmp.Compare(n.point, m.point), strings.Compare(n.digits, m.digits))
	return size * n.sign()
}

func (n number) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// limit is one end of a range.
type limit struct {
	// text is the number as the source has it; empty for none.
	text string
	// excluded tells that the number itself is not in the range.
	excluded bool
}

// allows reports whether a number is on the right side of the limit; side is 1
// for the lower end and -1 for the upper one.
func (l limit) allows(n number, side int) bool {
	bound, ok := parseNumber(l.text)
	if !ok {
		return true
	}
	c := n.compare(bound) * side
	return c > 0 || (c == 0 && !l.excluded)
}

// words names the limit.
func (l limit) words(excluded, included string) string {
	if l.excluded {
		return excluded + clip(l.text)
	}
	return included + clip(l.text)
}

// stricter returns the limit that leaves less.
func (l limit) stricter(m limit, side int) limit {
	a, ok := parseNumber(l.text)
	if !ok {
		return m
	}
	b, ok := parseNumber(m.text)
	if !ok {
		return l
	}
	c := a.compare(b) * side
	if c < 0 || (c == 0 && m.excluded) {
		return m
	}
	return l
}
