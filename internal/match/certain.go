package match

import (
	"math/big"
	"slices"
	"strings"
)

// What can't be taken back relies on a guess at a member's name only where the guess can't be
// steered, and can't be about something else: the words say the same thing, or the values leave
// no other choice.

// condition returns a predicate for the members that a condition is on, and whether only the
// outermost records may meet it. For what can't be taken back, a record in another one, which
// others may have added, counts only where no record around it has such a member: an attachment
// with the title doesn't give it to the record. What speaks against a call may do so under any
// name.
func (m *matcher) condition(w *Match, r *Result) (named func(*field) bool, outermost bool) {
	exact := func() func(*field) bool {
		is, _ := m.memberOf(r, w.name(), "", "", !m.irreversible)
		return is
	}
	level := r.level
	if level == nil || r.values || !m.work(len(r.inOrder)) {
		return exact(), false
	}
	if w.From != nil && !m.against {
		return m.joinedMember(w, level)
	}
	if !m.irreversible {
		named, found := m.memberOf(level, w.name(), "", "", false)
		if found && !m.against {
			return named, true
		}
		return exact(), false
	}

	named, found := m.memberOf(level, w.name(), "", "", false)
	meant := ""
	if !found && !m.isTimeOfList(w, r) {
		meant = m.surely(w, level)
	}
	if meant != "" {
		named, found = func(f *field) bool { return f.name == meant }, true
	}
	if m.against {
		sure, is, guess := named, exact(), m.near(r, w.name(), "", "")
		return func(f *field) bool { return sure(f) || is(f) || (guess != "" && f.name == guess) }, false
	}
	if found {
		return named, true
	}
	return exact(), false
}

// isTimeOfList reports whether a condition is on a time that the records of a list have under just its name, in a result for one thing: the
// times of a table's free hours are not the day that they are of.
func (m *matcher) isTimeOfList(w *Match, r *Result) bool {
	name := strings.Join(w.name(), " ")
	return w.timed() && !m.against && len(r.level.inOrder) == 1 && r.members[name] && r.parts[name] == 0 && m.everywhere(r, name)
}

// outside returns a result with the members of its outermost records alone, and notes which
// records these are.
func (r *Result) outside() *Result {
	out := *r
	out.members, out.inOrder = map[string]bool{}, nil
	outer := map[string]bool{}
	for _, record := range r.inOrder {
		if !r.outermost(record) {
			continue
		}
		outer[record] = true
		out.inOrder = append(out.inOrder, record)
		for _, i := range r.records[record] {
			out.members[r.fields[i].name] = true
		}
	}
	r.outer, out.outer = outer, outer
	r.setPlaces()
	out.setPlaces()
	return &out
}

