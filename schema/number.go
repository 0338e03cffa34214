package schema

import (
	"cmp"
	"strconv"
	"strings"
)

// number is the value of a JSON number: its sign, its digits without leading and
// trailing zeros, and the position of the decimal point in them, so that the value
// is 0.digits times ten to the power of point. Zero has no digits. A float can't
// distinguish 9007199254740993 from its neighbour.
type number struct {
	negative bool
	digits   string
	point    int
}

// maxExponent is the maximum length of an exponent, in digits. Real quantities need
// fewer, and adding positions to the exponent can't overflow.
const maxExponent = 9

// parseNumber parses a JSON number and reports whether s is one.
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

// whole reports whether n has no fraction.
func (n number) whole() bool { return n.point >= len(n.digits) }

// compare compares numbers by value.
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
	// text is the number as in the source; empty if there is no limit.
	text string
	// excluded is set if the range doesn't include the number.
	excluded bool
}

// allows reports whether a number is within the limit; side is 1 for a lower limit
// and -1 for an upper limit.
func (l limit) allows(n number, side int) bool {
	bound, ok := parseNumber(l.text)
	if !ok {
		return true
	}
	c := n.compare(bound) * side
	return c > 0 || (c == 0 && !l.excluded)
}

// words formats the limit.
func (l limit) words(excluded, included string) string {
	if l.excluded {
		return excluded + clip(l.text)
	}
	return included + clip(l.text)
}

// stricter returns the narrower limit.
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
