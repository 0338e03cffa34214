package match

import (
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/pattern"
)

// timeUnits are the units of a length of time with how long they are: up to a week exactly, and from there on at most.
var timeUnits = sync.OnceValue(func() map[string]time.Duration {
	return map[string]time.Duration{
		"minute": time.Minute, "hour": time.Hour, "day": day, "night": day, "week": week, "month": 31 * day, "year": 366 * day,
	}
})

const day, week = 24 * time.Hour, 7 * 24 * time.Hour

// instants are the times and days in the words of a computation.
var instants = pattern.OnUse(`\b(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?|\d{1,2}:\d\d)\b`)

// isLength reports whether a number is the length of time between two moments that the words of a computation speak of, in the unit that they
// name: "minutes from the present end to 11:30", "nights between check in and check out". It reports false for known where they don't.
func (m *matcher) isLength(want *big.Rat, c *Constraint) (is, known bool) {
	unit := unitOf(words(c.By))
	if unit == 0 || m.irreversible {
		return false, false
	}
	var all []time.Time
	for i := range c.Sources {
		of := m.moments(c.Sources[i : i+1])
		if len(of) != 1 {
			return false, false
		}
		all = append(all, of[0])
	}
	for _, text := range instants().FindAllString(c.By, maxOperands) {
		if at, ok := instant(text, all); ok {
			all = append(all, at)
		}
	}
	if len(all) != 2 {
		return false, false
	}

	between := all[1].Sub(all[0]).Abs()
	if unit >= day {
		between = dayOf(all[1]).Sub(dayOf(all[0])).Abs()
	}
	return between > 0 && want.Cmp(big.NewRat(int64(between), int64(unit))) == 0, true
}

// unitOf returns the only unit of time that words name, of those that have one length; zero for none, or several.
func unitOf(said []string) (only time.Duration) {
	for _, w := range said {
		unit := timeUnits()[singular(w)]
		switch {
		case unit == 0, unit > week, unit == only:
		case only != 0:
			return 0
		default:
			only = unit
		}
	}
	return only
}

// instant reads a moment in the words of a computation. A time alone is that of the day of the other moment.
func instant(text string, beside []time.Time) (time.Time, bool) {
	if strings.Contains(text, "-") {
		return moment(text)
	}
	of, ok := clock(text)
	if !ok || len(beside) != 1 {
		return time.Time{}, false
	}
	y, month, d := beside[0].Date()
	return time.Date(y, month, d, 0, 0, 0, 0, beside[0].Location()).Add(of), true
}
