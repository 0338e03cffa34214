package decimal

import (
	"fmt"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// short is a number of few digits, as amounts are: n divided by ten to the power of places.
// It ends in no zero after the point.
type short struct {
	n      int64
	places uint8
}

// powers are those of ten by which short numbers are divided.
var powers = [...]int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}

// maxShort bounds the places after the point of a short number.
const maxShort = len(powers) - 1

// Bounds on short numbers with which results are worked out: sums of such ones have room in
// an int64 in the same places, and products of the lesser ones.
const (
	maxTerm   = 1_000_000_000_000
	maxFactor = 1_000_000_000
)

// read reads a number of few digits without a detour.
func read(s string, fraction int) (short, bool) {
	const few = 18 // digits that an int64 has room for
	if fraction > maxShort || len(s) > few {
		return short{}, false
	}
	var n int64
	for i := range len(s) {
		if c := s[i]; '0' <= c && c <= '9' {
			n = n*10 + int64(c-'0')
		}
	}
	if s[0] == '-' {
		n = -n
	}
	return brief(n, fraction), true
}

// brief returns a short number without zeros after the point.
func brief(n int64, places int) short {
	for places > 0 && n%10 == 0 {
		n, places = n/10, places-1
	}
	return short{n, uint8(places)}
}

// value returns the number as a CEL value.
func (s short) value() ref.Val {
	if s.places == 0 {
		return types.Int(s.n)
	}
	return &Decimal{short: s}
}

// shortOf returns a CEL value that is a short number.
func shortOf(v ref.Val) (short, bool) {
	switch v := v.(type) {
	case types.Int:
		return short{int64(v), 0}, true
	case *Decimal:
		return v.short, v.r == nil
	}
	return short{}, false
}

// aligned returns two numbers in the same places; false where they might have no room.
func aligned(a, b short) (x, y int64, places int, ok bool) {
	if !within(a.n, maxTerm) || !within(b.n, maxTerm) {
		return 0, 0, 0, false
	}
	places = int(max(a.places, b.places))
	return a.n * powers[places-int(a.places)], b.n * powers[places-int(b.places)], places, true
}

func within(n, limit int64) bool { return -limit <= n && n <= limit }

func (s short) add(o short) (short, bool) {
	x, y, places, ok := aligned(s, o)
	return brief(x+y, places), ok
}

func (s short) subtract(o short) (short, bool) {
	x, y, places, ok := aligned(s, o)
	return brief(x-y, places), ok
}

func (s short) multiply(o short) (short, bool) {
	places := int(s.places) + int(o.places)
	if places > maxShort || !within(s.n, maxFactor) || !within(o.n, maxFactor) {
		return short{}, false
	}
	return brief(s.n*o.n, places), true
}

// text returns the number as people write it.
func (s short) text() string {
	if s.places == 0 {
		return strconv.FormatInt(s.n, 10)
	}
	n, sign := s.n, ""
	if n < 0 {
		n, sign = -n, "-"
	}
	power := powers[s.places]
	return fmt.Sprintf("%s%d.%0*d", sign, n/power, int(s.places), n%power)
}
