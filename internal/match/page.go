package match

import (
	"slices"

	"github.com/remit-project/remit/scope"
)

// Of all that meet a condition, a page of the listing has some, and no others: whoever pages leaves out, and adds nothing.

// takesSome reports whether a constraint takes all values of records that meet conditions, so that those of a part of the listing
// are meant as well. A name that is met in several ways is no such condition: which one is meant, the whole listing says. Nor does a part do
// for the list of an only call that can't be taken back: the list is what all of them get.
func (m *matcher) takesSome(s *Source, of *Constraint) bool {
	isListOfAll := m.irreversible && m.element != "" && !m.in.Times.Each && m.in.Times.N == 1
	if isListOfAll || of.Pick != scope.All || of.Computed || m.against || m.strict || m.joining || len(s.Where) == 0 {
		return false
	}
	isName := func(w *Match) bool {
		name := head(w.name())
		return len(name) == 0 || w.isParty() || lexicon().Titles.Ends(name)
	}
	for i := range s.Where {
		for w := range s.Where[i].each {
			if isName(w) {
				return false
			}
		}
	}
	return true
}

// isPage reports whether an argument of an earlier call says no more than which page of a listing is meant: by a number, or by what
// the page before gave to go on with. Any other cursor may be that of another listing.
func (m *matcher) isPage(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	if m.filters(r, key) || !(isLimit(key) || lexicon().Offsets.In(key)) {
		return false
	}
	if _, err := whole(a.Text); err == nil {
		return true
	}
	return slices.ContainsFunc(m.results, func(before *Result) bool {
		isSame := before != r && before.Covered && before.Server == r.Server && before.Tool == r.Tool && m.pagesOfOne(before, r)
		return isSame && slices.ContainsFunc(before.fields, func(f field) bool {
			return m.step() && !isListed(f.record) && f.text == a.Text && (f.saysMore(0, words(f.record)) || lexicon().Offsets.In(f.key))
		})
	})
}

// pagesOfOne reports whether two calls of a tool differ in the page alone that they ask for.
func (m *matcher) pagesOfOne(a, b *Result) bool {
	others := func(r *Result) []Argument {
		return slices.DeleteFunc(slices.Clone(r.Args), func(a Argument) bool {
			key := argumentName(a.Pointer)
			return a.Empty || (!m.filters(r, key) && (isLimit(key) || lexicon().Offsets.In(key)))
		})
	}
	isSame := func(a, b Argument) bool { return a.Pointer == b.Pointer && a.Text == b.Text }
	return slices.EqualFunc(others(a), others(b), isSame)
}
