package match

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/pattern"
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

// maxOperand bounds such a number, in characters: no amount is longer.
const maxOperand = 24

// follows reports whether a number follows from those of the request and the sources by
// plain computation: a sum, a difference, a product, a half or a part in a hundred of one
// or two of them, with a third added or taken away, or taken away from a third. Where "by"
// names an operation, it is the last one of them, and every source has a part in it.
func (m *matcher) follows(value string, c *Constraint) bool {
	want, ok := new(big.Rat).SetString(value)
	if !ok {
		return false
	}
	if strings.HasPrefix(strings.Join(words(c.By), " "), "zero minus") {
		return m.owed(want, c)
	}
	if is, known := m.isLength(want, c); known {
		return is
	}

	named := operationsOf(c)
	if is, known := m.isRead(want, c, named); known {
		return is
	}
	if m.irreversible && len(c.Sources) > 0 {
		return m.followsExactly(want, c)
	}
	if m.irreversible && numbers().MatchString(c.By) && unitOf(words(c.By)) == 0 {
		return m.isOfWords(want, c)
	}
	return m.isMade(want, c, named)
}

// isMade reports whether one or two operations make a number of what the request says and what all sources have; where the words have "or",
// what some have.
func (m *matcher) isMade(want *big.Rat, c *Constraint, named map[operation]bool) bool {
	operands := m.operands(c, named)
	all, free, isEither := uint32(1)<<len(c.Sources)-1, len(c.Sources) == 0, slices.Contains(words(c.By), "or")
	is := func(r *big.Rat, last operation, of uint32) bool {
		sourced := free || of == all || (isEither && of != 0)
		return sourced && (named == nil || named[last]) && equalToCent(r, want)
	}
	terms := slices.Concat(operands, pairs(operands))
	for _, t := range terms {
		if is(t.Rat, t.last, t.sources) {
			return true
		}
	}

	for _, t := range terms {
		if t.percent {
			continue // which is a part of something
		}
		for _, o := range operands {
			if m.steps -= arithmetic; m.steps < 0 {
				return false
			}
			if t.adds(o.Rat) || o.percent {
				continue // what is added and taken away again
			}
			sourced := t.sources | o.sources
			sum, less, rest := new(big.Rat).Add(t.Rat, o.Rat), new(big.Rat).Sub(t.Rat, o.Rat), new(big.Rat).Sub(o.Rat, t.Rat)
			if is(sum, plus, sourced) || is(less, minus, sourced) || is(rest, minus, sourced) {
				return true
			}
		}
	}
	return false
}

// isRead reports whether a number is what the words of a computation say of its only source, and whether they say it: what they
// leave open, may be any plain computation. It reports false for what has words that aren't read.
func (m *matcher) isRead(want *big.Rat, c *Constraint, operations map[operation]bool) (is, known bool) {
	several := len(c.Sources) > 1
	if len(c.Sources) == 0 || slices.Contains(words(c.By), "or") {
		return false, false
	}
	if several {
		isChain := operations[times] && len(operations) > 1            // which comes first
		return false, isChain || (len(operations) > 0 && takesPart(c)) // half of one of them, or of all
	}

	part, any, read := shareOf(c)
	alone := isSum(words(c.By), c.Sources[0].name()) || isSingled(c.By)
	if read || (!any && alone) {
		return m.isShare(want, c, part), true
	}
	return false, any && (len(operations) == 0 || operations[times])
}

// owed reports whether a number is zero minus that of the only source: what a negative balance
// owes.
func (m *matcher) owed(want *big.Rat, c *Constraint) bool {
	if len(c.Sources) != 1 {
		return false
	}
	v, ok := m.operand(c, c.Sources)
	balance, plain := new(big.Rat).SetString(v)
	return ok && plain && balance.Sign() < 0 && equalToCent(balance.Neg(balance), want)
}

// operation is what a number was last computed by.
type operation uint8

const (
	otherwise operation = iota
	plus
	minus
	times
)

// operationWords are the words for an operation in what a computation is by.
var operationWords = sync.OnceValue(func() map[string]operation {
	return map[string]operation{
		"plus": plus, "add": plus, "added": plus, "increased": plus, "raised": plus,
		"minus": minus, "less": minus, "without": minus, "subtract": minus, "subtracted": minus, "deduct": minus, "deducted": minus, "reduced": minus, "difference": minus,
		"times": times, "multiplied": times, "product": times,
	}
})

// multiplying matches the signs of a product.
var multiplying = pattern.OnUse(`\sx\s|[×*]`)

// operationsOf returns the operations that a computation names; nil where it names none, or one
// of two ways ("the new rent, or the present one plus the increase"). The sum of several sources
// is the result of an addition, and that of one source is its number.
func operationsOf(c *Constraint) map[operation]bool {
	criterion := words(c.By)
	if slices.Contains(criterion, "or") {
		return nil
	}
	out := operationsIn(c.By, c.Sources)

	switch {
	case len(out) > 0:
		return out
	case len(c.Sources) == 0 || !isSum(criterion, nil):
		return nil
	case len(c.Sources) == 1:
		return map[operation]bool{otherwise: true}
	}
	return map[operation]bool{plus: true}
}

