package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// A number that a call takes measures what the call does: cents and dollars are no euros, and two hours are not two minutes.

// ofOtherUnit says why a number may be of another unit than the call takes; empty where it isn't. Its member names a small unit that neither
// the field nor the call names, or its record has one that the call has otherwise.
func (m *matcher) ofOtherUnit(name []string, c *Constraint, r *Result, f *field) string {
	if !m.irreversible || m.against || m.joining || c.Computed || c.Kind != scope.Number {
		return ""
	}
	own := unitsIn(argumentName(m.pointer))
	isTaken := func(w string) bool {
		isOwn := slices.ContainsFunc(unitsCalled(w), func(u unit) bool { return slices.Contains(own, u) })
		isIn := func(named []string) bool {
			return slices.ContainsFunc(named, func(n string) bool { return sameWord(n, w) })
		}
		return isOwn || isIn(name) || slices.ContainsFunc(m.in.Args, func(a Arg) bool { return a.From != nil && isIn(argumentName(a.Pointer)) })
	}
	isOther := func(w string) bool { return lexicon().Subunits.Has(w) && !isTaken(w) }
	isSmall := slices.ContainsFunc(f.key[min(1, len(f.key)):], func(w string) bool { return isOther(w) || (lexicon().Durations.Has(w) && !isTaken(w)) })
	if isSmall || m.isScaled(r, f) || slices.ContainsFunc(m.measures(r, f), isOther) || m.isMeasuredOtherwise(r, f) {
		return m.say("%s is in a unit that the call may not be in", short(f.name))
	}
	return ""
}

// isScaled reports whether a member beside an amount says that it is in hundredths or thousands of its currency.
func (m *matcher) isScaled(r *Result, f *field) bool {
	for at := range outwards(f.record) {
		if !m.work(len(r.records[at]) * perStep) {
			return true
		}
		for _, i := range r.records[at] {
			beside := &r.fields[i]
			n, isNumber := number(beside.text)
			if isNumber && n != "0" && n != "1" && len(beside.key) < 3 && lexicon().Exponents.In(beside.key) && slices.ContainsFunc(f.key, ofMoney) {
				return true
			}
		}
	}
	return false
}

// isMeasuredOtherwise reports whether a number is in another unit than its call has it, of the same kind: by the names of the member and of
// the argument, by what is beside the member, and by the currency of the call.
func (m *matcher) isMeasuredOtherwise(r *Result, f *field) bool {
	taken := m.taken()
	isOpen := slices.ContainsFunc(m.in.Args, func(a Arg) bool { return a.Absent && lexicon().OfCurrency.In(argumentName(a.Pointer)) })
	if len(taken) == 0 && !isOpen {
		return false
	}
	have := unitsIn(slices.Concat(f.key, m.measures(r, f)))
	if isOfMoney := func(u unit) bool { return u.of == "money" }; isOpen && !slices.ContainsFunc(taken, isOfMoney) && slices.ContainsFunc(have, isOfMoney) {
		return !slices.ContainsFunc(have, m.isSaidUnit) // the service takes some currency then, and nobody says which
	}
	isOf := func(all []unit, u unit) bool {
		return slices.ContainsFunc(all, func(other unit) bool { return other.of == u.of })
	}
	return slices.ContainsFunc(have, func(u unit) bool {
		isOther := func(one unit) bool { return one.of != u.of || !slices.Contains(taken, one) }
		return isOf(taken, u) && !slices.ContainsFunc(have, func(one unit) bool { return !isOther(one) })
	})
}

// isSaidUnit reports whether the user said a unit, in one of the ways to write it.
func (m *matcher) isSaidUnit(u unit) bool {
	isIn := func(w string) bool { return slices.Contains(unitsCalled(w), u) }
	return m.work(len(m.folded)) && (slices.ContainsFunc(strings.FieldsFunc(m.folded, isSign), isIn) || strings.ContainsFunc(m.folded, func(r rune) bool { return isIn(string(r)) }))
}

// isComputedOtherwise reports whether a number that a call's is computed from is in another currency than the call, and not converted.
func (m *matcher) isComputedOtherwise(c *Constraint, v candidate) bool {
	ofMoney := func(all []unit) []unit { return slices.DeleteFunc(all, func(u unit) bool { return u.of != "money" }) }
	have, taken := ofMoney(unitsIn(strings.Fields(m.measureOf(v)))), ofMoney(slices.Clone(m.taken()))
	isTaken := func(u unit) bool { return slices.Contains(taken, u) }
	return len(have) > 0 && len(taken) > 0 && !operationsOf(c)[times] && !slices.ContainsFunc(have, isTaken)
}

// measures returns the words of what says in which unit a number is: beside it, or beside the list that it is in.
func (m *matcher) measures(r *Result, f *field) []string {
	for at := range outwards(f.record) {
		if !m.work(len(r.records[at]) * perStep) {
			return nil
		}
		if said := r.beside(at, f.isMeasuredBy); said != "" {
			return strings.Fields(said)
		}
	}
	return nil
}

// unitsIn returns the units that words name.
func unitsIn(words []string) []unit {
	var out []unit
	for _, w := range words {
		out = append(out, unitsCalled(fold(w))...)
	}
	return out
}

// taken returns the units that the argument in question is in, by its name and the currency of the call. They are looked up once.
func (m *matcher) taken() []unit {
	if m.pointer == "" {
		return nil
	}
	if m.units == nil || m.units.of != m.pointer {
		m.units = &unitsTaken{m.pointer, unitsIn(slices.Concat(argumentName(m.pointer), strings.Fields(m.currency())))}
	}
	return m.units.units
}

// unitsTaken are the units that an argument is in.
type unitsTaken struct {
	of    string // its pointer
	units []unit
}

// currency returns the currency of the call beside the argument in question, or where the call says none the one that the request has, or
// what it is then.
func (m *matcher) currency() string {
	list, _ := split(m.pointer)
	for i := range m.proposal.Args {
		a := &m.proposal.Args[i]
		in, _ := split(a.Pointer)
		if !a.Empty && within(in, list) && a.Pointer != m.pointer && lexicon().OfCurrency.In(argumentName(a.Pointer)) {
			return a.Text
		}
	}

	for i := range m.in.Args {
		c := &m.in.Args[i]
		if len(c.Is) > 0 && lexicon().OfCurrency.In(argumentName(c.Pointer)) {
			return string(c.Is[0])
		}
	}
	for _, name := range lexicon().OfCurrency.Words() {
		if otherwise := m.proposal.otherwise(list + "/" + strictjson.EscapeToken(name)); otherwise != "" {
			return otherwise
		}
	}
	for i := range m.in.Args { // under a name of any language
		if otherwise := m.proposal.otherwise(m.in.Args[i].Pointer); isCurrency(otherwise) {
			return otherwise
		}
	}
	return ""
}
