package match

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// conditions says why the conditions of an entry don't hold; empty where they do.
func (m *matcher) conditions(e *Call) string {
	for i := range e.If {
		if met, miss := m.some(&e.If[i], false); miss != "" || !met {
			return cond(miss, "no record of "+e.If[i].Tool+" is as the request has it")
		}
	}
	for i := range e.Unless {
		if met, miss := m.some(&e.Unless[i], true); miss != "" || met {
			return cond(miss, "a record of "+e.Unless[i].Tool+" speaks against it")
		}
	}
	return ""
}

// toTell quotes the conditions that only a person can decide.
func toTell(all []string) string {
	var out []string
	for _, text := range all {
		out = append(out, strconv.Quote(display.Clip(display.OneLine(text), maxShownCondition)))
	}
	return strings.Join(out, " and ")
}

// maxShownCondition bounds a condition in a question, in characters.
const maxShownCondition = 200

func cond(miss, otherwise string) string {
	if miss != "" {
		return miss
	}
	return otherwise
}

// some reports whether a record of the latest result of a source meets its conditions, or why
// that is unknown. All results speak against a call: a later one may leave out what an earlier
// one has. What speaks against a call may do so in any line of a text; what it depends on must
// not be in a text where the call can't be taken back.
func (m *matcher) some(s *Source, against bool) (met bool, miss string) {
	m = m.speaking(against)
	called := false
	for i, r := range slices.Backward(m.results) {
		if !m.step() {
			return false, errWork
		}
		if !m.answers(s, r, &Constraint{Pick: scope.All}) {
			if against && m.hasSome(s, r) {
				return true, ""
			}
			continue
		}
		if met, miss := m.someOf(s, r); met || miss != "" || !against {
			return met, miss
		}
		if m.isCutShort(i) {
			return false, m.say("what %s returned last is a part of a listing", s.Tool)
		}
		called = true
	}

	if called {
		return false, ""
	}
	return false, m.say("the request has a condition on %s: %s", s.Tool, m.unanswered([]Source{*s}, &Constraint{Pick: scope.All}))
}

// hasSome reports whether a record of a part of what a source lists meets its conditions: what speaks against a call does so in whatever
// the agent asked for, and only that nothing does needs all of it.
func (m *matcher) hasSome(s *Source, r *Result) bool {
	where, isPart := m.wherePart(s, r)
	return isPart && !slices.ContainsFunc(where, func(w Match) bool { return w.unknown }) && len(m.meeting(where, r)) > 0
}

// wherePart returns the conditions of a source on the records of a result that may be a part of its listing. No argument of the call has
// another value than the source's, and the records have a member for each that the call leaves out.
func (m *matcher) wherePart(s *Source, r *Result) (where []Match, isPart bool) {
	if !r.Covered || !r.structured || r.partial || !isTool(s.Server, s.Tool, r.Server, r.Tool) {
		return nil, false
	}
	isOther := func(a Argument) bool { _, met := m.asConstrained(s, a); return !a.Empty && !met }
	if slices.ContainsFunc(r.Args, isOther) {
		return nil, false
	}

	where, _ = m.where(s, r)
	for i := range s.Args {
		c := &s.Args[i]
		switch {
		case !leftOut(*c, r):
		case !m.canFilter(c, r):
			return nil, false
		default:
			where = append(slices.Clip(where), c.filter())
		}
	}
	return where, true
}

