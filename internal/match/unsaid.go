package match

import (
	"slices"
	"strings"
	"unicode"
)

// What measures a number may be in no list of units: 60 pallets are not 60 units. A member that is called as a unit, tied to the number by its
// name or the only one beside it, measures it, whatever it says. What the call, the request and the contract don't have is then another unit.

// isInUnsaid reports whether a number is in a unit or a currency that nothing of the call and of the request has, by what its record, what is
// around it, a map of units or a list of columns says.
func (m *matcher) isInUnsaid(r *Result, f *field, name []string) bool {
	all := m.unitsOfField(r, f)
	isTaken := func(u unit) bool { return slices.Contains(m.taken(), u) }
	isAsTaken := slices.ContainsFunc(all, func(o *field) bool { return slices.ContainsFunc(unitsIn(strings.Fields(o.text)), isTaken) })
	return slices.ContainsFunc(all, func(o *field) bool {
		isPeriod := isAsTaken && slices.ContainsFunc(unitsIn(strings.Fields(o.text)), func(u unit) bool { return u.of == "time" }) // kWh per month
		return !isPeriod && !m.isSaidIn(o.text, name) && !m.isOfOpen(r, o)
	})
}

// isOfOpen reports whether a currency is one of a call that says none, as most accounts have one, and all records of the list have that one.
func (m *matcher) isOfOpen(r *Result, currency *field) bool {
	isOf := func(units []unit) bool { return slices.ContainsFunc(units, isMoney) }
	text := strings.TrimSpace(currency.text)
	if m.currency() != "" || m.coin() != "" || isOf(m.taken()) || !isKnownUnit(text) || !isOf(unitsIn([]string{text})) {
		return false
	}
	isOther := m.work(len(m.said)) && hasCurrency(m.said) // and not this one
	return !isOther && !m.isOfOne(r, currency) && !m.measuresIn(r).isMixed[listedMember{r.listOf(currency.record), currency.name}]
}

// isOfOne reports whether a currency is tied by its name to one of several numbers that the argument is computed from: the others may be in
// another one.
func (m *matcher) isOfOne(r *Result, currency *field) bool {
	numbers, alike := 1, 0
	for i := range m.in.Args {
		if a := &m.in.Args[i]; a.Computed && within(a.Pointer, m.pointer) {
			numbers = len(a.Sources)
		}
	}
	for _, i := range r.records[currency.record] {
		if fold(r.fields[i].text) == fold(currency.text) {
			alike++
		}
	}
	return len(uncoded(currency.key)) > 1 && alike < numbers
}

// unitsOfField returns the members that say in what a number is: in its record, in what is around it, in an object beside that, and by its name.
func (m *matcher) unitsOfField(r *Result, f *field) []*field {
	all := m.measuresIn(r)
	if isMoment(f.text) || len(f.key) == 0 || !all.any {
		return nil
	}

	out := slices.Clone(all.named[f.name])
	for at := range outwards(f.record) {
		if !m.work(len(r.records[at]) * perStep) {
			return out
		}
		for _, i := range r.records[at] {
			if o := &r.fields[i]; o != f && o.isUnit() && f.isTiedTo(o, r) {
				out = append(out, o)
			}
		}
	}
	for _, o := range all.aside {
		if m.step() && isBesideList(o.record, f.record) && f.isTiedTo(o, r) {
			out = append(out, o)
		}
	}
	return out
}

// resultUnits are the members of a result that are called as units.
type resultUnits struct {
	any     bool
	aside   []*field              // in objects that are in no list
	named   map[string][]*field   // by the name of the member that their record describes: {name: weight, unit: kg}
	isMixed map[listedMember]bool // whether not all records of a list have the same
}

// measuresIn returns the members of a result that are called as units, which are looked up once.
func (m *matcher) measuresIn(r *Result) *resultUnits {
	if known, ok := m.measuring[r]; ok {
		return known
	}
	out, first := &resultUnits{named: map[string][]*field{}, isMixed: map[listedMember]bool{}}, map[listedMember]string{}
	if m.measuring == nil {
		m.measuring = map[*Result]*resultUnits{}
	}
	m.measuring[r] = out
	if !r.hasUnits() || !m.work(len(r.fields)*perStep) {
		return out
	}

	out.any = true
	for i := range r.fields {
		f := &r.fields[i]
		if !f.isUnit() {
			continue
		}
		at := listedMember{r.listOf(f.record), f.name}
		if have, known := first[at]; known && have != fold(f.text) {
			out.isMixed[at] = true
		}
		first[at] = fold(f.text)
		if !isListed(f.record) {
			out.aside = append(out.aside, f)
		}
		for _, j := range r.records[f.record] {
			o := &r.fields[j]
			if name := strings.Join(o.words, " "); o != f && f.part == nil && len(uncoded(f.key)) == 1 && name != "" && r.members[name] && m.step() {
				out.named[name] = append(out.named[name], f)
			}
		}
	}
	return out
}

