package match

import (
	"slices"

	"github.com/remit-project/remit/scope"
)

// A source may name a filter that the agent left out: all entries, and not those of the day. The
// records of the result that have the filter's value are those of the source then, if they have
// a member of its name.

// answers reports whether a result is that of the call which a source names, or of one that left
// out filters which its records can be held to.
func (m *matcher) answers(s *Source, r *Result, of *Constraint) bool {
	if !m.calledAs(s, r, of) {
		return false
	}
	for i := range s.Args {
		if c := &s.Args[i]; leftOut(*c, r) && !m.canFilter(c, r) {
			return false
		}
	}
	return true
}

// canFilter reports whether the records of a result can be held to what a call left out: they
// have a member of the argument's name.
func (m *matcher) canFilter(c *Arg, r *Result) bool {
	stated := c.From == nil && len(c.Is)+len(c.Date) > 0
	if !stated || r.level == nil || r.values || !m.work(len(r.fields)) {
		return false
	}
	w := c.filter()
	_, has := m.memberOf(r.level, w.name(), "", "", false)
	return has || m.surely(&w, r.level) != ""
}

// filter returns what a call left out as a condition on the records.
func (c *Arg) filter() Match {
	_, name := split(c.Pointer)
	values := slices.Concat(c.Is, c.Date)
	return Match{Field: name, Is: values, words: argumentName(c.Pointer), days: areDays(values)}
}

// areDays reports whether all values are days.
func areDays(values []scope.Value) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v scope.Value) bool { return !isDay(v) })
}

// isDay reports whether a value is a day without a time.
func isDay(v scope.Value) bool {
	_, ok := moment(string(v))
	return ok && len(v) == len("2006-01-02")
}

// unmet returns conditions of a source except for those that the call itself asked for: all of a
// listing of pending requests are pending. Only what a tool's definition lists is a filter for
// sure, and the records must have no member that says otherwise.
func (m *matcher) unmet(where []Match, r *Result) []Match {
	if r.level == nil || r.values {
		return where
	}
	out := where
	for i := range where {
		isAsked := m.isAskedFor(&where[i], r) && !m.hasAny(&where[i], r)
		switch {
		case isAsked && len(out) == len(where):
			out = slices.Clone(where[:i])
		case !isAsked && len(out) < len(where):
			out = append(out, where[i])
		}
	}
	return out
}

// isAskedFor reports whether the call of a result asked for a value of a condition that is on nothing else.
func (m *matcher) isAskedFor(w *Match, r *Result) bool {
	isAlone := w.From == nil && len(w.Is) > 0 && len(w.Contains) == 0 && w.edges() == nil && !w.bounded()
	if !isAlone {
		return false
	}
	for one := range w.each {
		asks := func(a Argument) bool {
			isSo := a.Listed && slices.ContainsFunc(w.Is, func(v scope.Value) bool { return same(string(v), a.Text, false) })
			return isSo && slices.Equal(meaningOf(argumentName(a.Pointer)).of, meaningOf(m.head(r, one.name())).of)
		}
		if slices.ContainsFunc(r.Args, asks) {
			return true
		}
	}
	return false
}

// hasAny reports whether the records of a result have one of the members of a condition.
func (m *matcher) hasAny(w *Match, r *Result) bool {
	for one := range w.each {
		if _, has := m.memberOf(r, one.name(), "", "", true); has || !m.work(len(r.fields)) {
			return true
		}
	}
	return false
}

// where returns the conditions of a source on the records of a result: its own, and the filters
// that the call left out. What speaks against a call need not meet the latter.
func (m *matcher) where(s *Source, r *Result) (all []Match, filtered bool) {
	all = m.resolved(s)
	if m.against {
		return all, false
	}
	all = m.unmet(all, r)
	for i := range s.Args {
		if c := &s.Args[i]; leftOut(*c, r) {
			all, filtered = append(slices.Clip(all), c.filter()), true
		}
	}
	return all, filtered
}
