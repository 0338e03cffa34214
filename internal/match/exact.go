package match

import (
	"math/big"
	"slices"

	"github.com/remit-project/remit/internal/pattern"
)

// A call that can't be undone accepts a computed value only if every word was read: each source and each number of the words that names
// nothing is in the result once, by the operations that they name, and what names none is the number of its source.

// followsExactly reports whether a number is what the words of a computation make of its sources.
func (m *matcher) followsExactly(want *big.Rat, c *Constraint) bool {
	isEither := slices.Contains(words(c.By), "or")
	var of []*big.Rat
	var sources []Source // of them
	for i := range c.Sources {
		v, ok := m.operand(c, c.Sources[i:i+1])
		if n, isNumber := new(big.Rat).SetString(v); ok && isNumber && len(v) <= maxOperand {
			of, sources = append(of, n), append(sources, c.Sources[i])
		} else if !isEither {
			return false
		}
	}
	if isEither {
		return slices.ContainsFunc(of, func(n *big.Rat) bool { return equalToCent(n, want) }) || m.someMake(want, of, sources, c)
	}

	by := naming().ReplaceAllString(glossed().ReplaceAllString(c.By, "$2"), "$1 ")
	operations := operationsIn(by, c.Sources)
	if len(operations) == 0 && len(of) > 1 && isSum(words(by), nil) {
		operations[plus] = true
	}
	isBelowZero := func(n *big.Rat) bool { return n.Sign() < 0 }
	switch said := amountsIn(by); {
	case operations[minus] && slices.ContainsFunc(of, isBelowZero):
		return false // what is less than nothing would be added
	case len(operations) == 0 && len(of) == 1 && len(amountsIn(forAll().ReplaceAllString(by, " "))) == 0:
		return equalToCent(of[0], want)
	case len(of) == 1 && len(said) == 0 && numbers().MatchString(c.By):
		return false // a number of the request would stand for the one that names something
	case isPercentOf(c, said):
		return equalToCent(new(big.Rat).Mul(new(big.Rat).Mul(of[0], said[0]), big.NewRat(1, 100)), want)
	}
	return m.make(want, of, sources, by, operations)
}

// isOfWords reports whether a number is what the words of a computation without a source make of the numbers in them.
func (m *matcher) isOfWords(want *big.Rat, c *Constraint) bool {
	part, any, read := shareOf(c)
	if said := amountsIn(part.by); len(said) == 1 && (read || !any) {
		return part.is(want, said[0])
	}
	operations := operationsIn(c.By, nil)
	if len(operations) == 0 && isSum(words(c.By), nil) {
		operations[plus] = true
	}
	return m.make(want, nil, nil, c.By, operations)
}

// glossed is a number with another one in brackets behind it that says what it comes to: "their share of 12.00 (half: 6.00)".
var glossed = pattern.OnUse(`(` + amount + `)\s*\([^()\d]*(` + amount + `)[^()\d]*\)`)

// naming is a number that says which thing is meant, when, or how it is written: invoice 4711, in 2026, to 2 decimals.
var naming = pattern.OnUse(`(?i)\b\d{4}-\d\d-\d\d\b|\bto \d decimals?\b|` +
	`\b(?:(?:in|during|the year) (?:19|20)\d\d|` +
	`(?:invoice|bill|order|booking|reservation|receipt|contract|ticket|room|no\.?|nr\.?|number) (?:(?:no\.?|nr\.?|number) )?#?\d+)` +
	`(?:[.,;)]?$|[,;)] |( (?:minus|plus|less|and|for|with|from)\b))`)

// forAll is how many a price is for, which is that of all of them where nothing says that it is for each.
var forAll = pattern.OnUse(`(?i)\bfor \d{1,3} ` + charged)

// someMake reports whether some of several numbers make another one, by the operations of one of two ways.
func (m *matcher) someMake(want *big.Rat, of []*big.Rat, sources []Source, c *Constraint) bool {
	operations := operationsIn(c.By, c.Sources)
	for some := 1; some < 1<<min(len(of), maxTerms); some++ {
		var terms []*big.Rat
		var from []Source
		for i, n := range of[:min(len(of), maxTerms)] {
			if some&(1<<i) != 0 {
				terms, from = append(terms, n), append(from, sources[i])
			}
		}
		if len(operations) > 0 && m.make(want, terms, from, c.By, operations) {
			return true
		}
	}
	return false
}

// maxTerms bounds the numbers that a computation is of.
const maxTerms = 8

// make reports whether numbers of sources and those of the words make another one. Where the words of a computation from one source have no
// number, one of the request's is in it.
func (m *matcher) make(want *big.Rat, of []*big.Rat, sources []Source, by string, operations map[operation]bool) bool {
	if percents().MatchString(by) || len(operations) == 0 || (operations[times] && len(operations) > 1) {
		return false
	}
	terms := addendsOf(of, sources, by)
	if len(terms) > 1 {
		return m.isMadeBy(operations, want, terms, by)
	}
	return slices.ContainsFunc(amountsIn(m.request), func(n *big.Rat) bool {
		return m.isMadeBy(operations, want, append(slices.Clone(terms), addend{Rat: n}), by)
	})
}

// isMadeBy reports whether a number is the product of others, or their sum with those taken away that words take away.
func (m *matcher) isMadeBy(operations map[operation]bool, want *big.Rat, terms []addend, by string) bool {
	if len(terms) < 2 || len(terms) > maxTerms || !m.work(perStep*(len(by)+len(terms))) {
		return false
	}
	if operations[times] {
		product := big.NewRat(1, 1)
		for _, t := range terms {
			product.Mul(product, t.Rat)
		}
		return equalToCent(product, want)
	}

	return isTotal(want, terms, by, operations)
}

// isPercentOf reports whether a computation is a number times a source that is a part in a hundred: the share_percent of 840.
func isPercentOf(c *Constraint, said []*big.Rat) bool {
	isPart := slices.ContainsFunc(c.Sources[0].name(), func(w string) bool { return w == "percent" || w == "percentage" || w == "pct" })
	return isPart && len(c.Sources) == 1 && len(said) == 1 && ofNumber().MatchString(c.By)
}

// ofNumber matches a number behind "of".
var ofNumber = pattern.OnUse(`(?i)\bof (?:the )?\W?\d`)

// amountsIn returns the numbers in a text, in digits and in words.
func amountsIn(text string) []*big.Rat {
	var out []*big.Rat
	for _, s := range numbers().FindAllString(text, maxOperands) {
		if n, ok := new(big.Rat).SetString(plain(s)); ok && len(s) <= maxOperand {
			out = append(out, n)
		}
	}
	return out
}
