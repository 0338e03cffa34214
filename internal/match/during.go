package match

import (
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/scope"
)

// Who is away from Tuesday to Friday is away on Thursday: what speaks against a call on a day does so also where the day is between two times of a
// record, or may be within its length.

// isDuring reports whether a record may be on at a day that a condition against the call is on, which is not on its begin alone.
func (m *matcher) isDuring(want *held, r *Result, record string) bool {
	if !want.against || !want.days || want.From != nil {
		return false
	}
	name := head(want.name())
	of := meaningOf(name)
	isOnTime := (of.bare && slices.Contains(of.kinds, "time")) || lexicon().Begins.In(name)
	if !isOnTime || !m.work(2*len(r.records[record])*perStep) {
		return false
	}
	from, to, open := r.lasting(record, strings.Join(name, " "), want.zone)
	return slices.ContainsFunc(want.Is, func(v scope.Value) bool {
		day, ok := moment(string(v))
		return ok && !from.IsZero() && !dayOf(from).After(day) && (open || !dayOf(to).Before(day))
	})
}

// lasting returns the earliest and the latest time of a record, by its ends if any are called so, and whether nobody can tell how long it
// lasts. Beside the very member that a name means, only an end and a length make a span. They are zero for one without a time.
func (r *Result) lasting(record, name string, zone *time.Location) (from, to time.Time, open bool) {
	isOnItself := r.members[name]
	begins, ends, others := r.timesOf(record, name)
	if !isOnItself && (len(begins) == 0 || len(ends) == 0) {
		begins, ends = slices.Concat(begins, ends, others), slices.Concat(begins, ends, others)
	}

	isDays := true
	for _, f := range begins {
		isDays = isDays && isDay(scope.Value(f.text))
		if first, _ := f.readings(zone); from.IsZero() || first.Before(from) {
			from = first
		}
	}
	to = from
	for _, f := range ends {
		if _, last := f.readings(zone); last.After(to) {
			to = last
		}
	}
	if len(begins) == 0 {
		return from, to, false
	}
	days, known := r.daysOf(record, isDays)
	if last := from.AddDate(0, 0, days); last.After(to) {
		to = last
	}
	return from, to, !known
}

// timesOf returns the fields of a record with a time at which it begins, which a member of a name says for sure, those at which it ends,
// and further ones. When it was made is none.
func (r *Result) timesOf(record, name string) (begins, ends, others []*field) {
	l := lexicon()
	for _, i := range r.records[record] {
		f := &r.fields[i]
		all := strings.Fields(f.name)
		isEarlier := l.Past.In(all) || l.Origins.In(all)
		switch {
		case !isMoment(f.text):
		case f.name == name || (l.Begins.In(all) && !isEarlier):
			begins = append(begins, f)
		case l.Closes.In(all):
			ends = append(ends, f)
		case !isEarlier && !l.Agreed.In(all):
			others = append(others, f)
		}
	}
	return begins, ends, others
}

// readings returns the first and the last moment that a time may be. What ends at midnight is not on the day that begins then.
func (f *field) readings(zone *time.Location) (first, last time.Time) {
	at, _ := moment(f.text)
	all := readingsOf(f.text, at, zone)
	first, last = slices.MinFunc(all, time.Time.Compare), slices.MaxFunc(all, time.Time.Compare)
	if !isDay(scope.Value(f.text)) {
		last = last.Add(-1)
	}
	return first, last
}

// daysOf returns how many days a record lasts by a member for its length; false where no program can tell. A number without a unit is one of days
// where its begin is a day.
func (r *Result) daysOf(record string, isOfDays bool) (days int, known bool) {
	known = true
	for _, i := range r.records[record] {
		f := &r.fields[i]
		if len(f.key) == 0 || f.null || f.part != nil {
			continue
		}

		last := f.key[len(f.key)-1]
		unit := int(timeUnits()[singular(last)] / day)
		isLength := lexicon().Lasting.Has(last)
		if isLength && isOfDays {
			unit = 1
		}
		n, err := whole(strings.TrimSpace(f.text))
		switch {
		case unit > 0 && err == nil && n >= 0 && n < maxCount:
			days = max(days, n*unit)
		case isLength && isOfDays:
			known = false // "a week"
		}
	}
	return days, known
}
