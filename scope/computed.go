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
// or two of them, with a third added or taken away, or taken away from a third. Where "by"
// names an operation, it is the last one of them.
func (m *matcher) follows(value string, c *Constraint) bool {
	want, ok := new(big.Rat).SetString(value)
	if !ok {
		return false
	}
	operands, named := m.operands(c), operationsOf(c.By)
	free := len(c.Sources) == 0
	is := func(r *big.Rat, last operation, sourced bool) bool {
		return (free || sourced) && (named == nil || named[last]) && equalToCent(r, want)
	}
	terms := slices.Concat(operands, pairs(operands))
	for _, t := range terms {
		if is(t.Rat, t.last, t.sourced) {
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
			if is(sum, plus, sourced) || is(less, minus, sourced) || is(rest, minus, sourced) {
				return true
			}
		}
	}
	return false
}

// operation is what a number was last computed by.
type operation uint8

const (
	otherwise operation = iota
	plus
	minus
)

// operationWords are the words for an operation in what a computation is by.
var operationWords = map[string]operation{
	"plus": plus, "add": plus, "added": plus, "increased": plus, "raised": plus,
	"minus": minus, "less": minus, "without": minus, "subtract": minus, "subtracted": minus, "deduct": minus, "deducted": minus, "reduced": minus,
}

// operationsOf returns the operations that a computation names; nil where it names none, or one
// of two ways ("the new rent, or the present one plus the increase").
func operationsOf(by string) map[operation]bool {
	var out map[operation]bool
	for _, w := range words(by) {
		if w == "or" {
			return nil
		}
		if op := operationWords[w]; op != otherwise {
			if out == nil {
				out = map[operation]bool{}
			}
			out[op] = true
		}
	}
	return out
}

// operand is a number that a computed value may be made of. A value that has sources is made of
// one of theirs at least: what the request adds to it is not the sum.
type operand struct {
	*big.Rat
	sourced bool
	last    operation
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
			out = append(out, operand{r, sourced, otherwise, []*big.Rat{r}})
		}
	}

	for i := range c.Sources {
		if v, ok := m.operand(c, c.Sources[i:i+1]); ok {
			add(v, true)
		}
	}
	for _, s := range numbers().FindAllString(m.request+" "+c.By, maxOperands) {
		add(s, false)
	}
	return out
}

// operand returns the number of a source: its only one, or the sum of all of them where the
// computation is one.
func (m *matcher) operand(c *Constraint, source []Source) (string, bool) {
	of := Constraint{Kind: Number, Pick: Only, From: source}
	o := m.offers(source, &of, "")
	if len(o.values) > 1 && isSum(c.By) {
		of.Pick = All
		return m.sum(m.offers(source, &of, ""))
	}
	if o.several(Argument{Role: label.Selector}) {
		of.By = c.By // which may say of which record
		o = m.offers(source, &of, "")
	}
	if len(o.values) == 0 || o.several(Argument{Role: label.Selector}) || o.values[0].doubt != "" {
		return "", false // which of them is meant is a question
	}
	return o.values[0].text, isPlain(o.values[0].text)
}

// sums are the words of a computation that adds up what a source has.
var sums = strings.Fields("sum sums total totals altogether together combined added")

func isSum(by string) bool {
	return slices.ContainsFunc(words(by), func(w string) bool { return slices.Contains(sums, w) })
}

// sum adds up the values of all records, each a plain number of a record of its own. Two calls
// have to come to the same sum: what two parts of a listing have in common, nothing says.
func (m *matcher) sum(o offers) (string, bool) {
	totals, seen := map[string]*big.Rat{}, map[string]bool{}
	for _, v := range o.values {
		n, ok := new(big.Rat).SetString(v.text)
		whole := ok && isPlain(v.text) && v.record != "" && v.doubt == ""
		if !whole || seen[v.record] || !m.work(len(v.text)) {
			return "", false
		}
		seen[v.record] = true
		if totals[v.call] == nil {
			totals[v.call] = new(big.Rat)
		}
		totals[v.call].Add(totals[v.call], n)
	}

	var sum *big.Rat
	for _, t := range totals {
		if sum != nil && sum.Cmp(t) != 0 {
			return "", false
		}
		sum = t
	}
	if sum == nil {
		return "", false
	}
	return sum.FloatString(maxDecimals), true
}

// maxDecimals are the decimals that a sum is rounded to, as many as a plain number may have.
const maxDecimals = 12

// pairs returns what two numbers result in.
func pairs(operands []operand) []operand {
	hundredth, half := big.NewRat(1, 100), big.NewRat(1, 2)
	var out []operand
	for i, a := range operands {
		for j, b := range operands {
			sourced := a.sourced || b.sourced
			both := []*big.Rat{a.Rat, b.Rat}
			out = append(out, operand{new(big.Rat).Add(a.Rat, b.Rat), sourced, plus, both})
			if i != j {
				product := new(big.Rat).Mul(a.Rat, b.Rat)
				out = append(out, operand{product, sourced, otherwise, nil}, operand{new(big.Rat).Mul(product, hundredth), sourced, otherwise, nil})
			}
			if a.Cmp(b.Rat) != 0 {
				out = append(out, operand{new(big.Rat).Sub(a.Rat, b.Rat), sourced, minus, both})
			}
		}
		out = append(out, operand{new(big.Rat).Mul(a.Rat, half), a.sourced, otherwise, nil})
	}
	return out
}

// equalToCent reports whether two numbers are the same when rounded to cents.
func equalToCent(a, b *big.Rat) bool { return a.FloatString(2) == b.FloatString(2) }
