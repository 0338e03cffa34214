package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// A number that a call takes measures what the call does: cents and dollars are no euros, and two hours are not two minutes.

// ofOtherUnit says why a number may be of another unit than the call takes; empty where it isn't. Its member names a small unit that neither
// the field nor the call names, or its record has one that the call has otherwise.
func (m *matcher) ofOtherUnit(name []string, c *Constraint, r *Result, f *field) string {
	if !m.irreversible || m.against || m.joining || c.scales || c.Kind != scope.Number {
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
	isUnclear := !f.numeric && ungrouped(f.text) != "" // 5.400 may be five thousand

	if m.isOfNothing(c, f) {
		return m.say("%s is no amount to be paid", short(f.name))
	}
	if isSmall || isUnclear || m.isInUnsaid(r, f, name) || m.isScaled(r, f) || slices.ContainsFunc(m.measures(r, f), isOther) || m.isMeasuredOtherwise(r, f) || m.isPart(r, f, name) {
		return m.say("%s is in a unit that the call may not be in", short(f.name))
	}
	return ""
}

// isOfNothing reports whether a number that a call takes as an amount of money is none, or below zero. What is computed may be of such.
func (m *matcher) isOfNothing(c *Constraint, f *field) bool {
	n := rational(strings.TrimSpace(f.text))
	isAmount := slices.ContainsFunc(argumentName(m.pointer), ofMoney) && (f.isPrice() || len(f.key) == 1)
	return !c.Computed && isAmount && n != nil && n.Sign() <= 0
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
			isScale := (isNumber && n != "0" && n != "1") || beside.text == "true"
			if isScale && len(beside.key) < 3 && lexicon().Exponents.In(beside.key) && slices.ContainsFunc(f.key, ofMoney) {
				return true
			}
		}
	}
	return false
}

// isMeasuredOtherwise reports whether a number is in another unit than its call has it: by the names of the member and of the argument, by what is
// beside the member, and by the currency of the call. What is beside an amount may say what it is for.
func (m *matcher) isMeasuredOtherwise(r *Result, f *field) bool {
	taken := m.taken()
	isOpen := slices.ContainsFunc(m.in.Args, func(a Arg) bool { return a.Absent && lexicon().OfCurrency.In(argumentName(a.Pointer)) })
	if len(taken) == 0 && !isOpen {
		return false
	}
	if m.isInUnknown(r, f, taken) {
		return true
	}

	have := unitsIn(slices.Concat(f.key, m.measures(r, f)))
	if isOpen && !slices.ContainsFunc(taken, isMoney) && slices.ContainsFunc(have, isMoney) {
		return !slices.ContainsFunc(have, m.isSaidUnit) // the service takes some currency then, and nobody says which
	}
	isOf := func(all []unit, u unit) bool {
		return slices.ContainsFunc(all, func(other unit) bool { return other.of == u.of })
	}
	isAsTaken := slices.ContainsFunc(have, func(u unit) bool { return slices.Contains(taken, u) })
	return slices.ContainsFunc(have, func(u unit) bool {
		isOther := func(one unit) bool { return one.of != u.of || !slices.Contains(taken, one) }
		isPeriod := u.of == "time" && isAsTaken // kWh per month
		isTaken := isOf(taken, u) || (!isMoney(u) && !isPeriod && slices.ContainsFunc(taken, func(of unit) bool { return !isMoney(of) }))
		return isTaken && !slices.ContainsFunc(have, func(one unit) bool { return !isOther(one) })
	})
}

func isMoney(u unit) bool { return u.of == "money" }

// isSaidUnit reports whether the user said a unit, in one of the ways to write it.
func (m *matcher) isSaidUnit(u unit) bool {
	isIn := func(w string) bool { return slices.Contains(unitsCalled(w), u) }
	return m.work(len(m.folded)) && (slices.ContainsFunc(strings.FieldsFunc(m.folded, isSign), isIn) || strings.ContainsFunc(m.folded, func(r rune) bool { return (unicode.Is(unicode.Sc, r) || writesOn(r)) && isIn(string(r)) }))
}

// isInUnknown reports whether what says in which unit or currency a number is has a word that isn't known to be the call's: a program that knows no
// tablets, TEUR or mg/kg can't tell that they are mg or EUR.
func (m *matcher) isInUnknown(r *Result, f *field, taken []unit) bool {
	for at := range outwards(f.record) {
		if !m.work(len(r.records[at]) * perStep) {
			return true
		}
		for _, i := range r.records[at] {
			beside := &r.fields[i]
			last := beside.key[max(0, len(beside.key)-1):]
			says := f.isMeasuredBy(beside) && !beside.null && (lexicon().OfCurrency.In(beside.key) || lexicon().Measures.In(last))
			if says && slices.ContainsFunc(strings.Fields(beside.text), func(w string) bool { return !isKnownUnit(w) }) {
				return len(taken) > 0
			}
		}
	}
	return false
}

// isKnownUnit reports whether a word is a unit, and no hundredth or thousand of one: GBp are pence.
func isKnownUnit(word string) bool {
	const code = len("GBp")
	isMinor := len(word) == code && word[:code-1] == strings.ToUpper(word[:code-1]) && word[code-1:] == strings.ToLower(word[code-1:]) && word != strings.ToUpper(word)
	bare := strings.Trim(word, unitMarks)
	isCode := bare == strings.ToUpper(bare) || len(unitTable()[fold(bare)]) > 0 // Std. is no dobra
	return !isMinor && isCode && len(unitsCalled(fold(bare))) > 0
}

// unitMarks are the signs around a unit.
const unitMarks = ".,;()"

// isPart reports whether a member that is called after a number says that it is a part in a hundred, or a rate: deductible_type: "percent".
func (m *matcher) isPart(r *Result, f *field, name []string) bool {
	if len(f.key) == 0 || !m.work(len(r.records[f.record])*perStep) {
		return false
	}
	isRatio := func(w string) bool { return w == "%" || w == "per" || lexicon().Ratios.Has(w) }
	return !slices.ContainsFunc(name, isRatio) && slices.ContainsFunc(r.records[f.record], func(i int) bool {
		beside := &r.fields[i]
		isOwn := len(beside.key) == len(f.key)+1 && slices.Equal(beside.key[:len(f.key)], f.key)
		return isOwn && !beside.numeric && (strings.TrimSpace(beside.text) == "%" || slices.ContainsFunc(words(beside.text), isRatio))
	})
}

// isComputedOtherwise reports whether a number that a call's is computed from is in another currency than the call, and not converted.
func (m *matcher) isComputedOtherwise(c *Constraint, v candidate) bool {
	ofMoney := func(all []unit) []unit { return slices.DeleteFunc(all, func(u unit) bool { return !isMoney(u) }) }
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
		out = append(out, unitsCalled(strings.Trim(fold(w), unitMarks))...)
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
