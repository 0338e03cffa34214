package scope

import (
	"fmt"
	"slices"

	"github.com/remit-project/remit/label"
)

// Arguments that an entry takes from one source belong to one record: whom a payment goes to and how
// much it is are of the same bill. Only the scope itself says that several records are meant, and a
// program finds each of them: "from the fullest station to the emptiest", "the two cheapest".

// binding identifies the record that a value is of: by the name that the scope has for it, or by the
// sources, and where an entry chooses several of these, by the choice.
type binding struct{ of, choice string }

// bind holds a value to the record of those that belong to it, and says why it is of another one;
// empty where it isn't. All values of a source may be in one list, whatever records they are from.
func (m *matcher) bind(c *Constraint, a Argument, o offers, hits []candidate) (miss string) {
	if c.Pick == All && c.Record == "" && element().MatchString(a.Pointer) {
		return ""
	}
	var records []string
	for _, h := range hits {
		if h.record == "" {
			return ""
		}
		records = append(records, h.record)
	}

	key := binding{of: c.Record}
	if key.of == "" {
		key.of, key.choice = c.key(), m.in.choiceOf(c, a)
	}
	unchecked := key.choice != "" && o.several(Argument{Role: label.Selector}) && m.extremes(c, o) == nil
	switch {
	case unchecked && key.choice == a.Pointer:
		key.choice = ""
	case unchecked:
		return m.say("which of %s is meant (%s) can't be checked", from(c.From), c.By)
	case key.choice == a.Pointer && m.isBound(key.of, records):
		return m.say("%s is in the call twice", short(a.Text))
	}

	if m.bound == nil {
		m.bound = map[binding][]string{}
	}
	before, bound := m.bound[key]
	if bound {
		records = slices.DeleteFunc(slices.Clone(before), func(r string) bool { return !slices.Contains(records, r) })
	}
	m.bound[key] = records
	return ""
}

// isBound reports whether a choice of the same sources is of one of some records already.
func (m *matcher) isBound(of string, records []string) bool {
	for key, before := range m.bound {
		if key.of == of && slices.ContainsFunc(records, func(r string) bool { return slices.Contains(before, r) }) {
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
// apart by its place in the call, and has no other member.
func (e *Call) choiceOf(c *Constraint, a Argument) string {
	own, ok := c.positions()
	if !ok {
		return ""
	}
	shared := map[positions]bool{} // whether a choice by another criterion has a member of this one's
	for _, other := range e.takenFrom(c.key()) {
		by, ok := other.positions()
		switch {
		case !ok:
			return ""
		case own.means() > 1 && (by != own || !other.sameMember(c)):
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
	return slices.ContainsFunc(all, func(x *Constraint) bool {
		by, _ := x.positions()
		return by == a && slices.ContainsFunc(all, func(y *Constraint) bool {
			by, _ := y.positions()
			return by == b && x.sameMember(y)
		})
	})
}

// sameMember reports whether two constraints take the same member, from the same sources.
func (c *Constraint) sameMember(other *Constraint) bool {
	same := func(a, b Source) bool { return a.sameField(&b) }
	return c.Kind == other.Kind && slices.EqualFunc(c.From, other.From, same)
}

// takenFrom returns the constraints of an entry that take a value from the same sources, and give its
// record no name of its own.
func (e *Call) takenFrom(sources string) []*Constraint {
	var out []*Constraint
	var note func(c *Constraint)
	note = func(c *Constraint) {
		if c.From != nil && c.Record == "" && c.key() == sources {
			out = append(out, c)
		}
		for _, hole := range c.Holes {
			note(&hole)
		}
	}
	for i := range e.Args {
		note(&e.Args[i].Constraint)
	}
	return out
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
	return positions{by.rank, by.order.largest, false}, ok
}

// means returns how many values are meant.
func (p positions) means() int { return p.to - p.from + 1 }

// excludes reports whether criteria mean several records where they choose the same member: they begin
// at different ends, or mean other positions of an order.
func (p positions) excludes(other positions) bool {
	apart := p.to < other.from || other.to < p.from
	return p.listed == other.listed && (apart || p.fromEnd != other.fromEnd)
}
