package scope

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// MaxDays bounds the days of a constraint, those of its spans together.
const MaxDays = 366

// readDays reads a day or a span of days, or a list of them as alternatives.
func readDays(data json.RawMessage) ([]Value, error) {
	days, err := readValues(data)
	if err != nil {
		return nil, err
	}
	left := MaxDays
	for _, d := range days {
		first, last, err := d.span()
		if err != nil {
			return nil, fmt.Errorf("date is %s: write a day as 2026-01-31, or all days of a span as 2026-01-31/2026-02-03", clip([]byte(d)))
		}
		if left -= int(last.Sub(first)/(24*time.Hour)) + 1; left < 0 {
			return nil, fmt.Errorf("date has more than %d days: write fewer", MaxDays)
		}
	}
	return days, nil
}

// span returns the first and the last day that a value means.
func (v Value) span() (first, last time.Time, err error) {
	from, to, several := strings.Cut(string(v), "/")
	if first, err = time.Parse(time.DateOnly, from); err != nil || !several {
		return first, first, err
	}
	last, err = time.Parse(time.DateOnly, to)
	if err == nil && last.Before(first) {
		err = fmt.Errorf("%s is before %s", to, from)
	}
	return first, last, err
}

// Days returns the days of a constraint, with all those of its spans.
func (c *Constraint) Days() []Value {
	if c.Date == nil {
		return nil
	}
	out := make([]Value, 0, len(c.Date))
	for _, v := range c.Date {
		first, last, err := v.span()
		if err != nil {
			continue // a day that is none allows nothing
		}
		for day := first; !day.After(last) && len(out) < MaxDays; day = day.AddDate(0, 0, 1) {
			out = append(out, Value(day.Format(time.DateOnly)))
		}
	}
	return out
}
