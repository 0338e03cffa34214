package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// held is a condition on one field as a result is held to it.
type held struct {
	*Match
	isNamed func(*field) bool
	own     bool // only the outermost records may meet it, by members of their own
	// lists are those with a record that has the member, so that it is missing in others, and filled those where it has a value; nil
	// where a missing member doesn't matter.
	lists, filled map[string]bool
	// mixed reports whether the numbers that it bounds are in several units, and said are those that the user gave the bound in.
	mixed bool
	said  []unit
	spelt *spellings // how the records that meet it write its names
}

// holdAll holds a result to conditions, each on one of its fields.
func (m *matcher) holdAll(where []Match, r *Result) [][]held {
	all := make([][]held, 0, len(where))
	for i := range where {
		if len(where[i].Or) == 0 {
			all = append(all, []held{m.hold(&where[i], r)})
			continue
		}
		var alternatives []held
		for w := range where[i].each {
			alternatives = append(alternatives, m.hold(w, r))
		}
		all = append(all, m.timely(alternatives, r))
	}
	return all
}

// wraps reports whether a record only wraps a list whose elements each have all that several conditions against a call are on. Each element
// is held to them by itself. What two elements have together, the record around them doesn't have.
func (m *matcher) wraps(all [][]held, r *Result, record string) bool {
	if !m.against || len(all) < 2 || !m.work(2*len(all)*len(r.fields)*perStep) {
		return false
	}
	list, has := "", map[string]int{}
	for _, alternatives := range all {
		isOwn := func(f *field) bool {
			return slices.ContainsFunc(alternatives, func(h held) bool { return h.isNamed(f) })
		}
		isNamed := func(f *field) bool {
			return isOwn(f) || slices.ContainsFunc(alternatives, func(h held) bool { return f.namedWithin(h.name(), record) })
		}
		if slices.ContainsFunc(r.records[record], func(i int) bool { return isNamed(&r.fields[i]) }) {
			return false
		}

		seen := map[string]bool{}
		for _, i := range r.nested[record] {
			f := &r.fields[i]
			of, element := elementIn(record, f.record)
			if isNamed(f) && (element == "" || (list != "" && of != list)) {
				return false
			}
			if isNamed(f) {
				list = of
			}
			if isOwn(f) && f.record == element && !seen[element] {
				seen[element] = true
				has[element]++
			}
		}
	}

	other := func(i int) bool {
		of, element := elementIn(record, r.fields[i].record)
		return of == list && has[element] < len(all)
	}
	return list != "" && !slices.ContainsFunc(r.nested[record], other)
}

// apart returns the outermost records, and for one that only wraps others those.
func (m *matcher) apart(all [][]held, r *Result) []string {
	var out, wrapping []string
	for _, record := range r.inOrder {
		switch {
		case !r.outermost(record):
		case m.wraps(all, r, record):
			wrapping = append(wrapping, record)
		default:
			out = append(out, record)
		}
	}

	for _, record := range r.inOrder {
		isIn := func(around string) bool {
			_, place := elementIn(around, record)
			return place == record && record != around
		}
		if slices.ContainsFunc(wrapping, func(around string) bool { return strings.HasPrefix(record, around) && isIn(around) }) {
			out = append(out, record)
		}
	}
	return out
}

// elementIn returns the list in a record that an inner record is in, and the list's element; empty where
// it is in none.
func elementIn(record, inner string) (list, place string) {
	rest := inner[len(record):]
	for at := strings.IndexByte(rest, '/'); at >= 0; {
		end := at + 1
		for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
			end++
		}
		if isIndex := end > at+1 && (end == len(rest) || rest[end] == '/'); isIndex {
			return inner[:len(record)+at], inner[:len(record)+end]
		}
		next := strings.IndexByte(rest[end:], '/')
		if next < 0 {
			break
		}
		at = end + next
	}
	return "", ""
}

// timely leaves out of alternative members for a bound in time those that hold small numbers alone,
// where another one holds times: the days of a leave are none of its first and last day.
func (m *matcher) timely(alternatives []held, r *Result) []held {
	if len(alternatives) < 2 || !m.work(len(alternatives)*len(r.fields)*perStep) {
		return alternatives
	}
	isCount := func(text string) bool { n, err := whole(text); return err == nil && n >= 0 && n < maxCount }

	bounded := func(h held) bool { return isMoment(string(h.Before)) || isMoment(string(h.After)) }
	timed := func(h held) bool { return bounded(h) && h.holdsOnly(r, isMoment) }
	if !slices.ContainsFunc(alternatives, timed) {
		return alternatives
	}
	return slices.DeleteFunc(alternatives, func(h held) bool { return h.holdsOnly(r, isCount) })
}

// maxCount is more than any count of days or hours: a larger number may be a time.
const maxCount = 1000