// someOf reports whether a record of a result meets the conditions of a source, or why that is unknown.
func (m *matcher) someOf(s *Source, r *Result) (met bool, miss string) {
	where, _ := m.where(s, r)
	if miss := m.unknown(where); miss != "" {
		return false, miss
	}
	if r.names != nil && !m.irreversible {
		r = r.names
	}
	if miss := m.unreadable(s, r); miss != "" {
		return false, miss
	}

	others := m.others(s, r)
	if m.areAll(others, r) {
		return false, m.say("what %s returned is of something else than it was asked for", s.Tool)
	}
	if len(where) == 0 && !m.against {
		return r.hasAny(), ""
	}
	for record := range m.meeting(where, r) {
		if !m.against && (others[r.home(record)] || (m.irreversible && m.isOutdated(candidate{call: r.Call, record: recordID{r.Call, record}}))) {
			continue
		}
		if !slices.ContainsFunc(r.records[record], func(i int) bool { return !r.fields[i].null }) {
			continue
		}
		if !m.against && m.isForAnother(where, r, record) {
			continue
		}
		if !m.against && m.isContested(where, r) {
			return false, m.say("what %s returned has several records that are called so, and they don't agree on the state that the request names", s.Tool)
		}
		if !m.against && m.isOneOfSeveral(s, where, r) {
			return false, m.say("what %s returned for one thing has several records, and the request names none of them", s.Tool)
		}
		return true, ""
	}
	if m.irreversible && !m.against {
		return false, ""
	}

	all := m.holdAll(where, r)
	if slices.ContainsFunc(m.apart(all, r), func(record string) bool { return m.labelled(all, r, record) }) {
		return true, ""
	}
	if m.against && !m.speaksOf(s.Where, r) {
		return false, m.say("nothing in what %s returned is called as in the condition", s.Tool)
	}
	return false, ""
}

// unreadable says why the records of a result can't be held to conditions; empty where they can.
func (m *matcher) unreadable(s *Source, r *Result) string {
	if !r.structured {
		return m.say("what %s returned has no records that a program can read", s.Tool)
	}
	if r.partial {
		m.tooMuch()
	}
	if r.failed() {
		return m.say("%s returned an error", s.Tool)
	}
	return ""
}

// labelled reports whether lines in the texts of a record and of all in it ("Rating: 4.2") meet
// every condition, where the result has no member of the name. All lines of a name have to, and
// of the names that are alternatives: an attacker who adds a line beside the tool's own makes two
// of that name. Of what speaks against a call, one is enough, and the record's members may meet
// other conditions.
func (m *matcher) labelled(where [][]held, r *Result, record string) bool {
	labels := m.labels(r, record)
	if len(labels.labels) == 0 && !m.against {
		return false // as most records are: the members needn't be looked up for each
	}
	return len(where) > 0 && !slices.ContainsFunc(where, func(any []held) bool { return !m.labelledAs(any, labels, r, record) })
}

func (m *matcher) labelledAs(alternatives []held, labels block, r *Result, record string) bool {
	met, unmet := false, false
	for i := range alternatives {
		want := &alternatives[i]
		if m.against && m.meets(want, r, record) {
			return true
		}
		if !m.against {
			if _, isMember := m.member(r, want.name(), ""); isMember {
				return false
			}
		}
		for _, l := range labels.named(want.name()) {
			accepted := m.work(want.work(len(l.text))) && want.accepts(l.text)
			met, unmet = met || accepted, unmet || !accepted
		}
	}
	return met && (m.against || !unmet)
}

// labels returns the labelled lines of the texts of a record and of all in it.
func (m *matcher) labels(r *Result, record string) block {
	var out block
	of := r.records[record]
	if m.against {
		of = slices.Concat(of, r.nested[record])
	}
	for _, i := range of {
		if f := &r.fields[i]; (m.against || !lexicon().Notes.In(f.key)) && m.work(2*len(f.text)) {
			out.labels = append(out.labels, blockOf(strings.Split(f.text, "\n")).labels...)
		}
	}
	return out
}

// speaksOf reports whether a result has a member or a line for every condition, by one of its
// names, or is empty.
func (m *matcher) speaksOf(where []Match, r *Result) bool {
	if r.empty() {
		return true
	}
	isCalled := func(name []string) bool {
		_, member := m.member(r, name, "")
		named := func(f field) bool { return m.step() && f.namedWithin(name, "") }
		line := func(record string) bool { return len(m.labels(r, record).named(name)) > 0 }
		return member || slices.ContainsFunc(r.fields, named) || slices.ContainsFunc(r.inOrder, line)
	}

	for i := range where {
		speaks := false
		for w := range where[i].each {
			speaks = speaks || isCalled(w.name())
		}
		if !speaks {
			return false
		}
	}
	return true
}

