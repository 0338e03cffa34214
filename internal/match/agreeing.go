package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// "If mum's amlodipine has no refill left" is about one thing. Where several records are called so, one that is so and another one that
// isn't don't tell whether it is: the one may be of last year.

// namingDetails is how many things the user has to say of a record that they don't call by its own name.
const namingDetails = 2

// isContested reports whether the records that the user's words name differ in the state that a condition is on.
func (m *matcher) isContested(where []Match, r *Result) bool {
	var named []Match
	naming, own := 0, false
	for i := range where {
		w := &where[i]
		if w.isOnState() {
			continue
		}
		named = append(named, *w)
		if isNaming := m.statedMatch(*w) || m.statedWords(*w); isNaming && !w.bounded() {
			naming++
			own = own || isID(head(w.name())) || m.isOwnName(w, r)
		}
	}
	if len(named) == len(where) || (naming < namingDetails && !own) {
		return false
	}

	met := m.meeting(where, r)
	for record := range m.meeting(named, r) {
		if !met[record] {
			return true
		}
	}
	return false
}

// isOneOfSeveral reports whether a call that can't be taken back depends on a number of the one thing that a source is asked for, and its answer has
// several records with such a member: of two quotes for one domain, one below 40 doesn't tell what the call will cost, and of the hours of a day one
// without rain doesn't tell that there is none. Where all have the number that is stated, they agree. Where a tool lists things, one
// of them is enough.
func (m *matcher) isOneOfSeveral(s *Source, where []Match, r *Result) bool {
	isOther := func(w Match) bool { return w.Below+w.Above == "" && !w.isOnNumber() }
	lists := func(w string) bool {
		return singular(w) != w || lexicon().Listing.Has(w)
	}
	if !m.irreversible || len(s.Args) == 0 || slices.ContainsFunc(where, isOther) || slices.ContainsFunc(words(s.Tool), lists) {
		return false
	}

	is, _ := m.member(r, head(where[0].name()), "")
	unmet := where[0].Below+where[0].Above != "" // what another one costs, nobody said
	all, own := map[string]bool{}, map[string]bool{}
	for i := range r.fields {
		f := &r.fields[i]
		if !m.step() || !is(f) {
			continue
		}
		all[f.record+"/"+strings.Join(f.part, " ")] = true
		unmet = unmet || !(m.work(len(f.text)) && where[0].accepts(f.text))
		if f.part == nil && r.outermost(f.record) {
			own[f.record] = true
		}
	}
	return unmet && len(all) > 1 && len(own) != 1 // what is in the one may be of before
}

// isOnNumber reports whether a condition states numbers, as how much rain there is, and not the one by which something is called.
func (w *Match) isOnNumber() bool {
	isNumber := func(v scope.Value) bool { return rational(string(v)) != nil }
	return len(w.Is) > 0 && !isID(head(w.name())) && !slices.ContainsFunc(w.Is, func(v scope.Value) bool { return !isNumber(v) })
}

// isForAnother reports whether a record that meets conditions is of something else than the call, and another one that is called so, and isn't in
// the state that they name, is of the same: her approved request is for another book, and the one for this book is refused.
func (m *matcher) isForAnother(where []Match, r *Result, record string) bool {
	named := slices.DeleteFunc(slices.Clone(where), func(w Match) bool { return w.isOnState() })
	if !m.irreversible || len(named) == 0 || len(named) == len(where) {
		return false
	}
	for i := range m.proposal.Args {
		a := &m.proposal.Args[i]
		if a.Empty || !m.isOtherwise(r, record, a, &Constraint{}) {
			continue
		}
		for other := range m.meeting(named, r) {
			if other != record && m.hasAsCalled(r, other, a) {
				return true
			}
		}
	}
	return false
}

// hasAsCalled reports whether a record has the value of an argument under its name.
func (m *matcher) hasAsCalled(r *Result, record string, a *Argument) bool {
	name := argumentName(a.Pointer)
	return slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return slices.Equal(f.key, name) && m.work(len(f.text)+len(a.Text)) && a.isAlike(f.text)
	})
}

// isOnState reports whether a condition is on how something is, and not on what it is called: a number, a switch, a state, or that there is
// nothing.
func (w *Match) isOnState() bool {
	isState := func(v scope.Value) bool {
		return v == "" || rational(string(v)) != nil || switches()[fold(string(v))] != ""
	}
	name := head(w.name())
	return w.Below+w.Above != "" || lexicon().States.Ends(name) ||
		(len(w.Is) > 0 && !isID(name) && !slices.ContainsFunc(w.Is, func(v scope.Value) bool { return !isState(v) }))
}

// isID reports whether a name is that of what identifies something.
func isID(name []string) bool {
	return len(name) > 0 && (thing(name[len(name)-1]) == "id" || lexicon().Filled.Has(name[len(name)-1]))
}
