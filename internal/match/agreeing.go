package match

import (
	"slices"

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

// isOnState reports whether a condition is on how something is, and not on what it is called: a number, a switch, a state, or that there is
// nothing.
func (w *Match) isOnState() bool {
	isState := func(v scope.Value) bool {
		return v == "" || rational(string(v)) != nil || switches[fold(string(v))] != ""
	}
	name := head(w.name())
	return w.Below+w.Above != "" || lexicon().States.Ends(name) ||
		(len(w.Is) > 0 && !isID(name) && !slices.ContainsFunc(w.Is, func(v scope.Value) bool { return !isState(v) }))
}

// isID reports whether a name is that of what identifies something.
func isID(name []string) bool {
	return len(name) > 0 && (thing(name[len(name)-1]) == "id" || lexicon().Filled.Has(name[len(name)-1]))
}
