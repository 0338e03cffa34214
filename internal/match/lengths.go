package match

import (
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/pattern"
)

// lengthUnits are the units of a length of time, as the words of a computation name them.
var lengthUnits = sync.OnceValue(func() map[string]time.Duration {
	return map[string]time.Duration{
		"minute": time.Minute, "minutes": time.Minute, "hour": time.Hour, "hours": time.Hour,
		"day": day, "days": day, "night": day, "nights": day, "week": 7 * day, "weeks": 7 * day,
	}
})

const day = 24 * time.Hour

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

// unitOf returns the only unit of time that words name; zero for none, or several.
func unitOf(said []string) time.Duration {
	var units []time.Duration
	for _, w := range said {
		if u, ok := lengthUnits()[w]; ok && !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	if len(units) != 1 {
		return 0
	}
	return units[0]
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
