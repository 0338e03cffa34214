package match

import (
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/scope"
)

// A booking is for a span of time: what is in the way of it overlaps with the span, and what is free is free for
// it. A listing of the days of the span leaves out neither: it has what is on then, whenever that began.

// isEdge reports whether a name is that of an end of a span of time.
func isEdge(name []string) bool { return lexicon().Begins.In(name) || lexicon().Closes.In(name) }

// coversSpan reports whether an argument bounds a listing by days and leaves out nothing that is on at a time
// which two conditions of a source bound: it begins before the end, and ends after the begin.
func (m *matcher) coversSpan(s *Source, r *Result, a Argument) bool {
	from, to := s.span()
	key := argumentName(a.Pointer)
	day, ok := moment(a.Text)
	if from.IsZero() || !ok || !isDay(scope.Value(a.Text)) || !isBareSide(key) || m.filters(r, key) {
		return false // "start" may be that of the records
	}
	if slices.ContainsFunc(s.Where, func(w Match) bool { return w.Before+w.After != "" && !m.onlyTime(&w, r) }) {
		return false // a side without a name may be one of another time
	}

	beside := 0
	if lexicon().Excluding.In(key) {
		beside = 1
	}
	isOutside := func(edge time.Time) bool {
		if lexicon().Upper.In(key) {
			return day.Before(dayOf(edge).AddDate(0, 0, beside))
		}
		return day.After(dayOf(edge).AddDate(0, 0, -beside))
	}
	edge := from
	if lexicon().Upper.In(key) {
		edge = to
	}
	return !isOutside(edge) && !(r.isInZones() && isOutside(m.universal(edge)))
}

// isInZones reports whether a time in a result says its zone, so that its server may part days by the clock of UTC: half past midnight in
// Rome is on the day before there.
func (r *Result) isInZones() bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return isMoment(f.text) && scalar.IsZoned(strings.TrimSpace(f.text)) })
}

// universal returns a moment by the clock of UTC: one without a zone is in that of the user.
func (m *matcher) universal(t time.Time) time.Time {
	if t.Location() != scalar.Unzoned {
		return t.UTC()
	}
	_, offset := m.proposal.Now.Zone()
	return t.Add(-time.Duration(offset) * time.Second)
}

// dayOf returns the day that a moment is written with.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// span returns the moments between which something has to be on to meet the conditions of a source, where the only
// two on times say so: it begins before the later one, and ends after the earlier one. They are zero otherwise.
func (s *Source) span() (from, to time.Time) {
	if s.onTimes() != 2 {
		return time.Time{}, time.Time{}
	}
	for i := range s.Where {
		w := &s.Where[i]
		alone := len(w.Or) == 0 && len(w.Is)+len(w.Contains) == 0 && w.From == nil && w.edges() == nil
		if before, ok := moment(string(w.Before)); ok && alone && w.After == "" && lexicon().Begins.In(w.name()) {
			to = before
		}
		if after, ok := moment(string(w.After)); ok && alone && w.Before == "" && lexicon().Closes.In(w.name()) {
			from = after
		}
	}
	if from.IsZero() || !from.Before(to) {
		return time.Time{}, time.Time{}
	}
	return from, to
}

// isForTheTime reports whether an argument asks what there is for the time that the scope states for the call
// itself, under the same name: the rooms that are free then. Records with a time of their own are others at
// another time. What is paid on a day is none of the bills of that day: for what can't be taken back the listing
// needs the time, or the call is for a span, of which it is an end.
func (m *matcher) isForTheTime(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	at, ok := moment(a.Text)
	if !ok || m.against || m.joining || m.filters(r, key) || !m.isTimeless(r) {
		return false
	}
	bySpan := isEdge(key) && m.states(func(name []string, _ time.Time) bool { return lexicon().Begins.In(name) }) &&
		m.states(func(name []string, _ time.Time) bool { return lexicon().Closes.In(name) })
	if m.irreversible && !a.Required && !bySpan {
		return false
	}
	return m.states(func(name []string, t time.Time) bool { return sameClock(t, at) && slices.Equal(name, key) })
}

// states reports whether the scope states a moment for an argument of the call.
func (m *matcher) states(is func(name []string, at time.Time) bool) bool {
	return slices.ContainsFunc(m.proposal.Args, func(own Argument) bool {
		t, isTime := moment(own.Text)
		c, ok := m.in.Arg(own.Pointer)
		return isTime && ok && c.From == nil && len(c.Is) > 0 && is(argumentName(own.Pointer), t)
	})
}

// isTimeless reports whether no record of a result has a time.
func (m *matcher) isTimeless(r *Result) bool {
	if r.level == nil || r.values || !m.work(len(r.fields)*perStep) {
		return false
	}
	return !slices.ContainsFunc(r.fields, func(f field) bool { return isMoment(f.text) })
}
