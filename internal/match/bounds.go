package match

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/scope"
)

// A text may be read in several ways: a day is all its moments, and one of a moment and its bound
// may say in which zone it is. What a call relies on holds in every reading, and what speaks against
// a call does so in any, and where a program can read nothing.

// inBounds reports whether a text is between the bounds of a condition.
func (w *Match) inBounds(text string) bool {
	return w.onSide(text, w.Before, -1) && w.onSide(text, w.After, 1) && w.beyond(text, w.Below, -1) && w.beyond(text, w.Above, 1)
}

// onSide reports whether a text is on one side of a bound in time, where there is one.
func (w *Match) onSide(text string, bound scope.Value, side int) bool {
	if bound == "" {
		return true
	}
	first, last, known := w.order(strings.TrimSpace(text), bound)
	if w.against {
		return !known || first == side || last == side
	}
	return known && first == side && last == side
}

// order compares the earliest and the latest reading of a text with a bound in time: negative
// before it, positive after it. A time of the day bounds that of a moment, and a text that is one is
// compared with the time of a moment where the call is about its day alone.
func (w *Match) order(text string, bound scope.Value) (first, last int, known bool) {
	limit, isMoment := moment(string(bound))
	at, dated := moment(text)
	if dated && isNever(at) {
		return 0, 0, false
	}
	hour, isClock := clock(text)
	of, bare := clock(string(bound))

	switch {
	case isMoment && isDay(bound):
		first, last = w.orderOfDay(text, at, bound)
		return first, last, dated
	case isMoment && dated:
		first, last = w.orderOfMoment(text, at, string(bound), limit)
		return first, last, true
	case isMoment && isClock && w.sameDay:
		of = scalar.SinceMidnight(limit)
	case bare && dated && !isDay(scope.Value(text)):
		hour = scalar.SinceMidnight(at)
	case !(bare && isClock):
		return 0, 0, false
	}
	side := int(min(max(hour-of, -1), 1))
	return side, side, true
}

// isNever reports whether a date stands for no date: where a program's clock begins, or a year that no record of ours is of. The years
// leave room for birthdays and contracts, and none for the Hijri, Persian, Minguo and Buddhist calendars.
func isNever(t time.Time) bool {
	const widestZone = 14 * time.Hour
	const firstYear, lastYear, noEndYear, epochYear = 1900, 2300, 9999, 1970
	const widestDay = 24 * time.Hour
	sinceEpoch := asWritten(t).Sub(time.Unix(0, 0)).Abs()
	isEpoch := sinceEpoch == 0 || (t.Nanosecond() == 0 && t.Second() == 0 && sinceEpoch <= widestZone && asWritten(t) != dayOf(t))
	isEpoch = isEpoch || (sinceEpoch == widestDay && asWritten(t) == dayOf(t) && t.Year() < epochYear) // 1969-12-31, west of Greenwich
	isOther := t.Year() < firstYear || (t.Year() > lastYear && t.Year() != noEndYear)
	return isOther || isWrittenAs(t, time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)) || isEpoch
}

// orderOfDay compares a moment with a day, which ends with its last moment. What speaks against a
// call after a day does so on it as well.
func (w *Match) orderOfDay(text string, at time.Time, day scope.Value) (first, last int) {
	limit, _ := moment(string(day))
	first, last = 1, -1
	for _, written := range readingsOf(text, at, w.zone) {
		begin, end := written.Compare(limit), written.Compare(limit)
		if isOn := written.Format(time.DateOnly) == string(day); isOn {
			begin, end = 0, 0
			if w.against && (isDay(scope.Value(text)) || written.After(limit)) {
				end = 1
			}
		}
		first, last = min(first, begin), max(last, end)
	}
	return first, last
}

// orderOfMoment compares a moment with another one. Where one of them alone is in a zone, the other
// may be in it as well, or in the user's. Only a server writes its moments in UTC and doesn't say so.
func (w *Match) orderOfMoment(text string, at time.Time, bound string, limit time.Time) (first, last int) {
	if isDay(scope.Value(text)) {
		return at.Compare(limit), at.AddDate(0, 0, 1).Add(-1).Compare(limit)
	}
	side := at.Compare(limit)
	if scalar.IsZoned(text) == scalar.IsZoned(bound) {
		return side, side
	}
	written := asWritten(at).Compare(asWritten(limit))
	first, last = min(side, written), max(side, written)
	if w.zone == nil {
		return first, last
	}

	if !scalar.IsZoned(bound) {
		side = at.Compare(inZone(limit, w.zone))
		return min(written, side), max(written, side)
	}
	side = inZone(at, w.zone).Compare(limit)
	return min(first, side), max(last, side)
}

// readingsOf returns what a moment may say to who reads it as it is written, and by the clock of the user's place: half past
// midnight in Rome is on the day before in a server's UTC.
func readingsOf(text string, at time.Time, zone *time.Location) []time.Time {
	if zone == nil || !scalar.IsZoned(strings.TrimSpace(text)) {
		return []time.Time{asWritten(at)}
	}
	return []time.Time{asWritten(at), asWritten(at.In(zone))}
}

// isOnDay reports whether a text is a moment of a day, in every reading, or where doubts count in any.
func isOnDay(day scope.Value, text string, zone *time.Location, doubts bool) bool {
	at, ok := moment(text)
	if !ok {
		return false
	}
	isOn := func(t time.Time) bool { return t.Format(time.DateOnly) == string(day) }
	all := readingsOf(text, at, zone)
	if doubts {
		return slices.ContainsFunc(all, isOn)
	}
	return !slices.ContainsFunc(all, func(t time.Time) bool { return !isOn(t) })
}

// inZone returns the moment that is written so in a zone.
func inZone(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}

// asWritten returns a moment as if it had no zone.
func asWritten(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// beyond reports whether a text is on one side of a number, where there is one.
func (w *Match) beyond(text string, bound scope.Value, side int) bool {
	if bound == "" {
		return true
	}
	text = strings.TrimSpace(text)
	limit, at := rational(string(bound)), rational(text)
	if found := price().FindStringSubmatch(text); w.against && at == nil && found != nil {
		at = rational(found[1])
	}
	if at == nil || limit == nil {
		return w.against
	}
	return at.Cmp(limit) == side
}

// rational returns a plain number; nil for another text.
func rational(text string) *big.Rat {
	n, ok := number(text)
	if !ok {
		return nil
	}
	v, _ := new(big.Rat).SetString(n)
	return v
}