// operationsIn returns the operations that words about some sources have.
func operationsIn(by string, of []Source) map[operation]bool {
	out := map[operation]bool{}
	for _, w := range words(by) {
		if op := operationWords()[w]; op != otherwise {
			out[op] = true
		}
	}
	if multiplying().MatchString(by) || hours().MatchString(by) || isRated(by, of) {
		out[times] = true
	}
	if leftOf().MatchString(by) {
		out[minus] = true
	}
	return out
}

// isRated reports whether words multiply a price for each of some things by how many there are: they call it a price for each, or what
// a source takes is called so. A price for two people is as often that of both.
func isRated(by string, of []Source) bool {
	isRate := func(s Source) bool { return rate().MatchString(strings.Join(s.name(), " ")) }
	return forSome().MatchString(by) && (rate().MatchString(by) || slices.ContainsFunc(of, isRate))
}

// charged are the things that prices are for.
const charged = `(?:hour|day|night|week|month|person|people|guest)s?\b`

// rate matches a price for each, forSome and hours how many of something a price is for, and leftOf what is left of a number.
var (
	rate    = pattern.OnUse(`(?i)\b(?:rates?|per|each|hourly|daily|nightly|weekly|monthly|yearly|an? ` + charged + `)\b`)
	forSome = pattern.OnUse(`(?i)\bfor (?:\d{1,3}\b|[a-z]+ ` + charged + `)`)
	hours   = pattern.OnUse(`(?i)\d ` + charged + ` at\b`)
	leftOf  = pattern.OnUse(`(?i)\b(?:left|rest|remainder|remains) of (?:the )?\W?\d`)
)

// operand is a number that a computed value may be made of. A value that has sources is made of
// one of theirs at least: what the request adds to it is not the sum.
type operand struct {
	*big.Rat
	sources uint32 // whose numbers it is made of, one bit each
	last    operation
	of      []*big.Rat // of a sum or a difference, its terms
	percent bool       // a part in a hundred of another number, and nothing by itself
}

// adds reports whether a number is one of the terms of a sum or a difference.
func (o operand) adds(r *big.Rat) bool {
	return slices.ContainsFunc(o.of, func(t *big.Rat) bool { return t.Cmp(r) == 0 })
}

// isPlain reports whether a value is a number that can be read in one way.
func (v candidate) isPlain() bool {
	_, ok := number(v.text)
	return ok && (v.numeric || ungrouped(v.text) == "")
}

// arithmetic is what a computation costs in steps: it takes as long as a look at that many
// fields.
const arithmetic = 16

// percents are the parts in a hundred that are named.
var percents = pattern.OnUse(`(` + amount + `)\s?(?:%|per ?cent\b|pct\b)`)

// operands returns the numbers that a computed value may be made of. Those of the request count where the words of the
// computation have none: the number of a bill is no amount. What several sources are added up or taken away to has none but theirs.
func (m *matcher) operands(c *Constraint, operations map[operation]bool) []operand {
	var out []operand
	said := c.By
	ofSources := len(c.Sources) > 1 && len(operations) > 0
	if !ofSources && !numbers().MatchString(said) {
		said = m.request + " " + said
	}
	var parts []string
	for _, p := range percents().FindAllStringSubmatch(fold(said), maxOperands) {
		parts = append(parts, plain(p[1]))
	}
	add := func(s string, sources uint32) {
		if len(s) > maxOperand || len(out) == maxOperands {
			return
		}
		if r, ok := new(big.Rat).SetString(s); ok {
			out = append(out, operand{r, sources, otherwise, []*big.Rat{r}, sources == 0 && slices.Contains(parts, s)})
		}
	}

	for i := range c.Sources {
		if v, ok := m.operand(c, c.Sources[i:i+1]); ok {
			add(v, 1<<i)
		}
	}
	for _, s := range numbers().FindAllString(said, maxOperands) {
		add(plain(s), 0)
	}
	return out
}

// pairs returns what two numbers result in.
func pairs(operands []operand) []operand {
	hundredth, half := big.NewRat(1, 100), big.NewRat(1, 2)
	var out []operand
	add := func(r *big.Rat, sources uint32, last operation, of ...*big.Rat) {
		out = append(out, operand{r, sources, last, of, false})
	}

	for i, a := range operands {
		for j, b := range operands {
			sources, product := a.sources|b.sources, new(big.Rat).Mul(a.Rat, b.Rat)
			if i != j {
				add(new(big.Rat).Mul(product, hundredth), sources, otherwise)
			}
			if a.percent || b.percent {
				continue
			}
			if i != j {
				add(new(big.Rat).Add(a.Rat, b.Rat), sources, plus, a.Rat, b.Rat)
				add(product, sources, times)
			}
			if a.Cmp(b.Rat) != 0 {
				add(new(big.Rat).Sub(a.Rat, b.Rat), sources, minus, a.Rat, b.Rat)
			}
		}
		add(new(big.Rat).Mul(a.Rat, half), a.sources, otherwise)
	}
	return out
}

// equalToCent reports whether a number is another one as computed, rounded to cents, or to as many decimals as it has.
func equalToCent(computed, number *big.Rat) bool {
	decimals := 2
	for n := new(big.Rat).Mul(number, big.NewRat(100, 1)); !n.IsInt() && decimals < maxDecimals; decimals++ {
		n.Mul(n, big.NewRat(10, 1))
	}
	return computed.FloatString(decimals) == number.FloatString(decimals)
}
