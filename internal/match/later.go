package match

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// length matches a length of time in a scope's words: "7 days", "an hour".
var length = pattern.OnUse(`\b(\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -](minute|hour|day|week|fortnight|month|year)s?\b`)

var numerals = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	}
})

// later returns a moment moved by the lengths of time that the words of a scope have together ("1 month and 2 days"), in the direction that they
// say; forwards and backwards where they say none, or both. By each of them, where the words leave one to choose.
func later(t time.Time, by string) []time.Time {
	said := words(by)
	adds, takes := lexicon().Forwards.In(said), lexicon().Backwards.In(said)
	lengths := length().FindAllStringSubmatch(fold(by), maxOperands)
	isEither := slices.Contains(said, "or") || strings.ContainsAny(by, "()")

	var out []time.Time
	for _, sign := range []int{1, -1} {
		if away := (sign > 0 && takes) || (sign < 0 && adds); (away && adds != takes) || len(lengths) == 0 {
			continue
		}
		all := t
		for _, unit := range []string{"year", "month", "fortnight", "week", "day", "hour", "minute"} {
			for _, l := range lengths {
				if l[2] != unit {
					continue
				}
				n, named := numerals()[l[1]]
				if !named {
					n, _ = strconv.Atoi(l[1])
				}
				all = movedBy(all, sign*n, unit)
				if isEither {
					out = append(out, movedBy(t, sign*n, unit))
				}
			}
		}
		out = append(out, all)
	}
	return out
}

