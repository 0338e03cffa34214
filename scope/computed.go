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

// whole returns a number without its fraction, however a tool may read it.
func whole(s string) (int, error) {
	f, err := strconv.ParseFloat(fold(s), 64)
	if err != nil || f != f {
		return 0, strconv.ErrSyntax
	}
	const most = 1 << 31
	return int(max(-most, min(f, most))), nil
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
	free := len(c.Sources) == 0
	is := func(r *big.Rat, sourced bool) bool { return (free || sourced) && equalToCent(r, want) }
	terms := slices.Concat(operands, pairs(operands))
	for _, t := range terms {
		if is(t.Rat, t.sourced) {
			return true
		}
	}

	for _, t := range terms {
		for _, o := range operands {
			if m.steps -= arithmetic; m.steps < 0 {
				return false
			}
			if t.adds(o.Rat) {
				continue // what is added and taken away again
			}
			sourced := t.sourced || o.sourced
			sum, less, rest := new(big.Rat).Add(t.Rat, o.Rat), new(big.Rat).Sub(t.Rat, o.Rat), new(big.Rat).Sub(o.Rat, t.Rat)
			if is(sum, sourced) || is(less, sourced) || is(rest, sourced) {
				return true
			}
		}
	}
	return false
}

// operand is a number that a computed value may be made of. A value that has sources is made of
// one of theirs at least: what the request adds to it is not the sum.
type operand struct {
	*big.Rat
	sourced bool
	of      []*big.Rat // of a sum or a difference, its terms
}

// adds reports whether a number is one of the terms of a sum or a difference.
func (o operand) adds(r *big.Rat) bool {
	return slices.ContainsFunc(o.of, func(t *big.Rat) bool { return t.Cmp(r) == 0 })
}

func isPlain(s string) bool {
	_, ok := number(s)
	return ok
}

// arithmetic is what a computation costs in steps: it takes as long as a look at that many
// fields.
const arithmetic = 16

// operands returns the numbers that a computed value may be made of.
func (m *matcher) operands(c *Constraint) []operand {
	var out []operand
	add := func(s string, sourced bool) {
		r, ok := new(big.Rat).SetString(plain(s))
		if ok && len(out) < maxOperands {
			out = append(out, operand{r, sourced, []*big.Rat{r}})
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
			add(v, true)
		}
	}
	for _, s := range numbers().FindAllString(m.request+" "+c.By, maxOperands) {
		add(s, false)
	}
	return out
}

// pairs returns what two numbers result in.
func pairs(operands []operand) []operand {
	hundredth, half := big.NewRat(1, 100), big.NewRat(1, 2)
	var out []operand
	for _, a := range operands {
		for _, b := range operands {
			sourced := a.sourced || b.sourced
			product := new(big.Rat).Mul(a.Rat, b.Rat)
			both := []*big.Rat{a.Rat, b.Rat}
			out = append(out, operand{new(big.Rat).Add(a.Rat, b.Rat), sourced, both}, operand{product, sourced, nil}, operand{new(big.Rat).Mul(product, hundredth), sourced, nil})
			if a.Cmp(b.Rat) != 0 {
				out = append(out, operand{new(big.Rat).Sub(a.Rat, b.Rat), sourced, both})
			}
		}
		out = append(out, operand{new(big.Rat).Mul(a.Rat, half), a.sourced, nil})
	}
	return out
}

// equalToCent reports whether two numbers are the same when rounded to cents.
func equalToCent(a, b *big.Rat) bool { return a.FloatString(2) == b.FloatString(2) }