// holdsOnly reports whether a condition is on members with texts of a form, and no others.
func (h *held) holdsOnly(r *Result, is func(text string) bool) bool {
	other := func(f field) bool { return h.isNamed(&f) && (f.null || !is(f.text)) }
	return slices.ContainsFunc(r.fields, func(f field) bool { return h.isNamed(&f) }) && !slices.ContainsFunc(r.fields, other)
}

// hold holds a result to a condition on one field.
func (m *matcher) hold(w *Match, r *Result) held {
	is, own := m.condition(w, r)
	h := held{Match: w, isNamed: is, own: own, mixed: m.inSeveralUnits(w, r, is), said: m.unitsOf(w), spelt: &spellings{}}
	if !(w.ofMissing() || w.mayLack()) || !m.work(2*len(r.fields)*perStep) {
		return h
	}

	h.lists, h.filled = map[string]bool{}, map[string]bool{}
	for i := range r.fields {
		if f := &r.fields[i]; is(f) {
			list := r.listOf(f.record)
			h.lists[list] = true
			h.filled[list] = h.filled[list] || strings.TrimSpace(f.text) != ""
		}
	}
	for _, record := range r.inOrder {
		if r.outermost(record) && m.hasObject(r, record, w.name()) {
			h.lists[r.listOf(record)] = true
		}
	}
	return h
}

// inSeveralUnits reports whether the numbers that a condition bounds are in different currencies or units: 900 ml
// is less than 1 l.
func (m *matcher) inSeveralUnits(w *Match, r *Result, is func(*field) bool) bool {
	if !w.boundsNumber() || !m.work(len(r.fields)*perStep) {
		return false
	}
	isOuter := func(f field) bool { return is(&f) && r.outermost(f.record) }
	outer := !m.against && slices.ContainsFunc(r.fields, isOuter) // the elements in a record meet no condition on what it has itself
	unit, known := "", false
	for i := range r.fields {
		f := &r.fields[i]
		if !is(f) || f.null || (outer && !r.outermost(f.record)) || !m.work(len(r.records[f.record])*perStep) {
			continue
		}
		of := r.beside(f.record, f.isMeasuredBy)
		if known && of != unit {
			return true
		}
		unit, known = of, true
	}
	return false
}

// acceptsField reports whether a field meets a condition on one side of a number in every way that it
// may be read, or for what speaks against a call in one.
func (m *matcher) acceptsField(want *held, r *Result, f *field) bool {
	accepted := want.accepts(f.text) || m.isSwitchedOn(want, f)
	if accepted && m.irreversible && !m.against && (m.deviates(want, r, f) || want.isOtherNumber(f)) {
		return false
	}
	bounded := (m.irreversible || m.against) && want.boundsNumber()
	if bounded && (m.isFaulty(r, f) || !(m.work(len(r.records[f.record])*perStep) && want.isInUnits(r, f))) {
		return m.against
	}

	if f.numeric || !want.boundsNumber() {
		return accepted
	}
	switch other := ungrouped(f.text); {
	case other == "":
		return accepted
	case want.against:
		return accepted || want.inBounds(other)
	default:
		return accepted && want.inBounds(other)
	}
}

// isOtherNumber reports whether a text is a number that a condition states in another form: the section 2.10 is not 2.1.
func (w *Match) isOtherNumber(f *field) bool {
	_, isNumber := number(strings.TrimSpace(f.text))
	return isNumber && !f.numeric && w.Is != nil && !slices.Contains(w.Is, scope.Value(strings.TrimSpace(f.text)))
}

// ofEmpty reports whether an empty member meets a condition. What another call gives is never
// empty.
func (w *Match) ofEmpty() bool { return slices.Contains(w.Is, "") && w.From == nil }

// ofMissing reports whether a record without the member may meet a condition. It does so as an empty one. It may where a bound or a name
// speaks against a call: what is missing may be on either side, and anybody's.
func (w *Match) ofMissing() bool { return w.ofEmpty() || (w.against && w.bounded()) || w.isOnName() }

func (w *Match) bounded() bool { return w.Before != "" || w.After != "" || w.boundsNumber() }

// boundsNumber reports whether a condition is on one side of a number.
func (w *Match) boundsNumber() bool { return w.Below != "" || w.Above != "" }

// meets reports whether a record meets a condition, by its own fields, or where it may have no
// such member, by those of the records in it.
func (m *matcher) meets(want *held, r *Result, record string) bool {
	return m.meetsAt(want, r, record, r.records[record], r.outermost(record))
}