// movedBy returns a moment moved by some of a unit. A month from the 31st ends with the month.
func movedBy(t time.Time, n int, unit string) time.Time {
	switch unit {
	case "minute":
		return t.Add(time.Duration(n) * time.Minute)
	case "hour":
		return t.Add(time.Duration(n) * time.Hour)
	case "day":
		return t.AddDate(0, 0, n)
	case "week":
		return t.AddDate(0, 0, 7*n)
	case "fortnight":
		return t.AddDate(0, 0, 14*n)
	case "year":
		n *= 12
	}

	moved := t.AddDate(0, n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// mayFollow reports whether a moment may follow from that of a source by words that no program reads ("3 working days after"): it is within a month
// of one, on the side that they say. Where no source has a moment, one of them has to tell it in words, and where there is none, the user.
func (m *matcher) mayFollow(at time.Time, c *Constraint, a *Argument) bool {
	if len(c.Sources) == 0 {
		return a.Said || m.saysDay(at, c.By)
	}
	said := words(c.By)
	adds, takes := lexicon().Forwards.In(said), lexicon().Backwards.In(said)
	known := false
	for i := range c.Sources {
		for _, from := range m.moments(c.Sources[i : i+1]) {
			known = true
			isAway := (at.Before(from) && adds && !takes) || (at.After(from) && takes && !adds)
			if !isAway && at.Sub(from).Abs() <= maxUnread {
				return true
			}
		}
	}
	return !known && !isCalculation(c) && m.tellsMoment(at, c, a)
}

// maxUnread is how far a moment may be from that of its source where no words are read.
const maxUnread = 31 * 24 * time.Hour

// moved reports whether a moment is that of a source moved by a length of time in the scope's
// words, or a day the day of that. It reports false for known where a program can't tell: where no
// source has a moment, or the words have no length.
func (m *matcher) moved(at time.Time, day bool, c *Constraint, a Argument) (is, known bool) {
	if len(c.Sources) == 0 {
		return m.movedFromOwn(at, c, a)
	}
	for i := range c.Sources {
		for _, from := range m.moments(c.Sources[i : i+1]) {
			all := later(from, c.By)
			known = known || len(all) > 0
			if slices.ContainsFunc(all, func(t time.Time) bool { return m.isClock(t, at) || (day && sameDay(t, at)) }) {
				return true, true
			}
		}
	}
	if !known && length().MatchString(fold(c.By)) {
		return m.movedFromOwn(at, c, a)
	}
	return false, known
}

// movedFromOwn reports whether a moment follows from another one of the call itself that the words of a computation begin with: the end from
// the start. What its length is, where no words say it, is left to the agent, up to a day.
func (m *matcher) movedFromOwn(at time.Time, c *Constraint, a Argument) (is, known bool) {
	begins := ""
	for _, w := range words(c.By) {
		if telling(w) {
			begins = w
			break
		}
	}

	for i := range m.proposal.Args {
		other := &m.proposal.Args[i]
		from, ok := moment(strings.TrimSpace(other.Text))
		isNamed := begins != "" && slices.Contains(argumentName(other.Pointer), begins)
		if !ok || other.Pointer == a.Pointer || !isNamed {
			continue
		}
		if all := later(from, c.By); len(all) > 0 {
			return slices.ContainsFunc(all, func(t time.Time) bool { return m.isClock(t, at) }), true
		}
		length, present := at.Sub(from), m.presentLength()
		isPresent := present > 0 && isAsLong(c.By)
		return length > 0 && length <= maxLength && !(isPresent && length != present), true
	}
	return false, false
}

// isAsLong reports whether the words of a computation are about how long something is.
func isAsLong(by string) bool {
	return slices.ContainsFunc(words(by), func(w string) bool { return w == "length" || w == "duration" })
}

// presentLength returns how long the one thing is that other arguments of the call are of, by the only begin and the only end of its record;
// zero where that can't be told.
func (m *matcher) presentLength() time.Duration {
	var of []candidate
	for key, records := range m.bound.all {
		for _, record := range records {
			if key.of != "" {
				of = append(of, candidate{call: record.call, record: record})
			}
		}
	}
	if len(of) != 1 {
		return 0
	}

	r, record := m.recordOf(of[0])
	if r == nil {
		return 0
	}
	var begins, ends []time.Time
	for _, i := range r.records[record] {
		f := &r.fields[i]
		at, ok := moment(strings.TrimSpace(f.text))
		switch {
		case !ok || !m.step():
		case lexicon().Closes.In(f.key):
			ends = append(ends, at)
		case lexicon().Begins.In(f.key):
			begins = append(begins, at)
		}
	}
	if len(begins) != 1 || len(ends) != 1 {
		return 0
	}
	return ends[0].Sub(begins[0])
}

// maxLength bounds what begins and ends in one call without words for its length.
const maxLength = 24 * time.Hour

// moments returns the moments that a source has: the only one, or of several those of the records
// that the call's arguments before this one are of, where they take their values from the source.
func (m *matcher) moments(of []Source) []time.Time {
	var o offers
	for _, pick := range []scope.Pick{scope.Only, scope.All} {
		if len(o.values) == 0 {
			o = m.offers(of, &Constraint{From: of, Kind: scope.Date, Pick: pick}, "")
		}
	}
	records, bound := m.boundTo(of)
	if !bound && o.several(Argument{Role: label.Selector}) {
		return nil
	}

	var out []time.Time
	for _, v := range o.values {
		t, ok := moment(strings.TrimSpace(v.text))
		isSure := v.doubt == "" || !m.irreversible
		if ok && isSure && (!bound || slices.Contains(records, v.record)) {
			out = append(out, t)
		}
	}
	return out
}

// sameClock reports whether two moments may be the same: as they are, or written the same where one of them doesn't say its
// zone.
func sameClock(a, b time.Time) bool {
	isOpen := a.Location() == scalar.Unzoned || b.Location() == scalar.Unzoned
	return a.Equal(b) || (isOpen && isWrittenAs(a, b))
}

// isClock reports whether two moments may be the same, with one that says no zone by the user's clock for what can't be taken back: an hour in a zone
// of which nobody spoke is another one.
func (m *matcher) isClock(a, b time.Time) bool {
	if a.Location() == scalar.Unzoned {
		a, b = b, a
	}
	zone := m.proposal.zone()
	isAnyZone := !m.irreversible || zone == nil || a.Location() == scalar.Unzoned || b.Location() != scalar.Unzoned
	_, offset := a.Zone()
	return sameClock(a, b) && (isAnyZone || offset == 0 || inZone(b, zone).Equal(a))
}

// isWrittenAs reports whether two moments are written the same but for their zones.
func isWrittenAs(a, b time.Time) bool {
	const clock = "2006-01-02T15:04:05"
	return a.Format(clock) == b.Format(clock)
}

// sameDay reports whether two moments are written with the same day.
func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }
