package match

import (
	"slices"

	"github.com/remit-project/remit/scope"
)

// What a call is about may be where a listing is looked into: the members of the course that somebody is taken out of, the plans
// in the region of the machine that gets another one. The scope itself finds the one, so that nobody else chose it.

// narrowsToObject reports whether an argument narrows a listing to what a call of the scope is about. It is the only value that an entry
// finds for an argument of that name, in another listing. For what can be taken back, it may also be what the record that this call is about
// has under that name.
func (m *matcher) narrowsToObject(r *Result, a Argument) bool {
	if m.against || m.joining || m.lent {
		return false // where one is found by the other, either could be anything
	}
	key := argumentName(a.Pointer)
	if isBare(key) {
		return false // the invoice 7 is not the contact 7
	}

	for i := range m.scope.Calls {
		e := &m.scope.Calls[i]
		for j := range e.Args {
			c := &e.Args[j]
			ofOther := !slices.ContainsFunc(c.From, func(s Source) bool { return isTool(s.Server, s.Tool, r.Server, r.Tool) })
			isNamed := slices.Equal(argumentName(c.Pointer), key) && (e == m.in || (!m.irreversible && thing(key[len(key)-1]) == "id"))
			ofRecord := e == m.in && !m.irreversible
			if len(c.From) == 0 || c.Pick != scope.Only || !ofOther || !(isNamed || ofRecord) || !m.step() {
				continue
			}
			one, ok := m.onlyOf(c.From)
			if !ok {
				continue
			}
			if (isNamed && same(one.text, a.Text, true)) || (ofRecord && m.hasMember(one, key, a.Text)) {
				return true
			}
		}
	}
	return false
}

// isBare reports whether an argument's name may be that of anything: an id, a name, a state.
func isBare(key []string) bool {
	return !slices.ContainsFunc(key, func(w string) bool { return thing(w) != "id" && qualifiers[w] == "" && !lexicon().Bare.Has(w) })
}

// hasMember reports whether the record of a value has another one under exactly a name.
func (m *matcher) hasMember(of candidate, name []string, text string) bool {
	r, record := m.recordOf(of)
	return r != nil && slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return m.step() && f.part == nil && !f.null && slices.Equal(f.key, name) && f.text == text
	})
}
