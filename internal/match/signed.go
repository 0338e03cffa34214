package match

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// A difference has a direction: what the words of a computation take away is what they name behind "minus".

// addend is a number of a computation, with the name by which its words have it: a member's, or the number itself.
type addend struct {
	*big.Rat
	name []string
	at   int // its place among the words
}

// addendsOf returns the numbers of sources, and those in the words of a computation.
func addendsOf(of []*big.Rat, sources []Source, by string) []addend {
	var out []addend
	for i, n := range of {
		out = append(out, addend{n, sources[i].name(), 0})
	}
	for _, s := range numbers().FindAllString(by, maxOperands) {
		if n, ok := new(big.Rat).SetString(plain(s)); ok && len(s) <= maxOperand {
			out = append(out, addend{n, words(s), 0})
		}
	}
	return out
}

// inOrder returns the numbers of a computation in the order in which words have them, and whether they have all. Where they don't, sources come in
// their own order, as a planner lists them, and a number of the words comes before what is left of it.
func inOrder(all []addend, by string) (ordered []addend, named bool) {
	said := words(by)
	used, out := make([]bool, len(said)), slices.Clone(all)
	byLength := make([]*addend, 0, len(out))
	for i := range out {
		byLength = append(byLength, &out[i])
	}
	slices.SortStableFunc(byLength, func(a, b *addend) int { return cmp.Compare(len(b.name), len(a.name)) }) // the late fee before the fee

	for _, a := range byLength {
		a.at = place(a.name, said, used)
		for i := 0; a.at < 0 && i < len(a.name); i++ {
			a.at = place(a.name[i:i+1], said, used)
		}
	}
	if slices.ContainsFunc(out, func(a addend) bool { return a.at < 0 }) {
		if last := len(out) - 1; leftOf().MatchString(by) {
			out = slices.Concat(out[last:], out[:last])
		}
		return out, false
	}
	slices.SortStableFunc(out, func(a, b addend) int { return cmp.Compare(a.at, b.at) })
	return out, true
}

// place finds a name among words, of which it uses none that another one has used; -1 where there is none.
func place(name, said []string, used []bool) int {
	for at := 0; at+len(name) <= len(said) && len(name) > 0; at++ {
		isFree := !slices.Contains(used[at:at+len(name)], true)
		if isFree && slices.EqualFunc(name, said[at:at+len(name)], sameWord) {
			for i := range name {
				used[at+i] = true
			}
			return at
		}
	}
	return -1
}

// isTotal reports whether a number is the sum of others, each with the sign that words give it. Words that only add or only take away say so once
// ("the sum of", "left of"), and "subtract a from b" names what is taken away first. A difference of two numbers is none below zero, and
// neither is any other of numbers that aren't. Words that take away a sum, in brackets or not, say no total, nor does "a less than b".
func isTotal(want *big.Rat, all []addend, by string, operations map[operation]bool) bool {
	said, mixed := words(by), operations[plus] && operations[minus]
	ordered, named := inOrder(all, by)
	isOpen := operations[minus] && (comparing().MatchString(by) || bracketed().MatchString(by))
	if isOpen || (mixed && (!named || together().MatchString(by))) {
		return false
	}

	total, isPositive := new(big.Rat).Set(ordered[0].Rat), ordered[0].Sign() >= 0
	for i, a := range ordered[1:] {
		var before, between []string
		if named {
			before, between = said[:a.at], said[ordered[i].at:a.at]
		}
		adds := slices.ContainsFunc(between, func(w string) bool { return operationWords()[w] == plus })
		takes := slices.ContainsFunc(between, func(w string) bool { return operationWords()[w] == minus })
		isReversed := !mixed && len(ordered) == 2 && slices.Contains(between, "from") && slices.ContainsFunc(before, isTaking)
		switch {
		case mixed && adds == takes:
			return false
		case isReversed:
			total.Sub(a.Rat, total)
		case takes || (!adds && operations[minus]):
			total.Sub(total, a.Rat)
		default:
			total.Add(total, a.Rat)
		}
		isPositive = isPositive && a.Sign() >= 0
	}

	if len(ordered) == 2 && slices.Contains(said, "difference") {
		total.Abs(total)
	}
	return !(isPositive && total.Sign() < 0) && equalToCent(total, want)
}

// comparing matches words that take the first number from the second, bracketed those that work out a part of a computation first, and
// together those that take several numbers as one.
var (
	comparing = pattern.OnUse(`(?i)\b(?:less|fewer)\s+than\b`)
	bracketed = pattern.OnUse(`(?i)[(\[{][^)\]}]*(?:[,;&+−]|\s[-–]|\b(?:and|both|plus|minus|less|without|added|reduced|sum|total|difference)\b)`)
	together  = pattern.OnUse(`(?i)\b(?:(?:sum|total) of|both)\b`)
)

// isTaking reports whether a word says that what it names first is taken away from what follows.
func isTaking(w string) bool {
	return strings.HasPrefix(w, "subtract") || strings.HasPrefix(w, "deduct")
}
