package provenance

import (
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// dateMention is a date in a vouching text. Year is zero when the text doesn't
// say one.
type dateMention struct {
	position
	year, month, day int
	how              string
}

// timeMention is a time of day in a vouching text.
type timeMention struct {
	position
	hour, minute int
}

// durationMention is a length of time in a vouching text.
type durationMention struct {
	position
	length time.Duration
}

const (
	// maxMoments is how many dates, times and durations are kept of all texts: a
	// user's text has few, and every one is tried.
	maxMoments = 64
	// maxUnits is the most of a unit that a duration has.
	maxUnits = 10_000
)

type token struct {
	text       string // lower case
	start, end int
}

// momentReader reads the dates, times of day and durations of one text. Each has one
// reading only: 3/4/2026 is refused.
type momentReader struct {
	v      *vouching
	source int32
	text   string
	tokens []token
	clock  calendar
}

// addMoments indexes the dates, times of day and durations of a vouching text.
func (v *vouching) addMoments(source int, text string, clock calendar) {
	r := momentReader{v: v, source: int32(source), text: text, clock: clock}
	for start, end := range atom.Words(text) {
		r.tokens = append(r.tokens, token{strings.ToLower(text[start:end]), start, end})
	}

	for i := range r.tokens {
		if len(v.dates) >= maxMoments || len(v.times) >= maxMoments || len(v.durations) >= maxMoments {
			return
		}
		r.readDate(i)
		r.readTime(i)
		r.readDuration(i)
	}
	r.readHan()
}

func (r *momentReader) position(start, end int) position {
	return position{r.source, int32(start), int32(end)}
}

// between returns what is between a token and the next one.
func (r *momentReader) between(i int) string { return r.text[r.tokens[i].end:r.tokens[i+1].start] }

// adjacent reports whether a token and the next one are parts of one date.
func (r *momentReader) adjacent(i int) bool {
	switch r.between(i) {
	case " ", ", ", ". ", " the ", ",":
		return true
	}
	return false
}

// day is a day of the calendar; the zero day is none.
type day struct{ year, month, day int }

func dayOf(t time.Time) day { return day{t.Year(), int(t.Month()), t.Day()} }

// dayOfDigits returns the day of three numbers, or none.
func dayOfDigits(year, month, date string) day {
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(date)
	if err1 != nil || err2 != nil || err3 != nil {
		return day{}
	}
	return day{y, m, d}
}

func (r *momentReader) addDate(d day, start, end int, how string) {
	if d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31 {
		r.v.dates = append(r.v.dates, dateMention{r.position(start, end), d.year, d.month, d.day, how})
	}
}

// readDate reads the date that begins, or has its month, at a token.
func (r *momentReader) readDate(i int) {
	if d, ok := r.numericDate(i); ok {
		r.addDate(d, r.tokens[i].start, r.tokens[i+2].end, "date")
		return
	}
	if month, ok := timeNames().months[r.tokens[i].text]; ok {
		r.readMonth(i, month)
		return
	}
	if r.clock != nil {
		r.readRelative(i)
	}
}

// numericDate reads three numbers with one separator, and reports whether there is
// such a form, with a day or none.
func (r *momentReader) numericDate(i int) (day, bool) {
	if i+2 >= len(r.tokens) || r.between(i) != r.between(i+1) {
		return day{}, false
	}

	a, b, c := r.tokens[i].text, r.tokens[i+1].text, r.tokens[i+2].text
	separator := r.between(i)
	switch {
	case separator == "-" && len(a) == 4: // 2024-05-15
		date, _, _ := strings.Cut(c, "t")
		return dayOfDigits(a, b, date), true
	case separator == "." && len(c) == 4: // 15.05.2024: only the German order is written with dots
		return dayOfDigits(c, b, a), true
	case separator == "/":
		return r.slashDate(i), true
	}
	return day{}, false
}

// slashDate reads 2026/05/06, and 28/2/2026 or 2/28/2026, where one number can't be
// the month.
func (r *momentReader) slashDate(i int) day {
	a, b, c := r.tokens[i], r.tokens[i+1], r.tokens[i+2]
	before, after := r.text[:a.start], r.text[c.end:]
	d := dayOfDigits(a.text, b.text, c.text)
	if d == (day{}) || strings.HasSuffix(before, "/") || strings.HasPrefix(after, "/") {
		return day{}
	}

	first, second := d.year, d.month
	yearLast := len(c.text) == 4
	switch {
	case len(a.text) == 4 && len(c.text) <= 2:
		return d
	case yearLast && second <= 12 && (first > 12 || first == second):
		return day{d.day, second, first}
	case yearLast && first <= 12 && second > 12:
		return day{d.day, first, second}
	}
	return day{}
}

// readMonth reads the date that has its month in words: May 15th, 2024; 15 May 2024;
// 15 de mayo de 2024.
func (r *momentReader) readMonth(i, month int) {
	t := r.tokens[i]
	if i+1 < len(r.tokens) && r.adjacent(i) {
		if d, ok := dayNumber(r.tokens[i+1].text); ok {
			year, end := r.yearAfter(i+1, r.tokens[i+1].end)
			r.addDate(day{year, month, d}, t.start, end, "date")
			return
		}
	}
	if i == 0 {
		return
	}

	before := i - 1
	if of := r.tokens[before].text; (of == "of" || of == "de") && before > 0 {
		before--
	}
	d, ok := dayNumber(r.tokens[before].text)
	if !ok {
		return
	}
	last := i
	if last+1 < len(r.tokens) && r.adjacent(last) && (r.tokens[last+1].text == "de" || r.tokens[last+1].text == "del") {
		last++
	}
	year, end := r.yearAfter(last, t.end)
	r.addDate(day{year, month, d}, r.tokens[before].start, end, "date")
}

// yearAfter returns the year after a token with its end; none, and the given end, where there is
// no year.
func (r *momentReader) yearAfter(i, end int) (int, int) {
	if i+1 == len(r.tokens) || !r.adjacent(i) {
		return 0, end
	}
	if y, ok := yearNumber(r.tokens[i+1].text); ok {
		return y, r.tokens[i+1].end
	}
	return 0, end
}

// readRelative reads a day that the clock gives its meaning: "tomorrow", "Friday".
func (r *momentReader) readRelative(i int) {
	t, now := r.tokens[i], r.clock()
	add := func(days, start int) {
		r.addDate(dayOf(now.AddDate(0, 0, days)), start, t.end, "relative date")
	}
	if days, ok := timeNames().days[t.text]; ok {
		add(days, t.start)
	}
	weekday, ok := timeNames().weekdays[t.text]
	if !ok {
		return
	}

	start, ahead := t.start, (weekday-int(now.Weekday())+7)%7
	if ahead == 0 {
		ahead = 7
	}
	if i > 0 && r.tokens[i-1].text == "next" {
		// "Next Friday" is the coming one or the one after: both readings are the
		// user's.
		start = r.tokens[i-1].start
		add(ahead+7, start)
	}
	add(ahead, start)
}

// readTime reads the time of day that begins at a token: 12:30, 9h30, 3 pm, 15 Uhr.
func (r *momentReader) readTime(i int) {
	t := r.tokens[i]
	hour, minute, suffix, ok := hourAndSuffix(t.text)
	if !ok {
		return
	}

	last, clockLike := i, false
	if suffix == "" && last+1 < len(r.tokens) && r.between(last) == ":" {
		next := r.tokens[last+1].text
		minute, suffix = leadingNumber(next)
		if minute < 0 || minute > 59 || len(next) < 2 {
			return
		}
		last, clockLike = last+1, true
	}
	if suffix == "" && last+1 < len(r.tokens) && r.between(last) == " " {
		switch next := r.tokens[last+1].text; next {
		case "am", "pm", "uhr", "o":
			suffix, last = next, last+1
		}
	}

	if hour, ok = hourOfDay(hour, suffix, clockLike); ok {
		r.v.times = append(r.v.times, timeMention{r.position(t.start, r.tokens[last].end), hour, minute})
	}
}

// hourAndSuffix reads the hour that a word begins with, the minutes of "9h30", and
// what follows.
func hourAndSuffix(w string) (hour, minute int, suffix string, ok bool) {
	hour, suffix = leadingNumber(w)
	withMinutes := hour >= 0 && len(suffix) == 3 && suffix[0] == 'h' && isIndex(suffix[1:])
	if withMinutes {
		minute, _ = strconv.Atoi(suffix[1:])
		suffix = "h"
	}
	ok = hour >= 0 && hour <= 24 && minute <= 59 && (withMinutes || len(w) <= 4)
	return hour, minute, suffix, ok
}

// hourOfDay returns the hour from 0 to 23 that an hour with its suffix is. Without a
// suffix it is one only with minutes.
func hourOfDay(hour int, suffix string, minutes bool) (int, bool) {
	switch suffix {
	case "am", "pm":
		if hour < 1 || hour > 12 {
			return 0, false
		}
		hour %= 12
		if suffix == "pm" {
			hour += 12
		}
	case "uhr", "o", "h":
	case "":
		if !minutes {
			return 0, false
		}
	default:
		return 0, false
	}
	return hour % 24, true
}

// readDuration reads the length of time that begins at a token: 90 min, 2h, an hour.
func (r *momentReader) readDuration(i int) {
	t := r.tokens[i]
	n, suffix := leadingNumber(t.text)
	if n < 0 {
		word, ok := numberWords[t.text]
		if !ok || word == 0 {
			return
		}
		n, suffix = word, ""
	}

	last := i
	if suffix == "" {
		if i+1 == len(r.tokens) || len(r.between(i)) != 1 {
			return
		}
		last++
		suffix = r.tokens[last].text
	}
	if unit, ok := timeNames().units[suffix]; ok && n <= maxUnits {
		r.v.durations = append(r.v.durations, durationMention{r.position(t.start, r.tokens[last].end), time.Duration(n) * unit})
	}
}

// leadingNumber returns the number that a word begins with, -1 where it begins with
// none or a long one, and what follows it.
func leadingNumber(s string) (int, string) {
	n := 0
	for n < len(s) && atom.IsDigit(s[n]) {
		n++
	}
	if n == 0 || n > 5 {
		return -1, ""
	}

	v, err := strconv.Atoi(s[:n])
	if err != nil {
		return -1, ""
	}
	return v, s[n:]
}

func dayNumber(s string) (int, bool) {
	n, suffix := leadingNumber(s)
	switch suffix {
	case "", "st", "nd", "rd", "th", "er":
		return n, n >= 1 && n <= 31
	}
	return 0, false
}

func yearNumber(s string) (int, bool) {
	n, suffix := leadingNumber(s)
	return n, suffix == "" && n >= 1900 && n <= 2200
}