// surely returns the member of the outermost records that a condition under another name is on;
// empty where that isn't sure. A condition in the user's words is on the only member whose name
// says the same, as "assignee" does for assigneeName, and one on a time on the only member that
// holds times. A name that only says what kind of value it has may be that of anything.
func (m *matcher) surely(w *Match, level *Result) string {
	if w.timed() {
		at := m.timeOf(meaningOf(m.head(level, w.name())), level)
		if at != "" || w.Is == nil {
			return at
		}
	}
	want := meaningOf(m.head(level, w.name()))
	if want.bare && want.kinds[0] == "name" && (m.statedMatch(*w) || m.statedWords(*w)) {
		return cond(m.thingOf(level), m.titleOf(level))
	}
	if want.bare || !m.statedMatch(*w) {
		return ""
	}

	found := ""
	for name := range level.members {
		have := meaningOf(strings.Fields(name))
		says := !have.bare && slices.Equal(want.of, have.of) && !want.contradicts(have)
		if !says || m.strangers(name) || !m.guessable(level, name) || !m.everywhere(level, name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// thingOf returns the only member that is called as the things that a result lists, by its tool's
// name, and so holds what they are called: the driver of a list of drivers. A text that others
// write, such as a comment in a list of comments, is not a name.
func (m *matcher) thingOf(level *Result) string {
	return m.onlyMember(level, func(name string) bool {
		member := strings.Fields(name)
		return len(member) == 1 && level.lists(member) && !lexicon().Bodies.In(member) && !lexicon().Notes.In(member) && !m.strangers(name)
	})
}

// onlyMember returns the only member so called that may be guessed at and that every record has; empty where there is none, or several.
func (m *matcher) onlyMember(r *Result, is func(name string) bool) string {
	found := ""
	for name := range r.members {
		if !m.step() || !is(name) || !m.guessable(r, name) || !m.everywhere(r, name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// titleOf returns the only member of the outermost records that is a title, which is the name of what has no other.
func (m *matcher) titleOf(level *Result) string {
	for name := range level.members {
		of := meaningOf(strings.Fields(name)).of
		if len(of) > 0 && lexicon().People.Has(of[len(of)-1]) {
			return "" // who it is of may be meant
		}
	}
	return m.onlyMember(level, func(name string) bool { return lexicon().Titles.Has(name) })
}

// timed reports whether a condition is about a time alone.
func (w *Match) timed() bool {
	if w.days {
		return true
	}
	bounded := w.Before != "" || w.After != ""
	return bounded && w.Is == nil && w.Prefix+w.Ends == "" && w.Contains == nil && w.Below+w.Above == ""
}

// timeOf returns the only member of the outermost records whose values are times, all of them;
// of a start and an end, that which a name means. The earlier one is the start, whatever they are
// called: who arrives and leaves has a start and an end, and who departs and arrives as well.
func (m *matcher) timeOf(want meaning, level *Result) string {
	times := m.times(level)
	if at := m.timeCalled(want, times); at != "" {
		return at
	}
	one := len(want.of) == 1
	from := one && (want.of[0] == "start" || want.of[0] == thing("from")) // a stay is from a day
	to := one && (want.of[0] == "end" || want.of[0] == "until")
	anyTime := want.bare && want.kinds[0] == "time"

	switch {
	case len(times) == 1 && anyTime:
		for name := range times {
			return name
		}
	case len(times) == 2 && (anyTime || from || to):
		return span(times, to)
	}
	return ""
}

// timeCalled returns the only one of some times whose name says the same as another one.
func (m *matcher) timeCalled(want meaning, times map[string][]*big.Rat) string {
	found := ""
	for name := range times {
		have := meaningOf(strings.Fields(name))
		says := !have.bare && !want.bare && slices.Equal(want.of, have.of) && !want.contradicts(have)
		if !says || m.strangers(name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// times returns the members of the outermost records that are called as times and hold nothing
// else, each with its values in the order of the records. A member with a time in some records
// and not in others makes it unsure.
func (m *matcher) times(level *Result) map[string][]*big.Rat {
	all, others := map[string][]*big.Rat{}, map[string]bool{}
	for _, record := range level.inOrder {
		for _, i := range level.records[record] {
			f := &level.fields[i]
			if !m.work(len(f.text)) {
				return nil
			}
			if !nearly([]string{"time"}, f.key) {
				continue
			}
			if isMoment(f.text) {
				all[f.name] = append(all[f.name], quantity(f.text))
			} else {
				others[f.name] = true
			}
		}
	}

	for name, values := range all {
		if others[name] || len(values) != len(level.inOrder) {
			return nil
		}
	}
	return all
}

// span returns the start or the end of two members that are called so; empty where the records
// don't agree which one is earlier.
func span(times map[string][]*big.Rat, end bool) string {
	var names []string
	for name := range times {
		if of := meaningOf(strings.Fields(name)).of; len(of) == 1 && (of[0] == "start" || of[0] == "end") {
			names = append(names, name)
		}
	}
	if len(names) != 2 || meaningOf(strings.Fields(names[0])).of[0] == meaningOf(strings.Fields(names[1])).of[0] {
		return ""
	}

	earlier, later := names[0], names[1]
	if times[earlier][0].Cmp(times[later][0]) > 0 {
		earlier, later = later, earlier
	}
	for i, at := range times[earlier] {
		if at.Cmp(times[later][i]) >= 0 {
			return ""
		}
	}
	if end {
		return later
	}
	return earlier
}

// ownNumber reports whether a member is the number that a service gives to the things that a result lists. It is called as the argument that
// takes it, each record begins with it, and no two records have the same. The name alone doesn't tell: strangers fill members of that name
// too.
func (m *matcher) ownNumber(r *Result, name, argument string) bool {
	member := strings.Fields(name)
	if argument == "" || len(member) < 2 || !lexicon().Filled.In(member[len(member)-1:]) || !m.work(len(r.fields)*perStep) {
		return false
	}
	thing := meaningOf(argumentName(argument)).of
	if n := len(thing); n > 1 && thing[n-1] == "id" {
		thing = thing[:n-1]
	}
	if !slices.Equal(thing, meaningOf(member[:len(member)-1]).of) {
		return false
	}

	seen := map[string]bool{}
	for _, record := range r.inOrder {
		first := &r.fields[r.records[record][0]]
		if first.name != name {
			if r.outermost(record) && r.isRecord(record) {
				return false
			}
			continue
		}
		oneWord := first.text != "" && len(first.text) <= maxNumber && !strings.ContainsAny(first.text, " \t\n")
		if !r.outermost(record) || !oneWord || seen[first.text] {
			return false
		}
		seen[first.text] = true
	}
	return len(seen) > 0
}

// maxNumber bounds the number or the code of a thing, in bytes.
const maxNumber = 64
