package match

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

// A time of the day alone is before another one only on the same day.

// areOfTwoDays reports whether some times alone are late in the evening and others in the night, which may be the one after it:
// who closes at 1:00 is open longer than who closes at 23:00.
func areOfTwoDays(times []placed) bool {
	const early, late = 6 * time.Hour, 18 * time.Hour
	isEarly := func(t placed) bool { return t.by.Cmp(big.NewRat(early.Milliseconds(), 1)) < 0 }
	isLate := func(t placed) bool { return t.by.Cmp(big.NewRat(late.Milliseconds(), 1)) >= 0 }
	return slices.ContainsFunc(times, isEarly) && slices.ContainsFunc(times, isLate)
}

// areOfOneDay reports whether times without a day are of one day, by what their records and those around say. The first course on Friday is
// not before that on Monday.
func (m *matcher) areOfOneDay(times []placed, member string) bool {
	first := ""
	for i, t := range times {
		day, ok := m.dayOf(t.candidate, strings.Fields(member))
		if i == 0 {
			first = day
		}
		if !ok || day != first {
			return false
		}
	}
	return true
}

// dayOf returns what says on which day a time alone of a member is; false where that can't be told. Members that are called a day say
// it, and besides them the call of the listing. Where neither does, every day counts that is not another thing's for sure.
func (m *matcher) dayOf(v candidate, member []string) (string, bool) {
	r, record := m.recordOf(v)
	if r == nil {
		return "", false
	}
	var called, others []string
	for around := range outwards(record) {
		if !m.work((1 + len(r.records[around])) * perStep) {
			return "", false
		}
		_, key := split(around) // which may be the day of all that is listed under it
		called = append(called, daysIn(key)...)
		for _, i := range r.records[around] {
			f := &r.fields[i]
			days, isCalled := daysIn(f.text), endsInDay(f.key, lexicon().Weekdays)
			if isCalled && len(days) == 0 && !f.null {
				days = []string{f.text} // in words that nobody reads, or a number
			}
			isCalled = isCalled || endsInDay(f.key, lexicon().Days)
			switch said := append([]string{f.name}, days...); {
			case len(days) == 0 || isNoDayOf(f, member):
			case isCalled:
				called = append(called, said...)
			default:
				others = append(others, said...)
			}
		}
	}

	for _, a := range r.Args {
		if name := argumentName(a.Pointer); lexicon().Days.In(name) && !lexicon().Ranges.In(name) && isDay(scope.Value(a.Text)) {
			return strings.Join(append(called, a.Text), "\n"), true
		}
	}
	if len(called) > 0 {
		others = nil
	}
	return strings.Join(append(called, others...), "\n"), true
}

// endsInDay reports whether a member's name ends in one of the words for a day: departure_date.
func endsInDay(key []string, days wordlist.Set) bool {
	return len(key) > 0 && days.Has(singular(key[len(key)-1]))
}

// isNoDayOf reports whether a day is not that of a time: when something was booked, or until when it holds. A member that is called
// nothing but a time may be of whatever day there is.
func isNoDayOf(f *field, member []string) bool {
	isNamed := len(member) > 0 && !lexicon().Clocks.In(member)
	return isNamed && (lexicon().Past.In(f.key) || lexicon().Agreed.In(f.key))
}

// daysIn returns the day or the weekday that a text is.
func daysIn(text string) []string {
	text = strings.TrimSpace(text)
	if t, ok := moment(text); ok {
		return []string{t.Format(time.DateOnly)}
	}
	const most = 4 // Monday, 2 March 2026
	all := words(text)
	if len(text) > maxDay || len(all) == 0 || len(all) > most {
		return nil
	}

	isNumber := func(w string) bool { return w[0] >= '0' && w[0] <= '9' }
	isDated := slices.ContainsFunc(all, lexicon().Dated.Has)
	if !isDated || slices.ContainsFunc(all, func(w string) bool { return !lexicon().Dated.Has(w) && !isNumber(w) }) {
		return nil
	}
	return []string{strings.Join(all, " ")}
}

// maxDay bounds a text that says a day, in bytes.
const maxDay = 40

// isPast reports whether a time is past, and whether that can be told: of one without a zone by the clock of the user's place, where it isn't
// of the hours before now in which another zone may have it to come.
func (m *matcher) isPast(v measured) (past, known bool) {
	now := m.proposal.Now
	if !v.dated || v.by == nil || now.IsZero() {
		return false, true
	}
	before := func(t time.Time) bool { return v.by.Cmp(big.NewRat(t.UnixMilli(), 1)) < 0 }
	if strings.Contains(v.name, zonedForm) {
		return before(now), true
	}

	const widest = 14 * time.Hour // of a zone
	here, today := asWritten(now), dayOf(now)
	isToday := v.by.Cmp(big.NewRat(today.UnixMilli(), 1)) == 0 // a day without a time, or its first moment
	switch {
	case !before(here) || isToday:
		return false, true
	case before(here.Add(-widest)):
		return true, true
	}
	return true, false
}
