package match

import (
	"maps"
	"slices"
	"strings"
)

// The oldest request is the one that was made first, whatever day it asks for. Who fills in a request chooses that day, and not when
// the service took it.

// ofAge reports whether a superlative is about how old a record is, and not about what is still to come.
func (s *superlativeWords) ofAge() bool { return s.ofTime() && !slices.Contains(s.Words, "next") }

// ofAge returns the best values by each member that may say how old a record is: the time that a criterion names, which is no more than
// a time, else the first that the superlative is about; and all that say since when there is a record. Beside such a one, the time of
// something else counts for nothing. What can be taken back is by whatever times there are, where there is none of these.
func (m *matcher) ofAge(o offers, by criterion, plain ranking) [][]candidate {
	if !plain.has {
		plain = m.first(o, by.order.Members, by)
	}
	var own [][]candidate
	for _, member := range m.originsOf(o) {
		if of := m.first(o, []string{member}, by); of.dated {
			own = append(own, of.best()...)
		}
	}

	switch {
	case own != nil && plain.of:
		return own
	case own != nil || plain.has:
		return append(plain.best(), own...)
	case m.irreversible:
		return nil
	}
	for _, member := range m.timesOf(o) {
		own = append(own, m.first(o, []string{member}, by).best()...)
	}
	return own
}

// originsOf returns the words by which members of what offers values say since when there is a record.
func (m *matcher) originsOf(o offers) []string {
	var out []string
	for _, name := range m.membersOf(o, func(key []string) bool { return lexicon().Origins.In(unitless(key)[len(unitless(key))-1:]) }) {
		key := unitless(strings.Fields(name))
		if last := key[len(key)-1]; !slices.Contains(out, last) {
			out = append(out, last)
		}
	}
	return out
}

// membersOf returns the names of members of the results that values are of, as far as they are so.
func (m *matcher) membersOf(o offers, is func(key []string) bool) []string {
	called, seen := map[string]bool{}, ""
	for _, v := range o.values {
		r, _ := m.recordOf(v)
		if r == nil || v.call == seen {
			continue
		}
		seen = v.call
		for name := range r.members {
			if key := strings.Fields(name); m.step() && len(key) > 0 && is(key) {
				called[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(called))
}

// timesOf returns the names of the members with times in the records of what is offered.
func (m *matcher) timesOf(o offers) []string {
	called := map[string]bool{}
	for _, v := range o.values {
		r, record := m.recordOf(v)
		if r == nil {
			continue
		}
		for _, i := range r.records[record] {
			if f := &r.fields[i]; m.step() && isTime(f.text) {
				called[f.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(called))
}
