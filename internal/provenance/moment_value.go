package provenance

import (
	"strings"
	"time"
	"unicode"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// layouts are the forms in which an argument's date or date-time is read.
var layouts = [...]struct {
	layout      string
	date, clock bool
	length      int // of the value; 0 for several
}{
	{"2006-01-02", true, false, 10},
	{"2006-01-02 15:04", true, true, 16},
	{"2006-01-02T15:04", true, true, 16},
	{"2006-01-02 15:04:05", true, true, 19},
	{"2006-01-02T15:04:05", true, true, 19},
	{"2006-01-02T15:04:05Z07:00", true, true, 0},
	{"2006-01-02T15:04:05.000Z07:00", true, true, 0},
	{"15:04", false, true, 5},
	{"15:04:05", false, true, 8},
	{"02.01.2006", true, false, 10},
	{"January 2, 2006", true, false, 0},
	{"2 January 2006", true, false, 0},
}

// moment is an argument's value read as a date, a time of day, or both.
type moment struct {
	at          time.Time
	date, clock bool
}

func parseMoment(s string) (moment, bool) {
	if len(s) < 5 || len(s) > 40 || !strings.ContainsAny(s, "-:. ") || !strings.ContainsAny(s, "0123456789") {
		return moment{}, false
	}
	if !atom.IsDigit(s[0]) && !startsWithMonth(s) {
		return moment{}, false
	}

	for _, l := range layouts {
		if l.length != 0 && len(s) != l.length {
			continue
		}
		if at, err := time.Parse(l.layout, s); err == nil {
			return moment{at, l.date, l.clock}, true
		}
	}
	return moment{}, false
}

// startsWithMonth reports whether a text begins as an English month's name does: to
// try all layouts on every other word costs more than all that a word is
// otherwise looked up for.
func startsWithMonth(s string) bool {
	switch asciiLower(s[:3]) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec":
		return true
	}
	return false
}

// findDate finds a mention of the date. A mention without a year is the date
// in the clock's year or the next.
func (v *vouching) findDate(at time.Time, clock calendar) (dateMention, bool) {
	v.work.spend(len(v.dates))
	for _, d := range v.dates {
		if d.month != int(at.Month()) || d.day != at.Day() {
			continue
		}

		if d.year == at.Year() {
			return d, true
		}
		if d.year == 0 && clock != nil {
			if now := clock(); at.Year() == now.Year() || at.Year() == now.Year()+1 {
				return d, true
			}
		}
	}
	return dateMention{}, false
}

// findTime finds a mention of the time of day, or one with a duration that leads
// from it to the time.
func (v *vouching) findTime(at time.Time) (places []position, how string, ok bool) {
	if at.Second() != 0 {
		return nil, "", false
	}
	for _, t := range v.times {
		if t.hour == at.Hour() && t.minute == at.Minute() {
			return []position{t.position}, "time", true
		}
	}

	v.work.spend(len(v.times) * (1 + len(v.durations)))
	for _, t := range v.times {
		for _, d := range v.durations {
			minutes := t.hour*60 + t.minute + int(d.length/time.Minute)
			if minutes%(24*60) == at.Hour()*60+at.Minute() {
				return []position{t.position, d.position}, "time plus duration", true
			}
		}
	}
	return nil, "", false
}

// argumentUnits are the units in the durations of arguments.
var argumentUnits = map[string]time.Duration{
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// parseDuration reads a duration argument such as "1h 30m", "90m" or "2 hours".
func parseDuration(s string) (time.Duration, bool) {
	if len(s) > 32 || s == "" {
		return 0, false
	}

	var total time.Duration
	if first := strings.TrimLeftFunc(s, unicode.IsSpace); first != "" && !atom.IsDigit(first[0]) {
		return 0, false // most texts
	}
	fields := strings.Fields(strings.ToLower(s))
	for i := 0; i < len(fields); i++ {
		n, unit := leadingNumber(fields[i])
		if n < 0 {
			return 0, false
		}
		if unit == "" {
			if i++; i == len(fields) {
				return 0, false
			}
			unit = fields[i]
		}
		length, ok := argumentUnits[unit]
		if !ok {
			return 0, false
		}
		total += time.Duration(n) * length
	}
	return total, true
}
