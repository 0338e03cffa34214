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

// isOneOfSeveral reports whether a call that can't be taken back depends on a bound of the one thing that a source is asked for, and its answer has
// several records with such a member: of two quotes for one domain, one below 40 doesn't tell what the call will cost. Where a tool lists things, one
// of them is enough.
func (m *matcher) isOneOfSeveral(s *Source, where []Match, r *Result) bool {
	isOther := func(w Match) bool { return w.Below+w.Above == "" }
	lists := func(w string) bool {
		return singular(w) != w || lexicon().Listing.Has(w)
	}
	if !m.irreversible || len(s.Args) == 0 || slices.ContainsFunc(where, isOther) || slices.ContainsFunc(words(s.Tool), lists) {
		return false
	}

	is, _ := m.member(r, head(where[0].name()), "")
	all, own := map[string]bool{}, map[string]bool{}
	for i := range r.fields {
		f := &r.fields[i]
		if !m.step() || !is(f) {
			continue
		}
		all[f.record+"/"+strings.Join(f.part, " ")] = true
		if f.part == nil && r.outermost(f.record) {
			own[f.record] = true
		}
	}
	return len(all) > 1 && len(own) != 1 // what is in the one may be of before
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
