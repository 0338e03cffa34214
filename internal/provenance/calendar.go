package provenance

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/wordlist"
)

// calendar is the session's clock when a text came in: what "tomorrow" meant.
type calendar func() time.Time

// sameZone reports whether a moment is given in the zone of the clock, or in none:
// in another zone it is another time of day than the one that was said.
func (c calendar) sameZone(at time.Time) bool {
	_, offset := at.Zone()
	if offset == 0 {
		return true
	}
	if c == nil {
		return false
	}
	_, own := c().Zone()
	return offset == own
}

//go:embed calendar.txt
var calendarTable string

// timeWords are the words of calendar.txt.
type timeWords struct {
	months, weekdays, days map[string]int
	units                  map[string]time.Duration
}

var timeNames = sync.OnceValue(func() *timeWords { return wordlist.Must(readTimeWords(calendarTable)) })

// unitLengths are the lengths of the units of calendar.txt.
var unitLengths = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}

// readTimeWords reads calendar.txt.
func readTimeWords(table string) (*timeWords, error) {
	rows, err := wordlist.Read(table)
	if err != nil {
		return nil, err
	}

	x := &timeWords{months: map[string]int{}, weekdays: map[string]int{}, days: map[string]int{}, units: map[string]time.Duration{}}
	numbered := map[string]map[string]int{"month": x.months, "weekday": x.weekdays, "day": x.days}
	for _, r := range rows {
		kind, key, _ := strings.Cut(r.Name, " ")
		n, err := strconv.Atoi(key)
		list, unit := numbered[kind], unitLengths[key]

		switch {
		case list != nil && err == nil:
			for _, w := range r.Words {
				list[w] = n
			}
		case kind == "unit" && unit != 0:
			for _, w := range r.Words {
				x.units[w] = unit
			}
		default:
			return nil, fmt.Errorf("%q is not a month, a weekday, a day or a unit", r.Name)
		}
	}
	return x, nil
}

// calendarWord reports whether a value is the name of a month or a weekday.
func calendarWord(s string) bool {
	s = strings.ToLower(s)
	_, month := timeNames().months[s]
	_, day := timeNames().weekdays[s]
	return month || day
}

// inTime reports whether the words around a calendar word make it a time.
func inTime(left, right []string) bool {
	if len(right) > 0 && startsWithNumber(right[0]) {
		return true
	}
	if len(left) == 0 {
		return false
	}
	before := left[len(left)-1]
	return startsWithNumber(before) || vocabulary().BeforeTime.Has(before)
}

func startsWithNumber(w string) bool {
	n, _ := leadingNumber(w)
	return n > 0
}

// momentLike reports whether an argument asks for a time.
func (q *query) momentLike() bool { return vocabulary().MomentNames.In(q.n.last) }
