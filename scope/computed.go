package scope

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
)

// numbers in a person's words: 1,200 and 19.5 and 10%.
var numbers = pattern.OnUse(amount)

// readsAsNumber reports whether a tool may read a text as a number, however it is
// written: 98.7, +98, 1e3, 1,200 and 0x10.
func readsAsNumber(s string) bool {
	s = strings.NewReplacer(",", "", "_", "", " ", "").Replace(fold(s))
	_, whole := strconv.ParseInt(s, 0, 64)
	_, fraction := strconv.ParseFloat(s, 64)
	tooLarge := errors.Is(whole, strconv.ErrRange) || errors.Is(fraction, strconv.ErrRange)
	return whole == nil || fraction == nil || tooLarge
}

// maxOperands bounds the numbers that a computed value may follow from.
const maxOperands = 24

// follows reports whether a number follows from those of the request and the sources by
// plain computation: a sum, a difference, a product, a half or a part in a hundred of one
// or two of them, with a third added or taken away, or taken away from a third.
func (m *matcher) follows(value string, c *Constraint) bool {
	want, ok := new(big.Rat).SetString(value)
	if !ok {
		return false
	}
	operands := m.operands(c)
	terms := slices.Concat(operands, pairs(operands))
	for _, t := range terms {
		if equalToCent(t, want) {
			return true
		}
	}

	for _, t := range terms {
		for _, o := range operands {
			if m.steps -= arithmetic; m.steps < 0 {
				return false
			}
			sum, less, rest := new(big.Rat).Add(t, o), new(big.Rat).Sub(t, o), new(big.Rat).Sub(o, t)
			if equalToCent(sum, want) || equalToCent(less, want) || equalToCent(rest, want) {
				return true
			}
		}
	}
	return false
}

func isPlain(s string) bool {
	_, ok := number(s)
	return ok
}

// arithmetic is what a computation costs in steps: it takes as long as a look at that many
// fields.
const arithmetic = 16

// operands returns the numbers that a computed value may be made of.
func (m *matcher) operands(c *Constraint) []*big.Rat {
	var out []*big.Rat
	add := func(s string) {
		r, ok := new(big.Rat).SetString(plain(s))
		if ok && len(out) < maxOperands {
			out = append(out, r)
		}
	}

	of := *c
	of.Kind, of.Pick = Number, Only
	for i := range c.Sources {
		o := m.offers(c.Sources[i:i+1], &of, "")
		exact := Argument{Role: label.Selector}
		if len(o.values) == 0 || o.several(exact) || o.values[0].doubt != "" {
			continue // which of them is meant is a question
		}
		if v := o.values[0].text; isPlain(v) {
			add(v)
		}
	}
	for _, s := range numbers().FindAllString(m.request+" "+c.By, maxOperands) {
		add(s)
	}
	return out
}

// pairs returns what two numbers result in.
func pairs(operands []*big.Rat) []*big.Rat {
	hundredth, half := big.NewRat(1, 100), big.NewRat(1, 2)
	var out []*big.Rat
	for _, a := range operands {
		for _, b := range operands {
			product := new(big.Rat).Mul(a, b)
			part := new(big.Rat).Mul(product, hundredth)
			out = append(out, new(big.Rat).Add(a, b), new(big.Rat).Sub(a, b), product, part)
		}
		out = append(out, new(big.Rat).Mul(a, half))
	}
	return out
}

// equalToCent reports whether two numbers are the same when rounded to cents.
func equalToCent(a, b *big.Rat) bool { return a.FloatString(2) == b.FloatString(2) }
