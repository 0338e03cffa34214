package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// A record may say otherwise than the call that takes from it: an address on tron is none for a call on ethereum, and the amount of the eighth
// year isn't that of the seventh.

// isContrary reports whether the record of a value has another value under the very name of an argument that the call gives. Where the value
// says which thing the call is about, only those arguments count whose values the tool's definition lists: the call may set the others.
func (m *matcher) isContrary(c *Constraint, role label.Role, v candidate) bool {
	r, record := m.recordOf(v)
	if r == nil || m.pointer == "" {
		return false
	}
	isOfThing := c.Kind == scope.ID || role == label.Selector
	for i := range m.proposal.Args {
		a := &m.proposal.Args[i]
		isOther := !a.Empty && a.Pointer != m.pointer && (elementOf(a.Pointer) == "" || elementOf(a.Pointer) == m.element)
		isSet := isOfThing && (!a.Listed || m.mayTurn() || isSettable(argumentName(a.Pointer)))
		if isOther && !isSet && m.isOtherwise(r, record, a, c) {
			return true
		}
	}
	return false
}

// isSettable reports whether an argument is called as how a thing is or what somebody makes of it, which calls set: the answer to an invitation.
func isSettable(name []string) bool {
	l := lexicon()
	return l.States.Ends(name) || l.Answers.Ends(name)
}

// mayTurn reports whether the call is of a tool that turns a thing into another one, by its name.
func (m *matcher) mayTurn() bool {
	return slices.ContainsFunc(words(m.proposal.Tool), func(w string) bool { return lexicon().Updating.Has(w) || lexicon().Turning.Has(w) })
}

// isOtherwise reports whether a record has values under the name of an argument, and none of them is the argument's, nor the one that the scope
// states of the record itself.
func (m *matcher) isOtherwise(r *Result, record string, a *Argument, c *Constraint) bool {
	name, has := argumentName(a.Pointer), false
	if !r.members[strings.Join(name, " ")] {
		return false
	}
	if !m.work(len(r.records[record]) * perStep) {
		return true
	}
	for _, i := range r.records[record] {
		f := &r.fields[i]
		if f.part != nil || f.null || strings.TrimSpace(f.text) == "" || !slices.Equal(f.key, name) {
			continue
		}

		isStated := slices.ContainsFunc(c.From, func(s Source) bool { return s.states(f.text) })
		if !m.work(len(f.text)+len(a.Text)) || !a.isComparable(name, f, c) || a.isAlike(f.text) || isStated {
			return false
		}
		has = true
	}
	return has
}

// isComparable reports whether a member that is called as an argument is of the same: a number tells of another number, or which thing it is. No
// text that may be in anybody's words tells anything, nor a time, nor who had a part in it: what one paid another may be sent back.
func (a *Argument) isComparable(name []string, f *field, c *Constraint) bool {
	l := lexicon()
	isNumber := rational(f.text) != nil && rational(a.Text) != nil
	switch {
	case a.Listed:
		return true
	case isNumber:
		return isID(name) || c.Kind == scope.Number
	}
	isWords := a.Role == label.Content || l.Titles.Ends(name) || l.Notes.Ends(name)
	isParty := l.AccountHolders.In(name) || l.MailHolders.In(name) || l.Parties.In(name) || l.People.In(name)
	return isID(name) || !(isWords || isParty || isMoment(f.text))
}

// isAlike reports whether a text may say what an argument does: it is in it, or the other way round, where the tool's definition doesn't list
// what there is. Euro and EUR are the same.
func (a *Argument) isAlike(text string) bool {
	units := unitsIn([]string{a.Text})
	isSameUnit := func(u unit) bool { return slices.Contains(units, u) }
	return same(text, a.Text, false) || slices.ContainsFunc(unitsIn([]string{text}), isSameUnit) || (!a.Listed && isInOther(text, a.Text))
}

// states reports whether a scope states a value of the record that a source is about.
func (s *Source) states(text string) bool {
	isSo := func(v scope.Value) bool { return same(string(v), text, false) }
	return slices.ContainsFunc(s.Args, func(a Arg) bool { return slices.ContainsFunc(a.Is, isSo) }) ||
		slices.ContainsFunc(s.Where, func(w Match) bool { return slices.ContainsFunc(w.Is, isSo) })
}