// hasUnits reports whether a result has members that are called as a unit or a currency.
func (r *Result) hasUnits() bool {
	for name := range r.members {
		if slices.ContainsFunc(strings.Fields(name), isUnitWord) {
			return true
		}
	}
	return slices.ContainsFunc(r.inOrder, func(record string) bool { return isUnitWord(lastOf(record)) })
}

// lastOf returns the last part of a pointer, as a name of one word.
func lastOf(pointer string) string { return fold(pointer[strings.LastIndexByte(pointer, '/')+1:]) }

// isUnitWord reports whether a word calls a member a unit, a currency or a coin.
func isUnitWord(w string) bool {
	l := lexicon()
	return l.OfCurrency.Has(w) || l.Measures.Has(singular(w)) || l.Bases.Has(w) || l.Coins.Has(w)
}

// isUnit reports whether a member is called as a unit, or is in an object that is, and says one.
func (f *field) isUnit() bool {
	of := uncoded(f.key)
	return !f.null && len(of) > 0 && (isUnitWord(of[len(of)-1]) || f.isInUnits()) && isUnitText(f.text)
}

// isInUnits reports whether a member is in an object that is called as a unit: units: {weight: lb}.
func (f *field) isInUnits() bool {
	if n := len(f.part); n > 0 {
		return isUnitWord(f.part[n-1])
	}
	return isUnitWord(lastOf(f.record))
}

// uncoded returns the words of a name before those that say in which form it is written.
func uncoded(of []string) []string {
	for len(of) > 1 && lexicon().Codes.Has(of[len(of)-1]) {
		of = of[:len(of)-1]
	}
	return of
}

// isTiedTo reports whether a member that is called as a unit is that of a number by its name, or that of any number, where its name ties it to no other.
func (f *field) isTiedTo(unit *field, r *Result) bool {
	if unit.isInUnits() {
		return slices.Equal(unit.key, f.key)
	}
	of := uncoded(unit.key)
	word, of := of[len(of)-1], of[:len(of)-1]
	if len(of) > 0 && !lexicon().Quantities.In(of) {
		isOf := func(w string) bool { return strings.HasPrefix(of[0], strings.TrimSuffix(w, "e")) }
		return slices.ContainsFunc(f.key, isOf) || (f.isPrice() && lexicon().Pricings.In(of))
	}
	isOfMoney := lexicon().OfCurrency.Has(word) || lexicon().Coins.Has(word)
	return f.isPrice() == isOfMoney || !slices.ContainsFunc(r.records[f.record], func(i int) bool {
		o := &r.fields[i]
		return o != f && o.numeric && o.isPrice() == isOfMoney && !isID(o.key)
	})
}

// isPrice reports whether a number is called as an amount of money.
func (f *field) isPrice() bool {
	return slices.ContainsFunc(f.key, ofMoney) || lexicon().Flows.In(f.key)
}

// isBesideList reports whether a record is in an object that is around another one.
func isBesideList(record, of string) bool {
	for at := range outwards(of) {
		if at != of && record != at && strings.HasPrefix(record, at+"/") {
			return true
		}
	}
	return false
}

// isUnitText reports whether a text may be a unit: a word or a few, without digits.
func isUnitText(text string) bool {
	const longest = 32 // bytes
	text = strings.TrimSpace(text)
	return text != "" && len(text) <= longest && text != "true" && text != "false" && !strings.ContainsFunc(text, unicode.IsDigit) && len(strings.Fields(text)) <= 3
}

// isSaidIn reports whether each word of a unit is one of the call or of the request, or says that the number is of single things.
func (m *matcher) isSaidIn(text string, name []string) bool {
	currency := m.currency()
	own := slices.Concat(argumentName(m.pointer), name, words(currency), words(m.coin()))
	units := unitsIn(slices.Concat(own, strings.Fields(currency)))
	return !slices.ContainsFunc(strings.Fields(fold(text)), func(w string) bool {
		w = strings.Trim(w, unitMarks)
		isOwn := slices.ContainsFunc(own, func(o string) bool { return sameWord(o, w) })
		isUnit := slices.ContainsFunc(unitsCalled(w), func(u unit) bool { return slices.Contains(units, u) || m.isSaidUnit(u) })
		isNone := w == "" || w == "per" || w == "of" || lexicon().Apiece.Has(singular(w))
		return !isOwn && !isUnit && !isNone && !(m.work(len(m.folded)) && speaks(m.folded, w))
	})
}

// coin returns what the call says of which coin or token its amounts are.
func (m *matcher) coin() string {
	for i := range m.proposal.Args {
		a := &m.proposal.Args[i]
		if !a.Empty && a.Pointer != m.pointer && lexicon().Coins.In(argumentName(a.Pointer)) {
			return a.Text
		}
	}
	return ""
}
