// Package decimal gives CEL exact numbers: amounts of money are what they say,
// and 0.1 + 0.2 is 0.3. With its library, a CEL environment has the type decimal
// beside int, and no binary floating point at all: a literal such as 2.50 is a
// decimal, arithmetic may mix both, and a division is exact, 7 / 2 being 3.5.
//
// A number that is whole and small enough is an int at run time, wherever it
// came from, and only what is left is a [Decimal]. So equality needs no rules of
// its own: two numbers are equal exactly when they are the same value.
package decimal

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

const (
	// MaxText is how long a number may be, in bytes: longer than any that people
	// or programs write for an amount.
	MaxText = 100
	// maxExponent bounds the exponent of a number that is read, so that eight
	// bytes of text don't become a megabyte of digits.
	maxExponent = 100
	// maxBits bounds numerator and denominator of a result: more than two
	// numbers of the greatest length need, whatever is done with them.
	maxBits = 2048
)

// ErrRange is the error for numbers beyond the bounds of the package.
var ErrRange = errors.New("the number is too long or too large")

// Type is the CEL type of decimals.
var Type = types.NewOpaqueType("decimal")

// Decimal is a number that is not an int: it has a fraction, or is larger. It is
// exact and immutable.
type Decimal struct {
	r *big.Rat // nil for a short one
	short
}

func (d *Decimal) rat() *big.Rat {
	if d.r != nil {
		return d.r
	}
	return big.NewRat(d.n, powers[d.places])
}

// Of returns the CEL value of a number: an int where it is a whole one that
// fits, else a [*Decimal], and an error where it is out of bounds. The number
// must not be changed afterwards.
func Of(r *big.Rat) ref.Val {
	if r.IsInt() && r.Num().IsInt64() {
		return types.Int(r.Num().Int64())
	}
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return types.WrapErr(ErrRange)
	}
	return &Decimal{r: r}
}

// Parse reads a number as JSON and people write it: 12, -0.50, 1e3.
func Parse(s string) (ref.Val, error) {
	if len(s) > MaxText {
		return nil, ErrRange
	}

	rest := strings.TrimPrefix(s, "-")
	whole := digits(rest)
	fraction, exponent := 0, ""
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		fraction = digits(rest[1:])
		if rest = rest[1+fraction:]; fraction == 0 {
			whole = 0 // a point without digits
		}
	}

	if len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		exponent = rest[1:]
		rest = strings.TrimLeft(exponent[:1], "+-") + exponent[1:]
		if n := digits(rest); n > 0 {
			rest = rest[n:]
		}
	}

	if whole == 0 || rest != "" {
		return nil, fmt.Errorf("%q is not a number: write it as 12.50", s)
	}

	if exponent == "" {
		if v, ok := read(s, fraction); ok {
			return v.value(), nil
		}
	} else if e, err := strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
		return nil, ErrRange
	}

	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%q is not a number: write it as 12.50", s)
	}
	v := Of(r)
	if e, ok := v.(*types.Err); ok {
		return nil, e
	}
	return v, nil
}

// digits counts the digits that a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// rat returns the exact number that a CEL value is; false when it is none.
func rat(v ref.Val) (*big.Rat, bool) {
	switch v := v.(type) {
	case *Decimal:
		return v.rat(), true
	case types.Int:
		return new(big.Rat).SetInt64(int64(v)), true
	}
	return nil, false
}

// shownDigits is how many digits after the point are shown of a number that has
// no end.
const shownDigits = 20

// String returns the number as people write it; one without end is cut.
func (d *Decimal) String() string {
	if d.r == nil {
		return d.text()
	}
	if n, exact := d.r.FloatPrec(); exact {
		return d.r.FloatString(n)
	}
	return strings.TrimRight(d.r.FloatString(shownDigits), "0") + "…"
}

// ConvertToNative implements [ref.Val].
func (d *Decimal) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeFor[*big.Rat]().AssignableTo(t) {
		return new(big.Rat).Set(d.rat()), nil
	}
	return nil, fmt.Errorf("a decimal can't be converted to %v", t)
}

// ConvertToType implements [ref.Val].
func (d *Decimal) ConvertToType(t ref.Type) ref.Val {
	switch t.TypeName() {
	case Type.TypeName():
		return d
	case types.StringType.TypeName():
		return types.String(d.String())
	case types.TypeType.TypeName():
		return Type
	}
	return types.NewErr("a decimal can't be converted to %s", t.TypeName())
}

// Equal implements [ref.Val].
func (d *Decimal) Equal(other ref.Val) ref.Val {
	o, ok := other.(*Decimal)
	if ok && d.r == nil && o.r == nil {
		return types.Bool(d.short == o.short)
	}
	return types.Bool(ok && d.rat().Cmp(o.rat()) == 0)
}

// Type implements [ref.Val].
func (*Decimal) Type() ref.Type { return Type }

// Value implements [ref.Val].
func (d *Decimal) Value() any { return d.rat() }
