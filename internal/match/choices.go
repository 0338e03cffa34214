package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Arguments that an entry takes from one source belong to one record: whom a payment goes to and how
// much it is are of the same bill. Only the scope itself says that several records are meant, and a
// program finds each of them: "from the fullest station to the emptiest", "the two cheapest".

// binding identifies the record that a value is of: by the name that the scope has for it, or by the
// sources, and where an entry takes several of these, by the choice or by the element of the call's list.
type binding struct{ of, choice string }

// boundRecords are records by what binds values to them. Most calls have one binding, which needs no table.
type boundRecords struct {
	first   binding
	ofFirst []recordID
	isSet   bool
	others  map[binding][]recordID
}

func (b *boundRecords) of(key binding) (records []recordID, bound bool) {
	if b.isSet && b.first == key {
		return b.ofFirst, true
	}
	records, bound = b.others[key]
	return records, bound
}

func (b *boundRecords) count(key binding) int {
	records, _ := b.of(key)
	return len(records)
}

func (b *boundRecords) set(key binding, records []recordID) {
	switch {
	case !b.isSet || b.first == key:
		b.first, b.ofFirst, b.isSet = key, records, true
	case b.others == nil:
		b.others = map[binding][]recordID{key: records}
	default:
		b.others[key] = records
	}
}

// all yields each binding with its records.
func (b *boundRecords) all(yield func(binding, []recordID) bool) {
	if b.isSet && !yield(b.first, b.ofFirst) {
		return
	}
	for key, records := range b.others {
		if !yield(key, records) {
			return
		}
	}
}

// bind holds a value to the record of those that belong to it, and says why it is of another one;
// empty where it isn't. A list may have values of all records of a source, and each element those of one.
func (m *matcher) bind(c *Constraint, a Argument, o offers, hits []candidate) (miss string) {
	if m.isFree(c, a) {
		return ""
	}
	records := make([]recordID, 0, len(hits))
	for _, h := range hits {
		if h.record == (recordID{}) {
			return ""
		}
		records = append(records, h.record)
	}

	key := binding{of: c.Record}
	if key.of == "" {
		key.of, key.choice = c.key(), m.in.choiceOf(c, a)
	}
	isPlace := key.choice == a.Pointer || (key.choice != "" && key.choice == elementOf(a.Pointer))
	unchecked := key.choice != "" && c.Pick != scope.All && o.several(Argument{Role: label.Selector}) && m.extremes(c, o) == nil
	switch {
	case unchecked && isPlace:
		key.choice = ""
	case unchecked:
		return m.say("which of %s is meant (%s) can't be checked", from(c.From), c.By)
	case key.choice == a.Pointer && key.choice != elementOf(a.Pointer) && m.isBound(key.of, records):
		return m.say("%s is in the call twice", short(a.Text))
	}

	before, bound := m.bound.of(key)
	if bound {
		now := map[recordID]bool{}
		for _, r := range records {
			now[r] = true
		}
		records = slices.DeleteFunc(slices.Clone(before), func(r recordID) bool { return !now[r] })
	}
	m.bound.set(key, records)
	if isPlace && m.elements == nil {
		m.elements = map[binding]string{}
	}
	if isPlace {
		m.elements[key] += strconv.Quote(hits[0].text)
	}
	return ""
}

// isFree reports whether a value of a list in an element of another list is of any record: the entry takes nothing
// else from its sources that it could be mixed with.
func (m *matcher) isFree(c *Constraint, a Argument) bool {
	inner := elementOf(strings.TrimPrefix(a.Pointer, elementOf(a.Pointer))) != ""
	return inner && c.Pick == scope.All && c.Record == "" && len(m.in.takenFrom(c.key())) == 1
}

// isRepeated reports whether a list of the call has the same values of a source in more elements than there are
// records with them: of all bills each is paid once.
func (m *matcher) isRepeated() bool {
	type values struct{ of, list, texts string }
	times := map[values]int{}
	for key, texts := range m.elements {
		list, _ := elementIn("", key.choice)
		v := values{key.of, list, texts}
		if times[v]++; times[v] > m.bound.count(key) {
			return true
		}
	}
	return false
}

// elementOf returns the element of a list that an argument is in; empty where it is in none.
func elementOf(pointer string) string {
	_, place := elementIn("", pointer)
	return place
}

// boundTo returns the records of a source that other values of the call are of: in a list those of the same
// element, where there are some.
func (m *matcher) boundTo(source []Source) (records []recordID, bound bool) {
	key := binding{of: sourcesKey(source), choice: m.element}
	if records, bound = m.bound.of(key); bound {
		return records, true
	}
	records, bound = m.bound.of(binding{of: key.of})
	return records, bound
}

