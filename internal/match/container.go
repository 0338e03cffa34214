package match

import (
	"slices"
	"strings"
)

// Records seldom say where they are: an event was found in the calendar that the search named, and
// has no member for it. The call that changes the event names the calendar again.

// lookedIn returns what the call of a result gave for the argument of a name: the place where its
// records were found. Whoever wrote what the session had read by then may have chosen where the
// model looks, but for the usual place and for one that the scope states.
func (m *matcher) lookedIn(r *Result, name []string) (place string, ok bool) {
	for _, a := range r.Args {
		named := !a.Empty && slices.Equal(argumentName(a.Pointer), name)
		if named && (r.Early || a.Usual || m.statedFor(name, a.Text)) {
			return a.Text, true
		}
	}
	return "", false
}

// places returns what a source's field is of the records that it selects, where none of them has
// such a member and the call that found them names it; nil elsewhere.
func (m *matcher) places(s *Source, c *Constraint, r *Result) []candidate {
	if !r.structured || r.values || m.lent || !m.work(len(r.inOrder)*perStep) {
		return nil
	}
	if m.hasOwn(r, s.name()) || slices.ContainsFunc(s.Or, func(field string) bool { return m.hasOwn(r, words(field)) }) {
		return nil
	}

	var out []candidate
	for _, field := range append([]string{s.Field}, s.Or...) {
		place, ok := m.lookedIn(r, words(field))
		if !ok {
			continue
		}
		selected := m.selected(s, c, r)
		for _, record := range r.inOrder {
			if r.outermost(record) && selected.has(record) {
				out = append(out, candidate{text: place, call: r.Call, record: recordID{r.Call, record}})
			}
		}
		return out
	}
	return nil
}

// hasOwn reports whether the records of a result have a member of a name themselves. An id is their
// own, and not that of where they are.
func (m *matcher) hasOwn(r *Result, name []string) bool {
	if _, is := r.plainMember(name); is {
		return true
	}
	if _, has := m.member(r, name, ""); !has || len(name) == 0 {
		return has
	}
	if r.members[strings.Join(name, " ")] {
		return true
	}
	for member := range r.members {
		if m.step() && slices.ContainsFunc(strings.Fields(member), func(w string) bool { return sameWord(w, name[0]) }) {
			return true
		}
	}
	return false
}
