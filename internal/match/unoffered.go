package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// A refusal is of use where it says what is missing: an agent corrects its call by that, and a person sees which record is meant.

// unoffered says why a value is not what the sources of a constraint offer: it is in no result of theirs, it is another member of a record,
// its record doesn't meet a condition, or other values are what they offer.
func (m *matcher) unoffered(c *Constraint, a *Argument, o offers) string {
	none := m.say("%s is not what %s offers", short(a.Text), from(c.From))
	if m.quiet {
		return none
	}

	at, why := m.as(m.mode), "" // of one result
	if len(o.values) > 0 {
		why = ", but " + m.distinguished(o.values)
	}
	for i := range c.From {
		for _, r := range slices.Backward(m.results) {
			s := m.fieldOf(&c.From[i], r)
			if at.ordered = false; !at.answers(s, r, c) {
				continue
			}
			of := at.missed(s, c, r, a)
			switch {
			case of != "":
				return none + ": " + of
			case why == "" && r.structured:
				why = fmt.Sprintf(": nothing in what %s returned is so", r.Tool)
			case why == "":
				why = fmt.Sprintf(": %s returned a text, in which no program is sure of a field", r.Tool)
			}
		}
	}
	return none + why
}

// missed says what keeps a value in a result from being offered by it; empty where the result doesn't have it.
func (m *matcher) missed(s *Source, c *Constraint, r *Result, a *Argument) string {
	isHere := func(f field) bool { return !f.null && m.work(len(f.text)) && a.takes(f.text) }
	first := slices.IndexFunc(r.fields, isHere)
	if first < 0 {
		return ""
	}
	isNamed, has := m.member(r, s.name(), c.idOf(*a))
	at := slices.IndexFunc(r.fields, func(f field) bool { return isNamed(&f) && isHere(f) })
	switch name := short(r.fields[first].member); {
	case !has:
		return fmt.Sprintf("it is %s there, and no record has %s", name, short(s.Field))
	case at < 0:
		return fmt.Sprintf("it is %s there, and not %s", name, short(s.Field))
	}

	where, _ := m.where(s, r)
	for i, alternatives := range m.holdAll(where, r) {
		isMet := func(h held) bool { return m.meets(&h, r, r.fields[at].record) }
		if !slices.ContainsFunc(alternatives, isMet) {
			return m.difference(&where[i], alternatives, r, r.fields[at].record)
		}
	}
	return ""
}

// difference says how a record differs from what a condition wants.
func (m *matcher) difference(w *Match, alternatives []held, r *Result, record string) string {
	wants := w.wanted()
	if w.unknown || wants == "" {
		return fmt.Sprintf("the %s that it has to have is not known", short(w.Field))
	}
	for _, h := range alternatives {
		isNamed := func(i int) bool { return m.step() && h.isNamed(&r.fields[i]) }
		if at := slices.IndexFunc(r.records[record], isNamed); at >= 0 {
			f := &r.fields[r.records[record][at]]
			return fmt.Sprintf("its %s is %s, and the request has %s", short(f.member), short(f.text), wants)
		}
	}
	return fmt.Sprintf("its record has no %s, and the request has %s", short(w.Field), wants)
}

// wanted says what a condition asks of a member; empty for what another call gives.
func (w *Match) wanted() string {
	const most = 3 // alternatives
	var out []string
	for _, v := range slices.Concat(w.Is, asValues(w.Contains)) {
		out = append(out, short(v).String())
	}

	parts := []string{strings.Join(out[:min(len(out), most)], " or ")}
	for _, bound := range []struct {
		words string
		value scope.Value
	}{
		{"the beginning", scope.Value(w.Prefix)}, {"the end", scope.Value(w.Ends)},
		{"before", w.Before}, {"after", w.After}, {"below", w.Below}, {"above", w.Above},
	} {
		if bound.value != "" {
			parts = append(parts, bound.words+" "+short(bound.value).String())
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, " and ")
}

// distinguished names values for a message, each with what tells its record from the others.
func (m *matcher) distinguished(all []candidate) string {
	if m.quiet {
		return ""
	}

	const most = 4
	var values []candidate
	for _, v := range all {
		isListed := func(other candidate) bool { return other.text == v.text }
		if !v.missing && len(values) < most && !slices.ContainsFunc(values, isListed) {
			values = append(values, v)
		}
	}

	var out []string
	for _, v := range values {
		text := short(v.text).String()
		if telling := m.telltale(v, values); telling != "" {
			text += " (" + telling + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// telltale returns the first members of the record of a value, without it, that the records of others have otherwise.
func (m *matcher) telltale(v candidate, all []candidate) string {
	const most, longest = 2, 60 // members, bytes of each
	var out []string
	r, fields := m.fieldsOf(v)
	for _, i := range fields {
		f := &r.fields[i]
		isShort := f.text != "" && f.text != v.text && len(f.text) <= longest
		if isShort && !m.isInAll(f, all) {
			out = append(out, fmt.Sprintf("%s %s", f.member, short(f.text)))
		}
		if len(out) == most {
			break
		}
	}
	return strings.Join(out, ", ")
}

// fieldsOf returns the result of a value and the fields of its record; nil for one without a record.
func (m *matcher) fieldsOf(v candidate) (*Result, []int) {
	r, _ := m.recordOf(v)
	if r == nil || !m.work(len(r.records[v.record.pointer])*perStep) {
		return nil, nil
	}
	return r, r.records[v.record.pointer]
}

// isInAll reports whether the records of all values have a member as one of them has it.
func (m *matcher) isInAll(f *field, all []candidate) bool {
	return !slices.ContainsFunc(all, func(v candidate) bool {
		r, fields := m.fieldsOf(v)
		isSame := func(i int) bool { return r.fields[i].name == f.name && r.fields[i].text == f.text }
		return !slices.ContainsFunc(fields, isSame)
	})
}