// isBound reports whether a choice of the same sources is of one of some records already.
func (m *matcher) isBound(of string, records []recordID) bool {
	for key, before := range m.bound.all {
		if key.of == of && slices.ContainsFunc(records, func(r recordID) bool { return slices.Contains(before, r) }) {
			return true
		}
	}
	return false
}

// key identifies the sources of a constraint, without their fields.
func (c *Constraint) key() string {
	if c.sources != "" {
		return c.sources
	}
	return sourcesKey(c.From)
}

// choiceOf names the choice that a value is of, where an entry takes nothing from its sources but
// choices of several records; empty where one record is meant. Criteria that exclude each other mean
// several where they choose the same member: of "the newest" and "the latest" nothing says so, nor of
// the account of one bill and the amount of another. What one criterion means several of is told
// apart by its place in the call, and has no other member, or in a list by its element. So are all values of a
// source in a list.
func (e *Call) choiceOf(c *Constraint, a Argument) string {
	if c.Pick == scope.All {
		return elementOf(a.Pointer)
	}
	own, ok := c.positions()
	if !ok {
		return ""
	}
	list, place := elementIn("", a.Pointer)
	batch := list != ""
	shared := map[positions]bool{} // whether a choice by another criterion has a member of this one's
	for _, other := range e.takenFrom(c.key()) {
		by, ok := other.positions()
		batch = batch && list == listAt(other.at)
		switch {
		case !ok:
			return ""
		case own.means() > 1 && (by != own || (!batch && !other.sameMember(c))):
			return ""
		case by != own && !own.excludes(by):
			return ""
		case by != own:
			shared[by] = shared[by] || e.share(own, by, c.key())
		}
	}

	for _, is := range shared {
		if !is {
			return ""
		}
	}
	switch {
	case own.means() > 1 && batch:
		return place
	case own.means() > 1:
		return a.Pointer
	case len(shared) > 0:
		return fmt.Sprintf("%+v", own)
	}
	return ""
}

// share reports whether choices by two criteria have a member in common.
func (e *Call) share(a, b positions, sources string) bool {
	all := e.takenFrom(sources)
	return slices.ContainsFunc(all, func(x taken) bool {
		by, _ := x.positions()
		return by == a && slices.ContainsFunc(all, func(y taken) bool {
			by, _ := y.positions()
			return by == b && x.sameMember(y.Constraint)
		})
	})
}

// sameMember reports whether two constraints take the same member, from the same sources.
func (c *Constraint) sameMember(other *Constraint) bool {
	same := func(a, b Source) bool { return a.sameField(&b) }
	return c.Kind == other.Kind && slices.EqualFunc(c.From, other.From, same)
}

// taken is a constraint that takes a value from sources, and the argument that it is on.
type taken struct {
	*Constraint
	at string
}

// takenFrom returns the constraints of an entry that take a value from the same sources, and give its
// record no name of its own.
func (e *Call) takenFrom(sources string) []taken {
	var out []taken
	var note func(c *Constraint, at string)
	note = func(c *Constraint, at string) {
		if c.From != nil && c.Record == "" && c.key() == sources {
			out = append(out, taken{c, at})
		}
		for _, hole := range c.Holes {
			note(&hole, at)
		}
	}
	for i := range e.Args {
		note(&e.Args[i].Constraint, e.Args[i].Pointer)
	}
	return out
}

// listAt returns the list of which a constraint is on every element; empty where it is on none.
func listAt(pointer string) string {
	list, _, of := strings.Cut(pointer, "/*")
	if !of {
		return ""
	}
	return list
}

// positions are which of the values that a source offers a criterion means: those of a rank from either end
// of an order, or of the list.
type positions struct {
	rank
	fromEnd, listed bool
}

// positions returns which values a choice means; false where no program can tell.
func (c *Constraint) positions() (positions, bool) {
	by, ok := c.criterion()
	if by.order == nil {
		return positions{by.rank, by.fromEnd, true}, ok
	}
	return positions{by.rank, by.order.Largest, false}, ok
}

// means returns how many values are meant.
func (p positions) means() int { return p.to - p.from + 1 }

// excludes reports whether criteria mean several records where they choose the same member: they begin
// at different ends, or mean other positions of an order.
func (p positions) excludes(other positions) bool {
	apart := p.to < other.from || other.to < p.from
	return p.listed == other.listed && (apart || p.fromEnd != other.fromEnd)
}
