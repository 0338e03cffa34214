package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// What "is" states of a list it states of each element, as alternatives: Nives, or Tobia. Who is named beside the other is in the list as well.

// isOtherList says how a list of a call that can't be taken back is another one than the list that the user named: it has an element twice, or one
// of those that the user named is missing. Of the ways to write a name one is enough, and of "Nives or Tobia" one.
func (m *matcher) isOtherList(c *Arg, p *Proposal) string {
	if !m.irreversible || len(c.Is) == 0 || c.From != nil {
		return ""
	}
	listed := p.listed(c.Pointer)
	if listed == nil {
		return ""
	}
	for i, a := range listed {
		_, isElement := listAround(a.Pointer)
		isSame := func(other Argument) bool { return same(other.Text, a.Text, false) }
		if isElement && m.work(len(listed)*perStep) && slices.ContainsFunc(listed[:i], isSame) {
			return m.say("%s is in the list twice", short(a.Text))
		}
	}

	named := m.named(c.Is)
	isForOne := m.in.Times.Each || m.in.Times.N > 1 // a call for each of them
	if isForOne || len(named) < 2 || m.isEither(named) {
		return ""
	}
	for _, v := range named {
		isIn := func(a Argument) bool { return m.work(len(a.Text)) && isInOther(string(v), a.Text) }
		if !slices.ContainsFunc(listed, isIn) {
			return m.say("%s is left out, and the request has it beside the others", short(string(v)))
		}
	}
	return ""
}

// named returns those of the values that a constraint states which are in the user's words and are others: what the planner adds is one of the
// user's, in another language or form.
func (m *matcher) named(all []scope.Value) []scope.Value {
	const most = 64 // that a list is held to
	var out []scope.Value
	for _, v := range all[:min(len(all), most)] {
		isSaid := m.work(len(m.folded)) && appears(m.folded, fold(string(v)))
		if isSaid || m.isSpelled(string(v)) {
			out = append(out, v)
		}
	}
	return differing(out)
}

// isEither reports whether the user has a word for "or" between two of several values.
func (m *matcher) isEither(all []scope.Value) bool {
	for _, a := range all {
		_, behind, _ := strings.Cut(m.folded, fold(string(a)))
		for _, b := range all {
			if !m.work(len(behind)) {
				return false
			}
			between, _, isBehind := strings.Cut(behind, fold(string(b)))
			if !isBehind {
				continue
			}
			if w := words(between); len(w) == 1 && lexicon().Eithers.Has(w[0]) {
				return true
			}
		}
	}
	return false
}