// speaking returns the matcher for what speaks against the call, or doesn't.
func (m *matcher) speaking(against bool) *matcher {
	other := m.mode
	other.against = against
	return m.as(other)
}

// excepted says why a value is among those that a constraint rules out; empty where it
// isn't.
func (m *matcher) excepted(c *Constraint, a Argument) string {
	if len(c.Except) == 0 {
		return ""
	}
	m = m.speaking(true)
	for i := range c.Except {
		s := &c.Except[i]
		find := m.findListed
		if s.By != "" {
			find = m.singledOut
		}
		if miss := find(s, c, a); miss != "" {
			return miss
		}
	}
	if name := m.unfound(c); name != "" {
		return m.say("nothing is called %s, which the request leaves out", short(name))
	}
	return ""
}

// findListed says why a value may be in the listing of a source, all of which is left out; empty where it isn't.
func (m *matcher) findListed(s *Source, c *Constraint, a Argument) string {
	listing, called := Constraint{Pick: scope.All, From: c.From}, false
	for i, r := range m.results {
		if !m.step() {
			return errWork
		}
		if !m.answers(s, r, &listing) && !m.offeredBy(c, s, r) {
			if _, isPart := m.wherePart(s, r); isPart && !s.isLeftOut(r) && m.lists(s, c, a, r) {
				return m.say("%s is in the result of %s, which the request leaves out", short(a.Text), s.Tool)
			}
			continue
		}
		if r.names != nil {
			r = r.names // an element that others add leaves out more
		}
		if miss := m.findSelected(s, c, a, r); miss != "" {
			return miss
		}
		if m.isCutShort(i) {
			return m.say("what %s returned last is a part of a listing", s.Tool)
		}
		called = true
	}

	if !called && !m.leftOutElsewhere(c, s) {
		return m.say("the request leaves out what is in %s: %s", s.Tool, m.unanswered([]Source{*s}, &listing))
	}
	return ""
}

// findSelected says why a value may be among those that a source selects in a result; empty where it isn't.
func (m *matcher) findSelected(s *Source, c *Constraint, a Argument, r *Result) string {
	if miss := m.unreadable(s, r); miss != "" {
		return miss
	}
	where, _ := m.where(s, r)
	if miss := m.unknown(where); miss != "" {
		return miss
	}
	if !m.speaksOf(s.Where, r) {
		return m.say("nothing in what %s returned is called as what the request leaves out", s.Tool)
	}
	if !m.comparable(s, c, a, r) {
		return m.say("not all that %s returned can be compared with %s", s.Tool, short(a.Text))
	}

	if m.lists(s, c, a, r) {
		return m.say("%s is in the result of %s, which the request leaves out", short(a.Text), s.Tool)
	}
	return ""
}

// lists reports whether a value may be among those that a source selects in a result.
func (m *matcher) lists(s *Source, c *Constraint, a Argument, r *Result) bool {
	listing := Constraint{Pick: scope.All, From: c.From}
	return slices.ContainsFunc(m.fields(s, &listing, r, c.idOf(a)), func(v candidate) bool {
		return m.work(len(v.text)) && (same(v.text, a.Text, false) || mayBe(v.text, a.Text) || isAmong(a.Text, v.text))
	})
}

// offeredBy reports whether a result is one that the values of a constraint come from, by a source
// with the same call as what is left out: the record that offers an id says whether it is left
// out, however the listing was narrowed. Another record of the same name may say otherwise.
func (m *matcher) offeredBy(c *Constraint, s *Source, r *Result) bool {
	if c.Kind != scope.ID {
		return false
	}
	m = m.speaking(false) // as where the values come from
	return slices.ContainsFunc(c.From, func(f Source) bool { return f.callKey() == s.callKey() && f.sameField(s) && m.answers(&f, r, c) })
}