// meetsAt does what meets does for a record whose own fields are known, and whether it is in no other.
func (m *matcher) meetsAt(want *held, r *Result, record string, fields []int, outermost bool) bool {
	if want.own && !outermost {
		return false
	}
	met, blank, has := m.among(want, r, fields, want.isNamed)
	if !has && !want.own {
		named := (*field).namedWithin
		if !m.against {
			named = (*field).listedAs
		}
		met, blank, has = m.among(want, r, r.nested[record], func(f *field) bool { return named(f, want.name(), record) })
	}
	if !met && ((want.isOnName() && m.mayBeNamed(want, r, record)) || m.mayBeCoded(want, r, record) || m.isDuring(want, r, record)) {
		return true
	}
	if has && !blank {
		return met || m.isEmptyIn(want, r, record)
	}

	missing := want.lists[r.listOf(record)] && (m.against || outermost) && r.isRecord(record)
	switch {
	case !has && !missing:
		return false
	case m.against:
		return want.bounded() || !(m.hasObject(r, record, want.name()) || m.hasName(want, r, record))
	}
	return !m.mayHave(want, r, record) && !(m.irreversible && m.saysApart(want, r, record))
}

// saysApart reports whether a record that lacks a member has another one instead, which no record with the member has: who has "answered" and
// no "rsvp" may have answered.
func (m *matcher) saysApart(want *held, r *Result, record string) bool {
	if !want.ofEmpty() || !m.work(2*len(r.fields)*perStep) {
		return want.ofEmpty()
	}
	having, usual := map[string]bool{}, map[string]bool{}
	for i := range r.fields {
		if f := &r.fields[i]; want.isNamed(f) {
			having[f.record] = true
		}
	}
	for i := range r.fields {
		if f := &r.fields[i]; having[f.record] {
			usual[f.name] = true
		}
	}
	return len(having) > 0 && slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return strings.TrimSpace(f.text) != "" && !usual[f.name]
	})
}

// among reports whether fields of a name meet a condition, and whether there are any. Of a list one
// element is enough, but an empty one is not an empty list: blank is set where all are empty and
// the condition is met by that.
func (m *matcher) among(want *held, r *Result, fields []int, isNamed func(*field) bool) (met, blank, has bool) {
	full := false
	var few [4]int
	named := few[:0]
	for _, i := range fields {
		if isNamed(&r.fields[i]) {
			named = append(named, i)
		}
	}
	if !m.against {
		m.steps -= len(fields)
		if r.collide(named) {
			return false, false, true
		}
	}

	for _, i := range named {
		f := &r.fields[i]
		if !m.work(want.work(len(f.text))) {
			continue
		}
		has = true
		empty, accepted := strings.TrimSpace(f.text) == "", m.acceptsField(want, r, f) || (m.against && want.mayCover(f.text))
		if accepted && (!empty || m.against) {
			want.spelt.note(want.Match, f.text)
			return true, false, true
		}
		blank, full = blank || accepted, full || !empty
	}
	return false, blank && !full, has
}

// collide reports whether fields are of two members that only signs, case or invisible characters
// tell apart: one of them may be a key that others chose.
func (r *Result) collide(fields []int) bool {
	if len(fields) < 2 {
		return false // as most records have it
	}
	type place struct{ record, name string }
	first := map[place]*field{}
	return slices.ContainsFunc(fields, func(i int) bool {
		f := &r.fields[i]
		before, known := first[place{f.record, f.name}]
		if !known {
			first[place{f.record, f.name}] = f
		}
		return known && before.member != f.member && len(before.part) == len(f.part)
	})
}

// hasObject reports whether a record has an object or a list with a value, of exactly the name of a
// description.
func (m *matcher) hasObject(r *Result, record string, description []string) bool {
	name := m.head(r, description)
	begins := func(all []string) bool {
		return len(all) >= len(name) && slices.EqualFunc(all[:len(name)], name, sameWord)
	}
	own := func(i int) bool { return r.fields[i].text != "" && begins(r.fields[i].part) }
	within := func(i int) bool {
		member, _ := next(strings.TrimPrefix(r.fields[i].record, record))
		words := words(strictjson.UnescapeToken(member))
		return r.fields[i].text != "" && len(words) == len(name) && begins(words)
	}
	all := len(r.records[record]) + len(r.nested[record])
	return len(name) > 0 && m.work(all*perStep) && (slices.ContainsFunc(r.records[record], own) || slices.ContainsFunc(r.nested[record], within))
}

// mayHave reports whether a record has a value under a name that a condition on an empty member may
// mean, or in an object or a list of such a name: the member isn't missing then.
func (m *matcher) mayHave(want *held, r *Result, record string) bool {
	name := m.head(r, want.name())
	within := func(i int) bool { return r.fields[i].text != "" && r.fields[i].namedWithin(name, record) }
	own := func(i int) bool {
		f := &r.fields[i]
		return f.text != "" && (names(name, f.part) || (len(name) > 0 && nearly(name, strings.Fields(f.name))))
	}
	all := len(r.records[record]) + len(r.nested[record])
	return !m.work(all*perStep) || slices.ContainsFunc(r.nested[record], within) || slices.ContainsFunc(r.records[record], own)
}
