package match

import (
	"math/big"
	"slices"
	"strings"
	"time"

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

// areOfOneDay reports whether times alone are of one day, by the day that the call of their listing asks for or else by all days in
// their records: the first course on Friday is not before that on Monday.
func (m *matcher) areOfOneDay(times []placed) bool {
	first := ""
	for i, t := range times {
		day, ok := m.dayOf(t.candidate)
		if i == 0 {
			first = day
		}
		if !ok || day != first {
			return false
		}
	}
	return true
}

// dayOf returns what says on which day a time alone in the record of a value is; false where that can't be told.
func (m *matcher) dayOf(v candidate) (string, bool) {
	r, record := m.recordOf(v)
	if r == nil || !m.work(len(r.records[record])*perStep) {
		return "", false
	}
	for _, a := range r.Args {
		if name := argumentName(a.Pointer); lexicon().Days.In(name) && !lexicon().Ranges.In(name) && isDay(scope.Value(a.Text)) {
			return a.Text, true
		}
	}
	var out []string
	for _, i := range r.records[record] {
		if f := &r.fields[i]; isDay(scope.Value(f.text)) || (len(f.key) > 0 && lexicon().Weekdays.Has(singular(f.key[len(f.key)-1]))) {
			out = append(out, f.name, f.text)
		}
	}
	return strings.Join(out, " "), true
}