// leftOutElsewhere reports whether another source, whose call was made, leaves out of a constraint what this one leaves out. The agent went
// one of two ways to the values, or the records that offer them have the member under its full name (propertyName, for the name in a list of
// properties). For what can be taken back, nobody has to open each of the things to read there what their list says.
func (m *matcher) leftOutElsewhere(c *Constraint, s *Source) bool {
	isWay := func(of *Source) bool {
		return slices.ContainsFunc(c.From, func(f Source) bool { return f.callKey() == of.callKey() })
	}
	return slices.ContainsFunc(c.Except, func(other Source) bool {
		if !isWay(&other) || !other.sameField(s) {
			return false
		}
		isOpened := !m.irreversible && listsThings(s.Tool, other.Tool)
		alike := (isWay(s) || isOpened) && fmt.Sprintf("%+v", other.Where) == fmt.Sprintf("%+v", s.Where)
		return slices.ContainsFunc(m.results, func(r *Result) bool {
			saysSo := alike || (m.work(len(r.members)) && s.saysInFull(&other, r))
			return saysSo && (m.answers(&other, r, &Constraint{Pick: scope.All}) || m.offeredBy(c, &other, r))
		})
	})
}

// listsThings reports whether two tools look up the same things, as get_lot and search_lots do.
func listsThings(a, b string) bool {
	return len(thingsOf(a)) > 0 && isListingOf(b, thingsOf(a))
}

// saysInFull reports whether the conditions of a source are those of another one on the names of its things, which all records of a result
// have in full.
func (s *Source) saysInFull(full *Source, r *Result) bool {
	things := thingsOf(s.Tool)
	if len(things) == 0 || len(s.Where) == 0 || len(s.Where) != len(full.Where) || r.level == nil {
		return false
	}
	for i := range s.Where {
		w, other := s.Where[i], full.Where[i]
		name := slices.Concat(things, w.name())
		isInFull := slices.EqualFunc(name, other.name(), sameWord) && r.level.members[strings.Join(other.name(), " ")]
		w.Field, w.words = other.Field, other.words
		if !isInFull || fmt.Sprintf("%+v", w) != fmt.Sprintf("%+v", other) {
			return false
		}
	}
	return true
}

// callKey identifies the call of a source.
func (s *Source) callKey() string { return fmt.Sprintf("%q %q %+v", s.Server, s.Tool, s.Args) }

// unchanged accepts a value that the object of the call has already: the latest record of
// its server with the object's id has a member of the argument's name with that value.
func (m *matcher) unchanged(p *Proposal, a Argument) (Grant, string) {
	r, records := m.objectNow(p, a.Pointer)
	if r == nil {
		return Grant{}, "nothing says what it is now"
	}
	name := argumentName(a.Pointer)
	place, known := m.lookedIn(r, name)
	if known && place == a.Text && !m.hasOwn(r, name) {
		return Grant{Way: WayUnchanged, Call: r.Call}, ""
	}

	isNamed, _ := m.member(r, name, "")
	for _, record := range records {
		var now []string
		for _, i := range r.records[record] {
			if f := &r.fields[i]; isNamed(f) && !f.null {
				now = append(now, f.text)
			}
		}
		has := slices.ContainsFunc(now, a.isStill)
		if !has || !m.isWholeList(p, &a, now) {
			return Grant{}, m.say("%s is not what %s has already", short(a.Text), r.Tool)
		}
	}
	return Grant{Way: WayUnchanged, Call: r.Call}, ""
}

// isStill reports whether an argument is what its object has already: as it is written, but for numbers and times.
func (a *Argument) isStill(text string) bool {
	_, isNumber := number(text)
	return a.is(text, a.authority() || !(isNumber || isMoment(text)))
}

// isWholeList reports whether a list of which an argument is an element has each text as often as a record.
func (m *matcher) isWholeList(p *Proposal, a *Argument, now []string) bool {
	list, isElement := listAround(a.Pointer)
	if !isElement {
		return true
	}
	left := slices.Clone(now)
	for i := range p.Args {
		other := &p.Args[i]
		if of, is := listAround(other.Pointer); !is || of != list || other.Empty {
			continue
		}
		found := slices.IndexFunc(left, func(text string) bool { return m.step() && other.isStill(text) })
		if found < 0 {
			return false
		}
		left = slices.Delete(left, found, found+1)
	}
	return len(left) == 0
}

// listAround returns the pointer of the list that an argument is an element of.
func listAround(pointer string) (list string, ok bool) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 || !strictjson.IsIndex(pointer[at+1:]) {
		return "", false
	}
	return pointer[:at], true
}

// objectNow returns the latest result that has the object of a call, and its records there; nil where none has it.
func (m *matcher) objectNow(p *Proposal, pointer string) (*Result, []string) {
	for _, r := range slices.Backward(m.results) {
		isTold := r.Read || lexicon().Creating.In(words(r.Tool)) // what a call made, its service says
		tells := r.Covered && isTold && r.structured && r.Server == p.Server
		if !tells || !m.work(len(r.fields)*perStep) {
			continue
		}
		if records := m.about(r, p, pointer); len(records) > 0 {
			return r, records
		}
	}
	return nil, nil
}

// about returns the records that are the object of a call: they have a value of it under
// the same name, which is not the argument in question. What others share says nothing where the value of another
// argument is that of fewer of them: the room, of the meetings in it.
func (m *matcher) about(r *Result, p *Proposal, pointer string) []string {
	var sets []selection
	for _, a := range p.Args {
		tells := a.Role == label.Selector || a.authority()
		if !tells || a.Empty || a.Pointer == pointer {
			continue
		}
		isNamed, _ := m.member(r, argumentName(a.Pointer), "")
		of := selection{}
		for i := range r.fields {
			f := &r.fields[i]
			if isNamed(f) && !f.null && f.text == a.Text && r.outermost(f.record) && isAbout(r, p, a.Pointer, f) {
				of[f.record] = true
			}
		}
		if len(of) > 0 {
			sets = append(sets, of)
		}
	}

	all := selection{}
	for _, of := range sets {
		if isShared := slices.ContainsFunc(sets, of.isMoreThan); !isShared {
			maps.Copy(all, of)
		}
	}
	return slices.DeleteFunc(slices.Clone(r.inOrder), func(record string) bool { return !all[record] })
}

// isMoreThan reports whether a selection has all records of another one, and more.
func (s selection) isMoreThan(other selection) bool {
	for record := range other {
		if !s[record] {
			return false
		}
	}
	return len(s) > len(other)
}

// isAbout reports whether a result is about the same kind of thing as a call, so that an id
// in it is that of the object: its tool is called after the same thing, or the member has the
// whole name of an argument that says whose id it is. The comment 7 is not the invoice 7.
func isAbout(r *Result, p *Proposal, pointer string, f *field) bool {
	name := argumentName(pointer)
	bare := !slices.ContainsFunc(name, func(w string) bool { return qualifiers[w] == "" && thing(w) != thing("id") })
	if !bare && f.name == strings.Join(name, " ") {
		return true
	}
	of := words(p.Tool)
	return slices.ContainsFunc(words(r.Tool), func(w string) bool {
		return telling(w) && slices.ContainsFunc(of, func(o string) bool { return thing(o) == thing(w) })
	})
}

// argumentName returns the words of an argument's name.
func argumentName(pointer string) []string {
	_, name := split(strings.ReplaceAll(pointer, "/*", "/0"))
	return words(name)
}

// onDay accepts a moment of one of the days.
func (m *matcher) onDay(days []scope.Value, a Argument) (Grant, string) {
	zone := m.proposal.zone()
	if slices.ContainsFunc(days, func(day scope.Value) bool { return isOnDay(day, strings.TrimSpace(a.Text), zone, false) }) {
		return Grant{Way: WayIs}, ""
	}
	return Grant{}, m.say("%s is not on %s", short(a.Text), days[0])
}
