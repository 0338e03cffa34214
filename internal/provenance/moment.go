package provenance

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// calendar is the session's clock when a text came in: what "tomorrow" meant.
type calendar func() time.Time

// zone tells whether a moment is given in the zone of the clock, or in none:
// another zone would be another time of day than the one that was said.
func (c calendar) zone(at time.Time) bool {
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

// Mentions are capped: a user's text names few moments, and every one is tried.
const maxMoments = 64

var months = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
	"september": 9, "october": 10, "november": 11, "december": 12,
	"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
	"janvier": 1, "février": 2, "mars": 3, "avril": 4, "juin": 6, "juillet": 7, "août": 8, "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12,
	"enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8, "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var weekdays = map[string]time.Weekday{
	"sunday": time.Sunday, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday,
	"thursday": time.Thursday, "friday": time.Friday, "saturday": time.Saturday,
	"sonntag": time.Sunday, "montag": time.Monday, "dienstag": time.Tuesday, "mittwoch": time.Wednesday,
	"donnerstag": time.Thursday, "freitag": time.Friday, "samstag": time.Saturday, "sonnabend": time.Saturday,
	"dimanche": time.Sunday, "lundi": time.Monday, "mardi": time.Tuesday, "mercredi": time.Wednesday,
	"jeudi": time.Thursday, "vendredi": time.Friday, "samedi": time.Saturday,
	"domingo": time.Sunday, "lunes": time.Monday, "martes": time.Tuesday, "miércoles": time.Wednesday,
	"jueves": time.Thursday, "viernes": time.Friday, "sábado": time.Saturday,
}

// calendarWord tells whether a value is the name of a month or a weekday.
func calendarWord(s string) bool {
	s = strings.ToLower(s)
	_, month := months[s]
	_, day := weekdays[s]
	return month || day
}

// inTime tells whether the words around a calendar word make it a time.
func inTime(left, right []string) bool {
	if len(right) > 0 {
		if n, _ := leadingNumber(right[0]); n > 0 {
			return true
		}
	}
	if len(left) == 0 {
		return false
	}
	w := left[len(left)-1]
	if n, _ := leadingNumber(w); n > 0 {
		return true
	}
	switch w {
	case "in", "on", "by", "until", "till", "since", "of", "next", "last", "this", "every", "each", "before", "after", "during",
		"early", "late", "mid", "end", "through", "im", "am", "bis", "seit", "ab", "vor", "nach", "nächsten", "letzten", "ende", "anfang",
		"en", "le", "el", "de", "d", "depuis", "avant", "après", "desde", "hasta", "fin":
		return true
	}
	return false
}

// momentLike tells whether an argument asks for a time.
func (q *query) momentLike() bool {
	return momentNames.in(q.n.last)
}

type token struct {
	text       string // lower case
	start, end int
}

// addMoments reads dates, times of day and durations out of a vouching text.
// Each has one reading only: 3/4/2026 is refused.
func (v *vouching) addMoments(source int, text string, clock calendar) {
	var tokens []token
	for start, end := range words(text) {
		tokens = append(tokens, token{strings.ToLower(text[start:end]), start, end})
	}
	for i := 0; i < len(tokens); i++ {
		if len(v.dates) >= maxMoments || len(v.times) >= maxMoments || len(v.durations) >= maxMoments {
			return
		}
		v.readDate(source, text, tokens, i, clock)
		v.readTime(source, text, tokens, i)
		v.readDuration(source, text, tokens, i)
	}
	v.readHan(source, text)
}

// Dates and times of day as Chinese and Japanese write them.
var (
	hanDate = regexp.MustCompile(`(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号號]`)
	hanTime = regexp.MustCompile(`(上午|早上|午前|下午|午後|晚上)?(\d{1,2})[点點時时](?:(\d{1,2})分|(半))?`)
)

func (v *vouching) readHan(source int, text string) {
	if !strings.ContainsAny(text, "月点點時时") {
		return
	}
	number := func(m []int, group int) int {
		if m[2*group] < 0 {
			return 0
		}
		n, _ := strconv.Atoi(text[m[2*group]:m[2*group+1]])
		return n
	}
	for _, m := range hanDate.FindAllStringSubmatchIndex(text, maxMoments) {
		// A year of two digits, or of an era, is left alone.
		if before, _ := utf8.DecodeLastRuneInString(text[:m[0]]); wordRune(before) && !scriptless(before) || before == '年' || before == '.' {
			continue
		}
		if month, day := number(m, 2), number(m, 3); month >= 1 && month <= 12 && day >= 1 && day <= 31 {
			v.dates = append(v.dates, dateMention{position{int32(source), int32(m[0]), int32(m[1])}, number(m, 1), month, day, "date"})
		}
	}
	for _, m := range hanTime.FindAllStringSubmatchIndex(text, maxMoments) {
		before, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		after, _ := utf8.DecodeRuneInString(text[m[1]:])
		// "三時間" is a duration, "第3点" an item of a list.
		if unicode.IsDigit(before) || strings.ContainsRune(".:-第", before) || strings.ContainsRune("間间", after) {
			continue
		}
		half, hour, minute := m[2*4] >= 0, number(m, 2), number(m, 3)
		if half {
			minute = 30
		}
		if m[2] < 0 && m[6] < 0 && !half && !strings.ContainsRune("日号號天", before) && strings.ContainsAny(text[m[0]:m[1]], "点點") {
			continue // "3点" may be three points
		}
		if m[2] >= 0 {
			night := text[m[2]:m[3]] == "晚上"
			if hour < 1 || hour > 12 || night && hour == 12 {
				continue
			}
			hour %= 12
			if p := text[m[2]:m[3]]; night || p == "下午" || p == "午後" {
				hour += 12
			}
		}
		if hour <= 23 && minute <= 59 {
			v.times = append(v.times, timeMention{position{int32(source), int32(m[0]), int32(m[1])}, hour, minute})
		}
	}
}

func (v *vouching) readDate(source int, text string, tokens []token, i int, clock calendar) {
	add := func(year, month, day, start, end int, how string) {
		if month >= 1 && month <= 12 && day >= 1 && day <= 31 {
			v.dates = append(v.dates, dateMention{position{int32(source), int32(start), int32(end)}, year, month, day, how})
		}
	}
	t := tokens[i]
	// 2024-05-15
	if i+2 < len(tokens) && len(t.text) == 4 && between(text, t, tokens[i+1]) == "-" && between(text, tokens[i+1], tokens[i+2]) == "-" {
		y, err1 := strconv.Atoi(t.text)
		m, err2 := strconv.Atoi(tokens[i+1].text)
		d, err3 := strconv.Atoi(strings.SplitN(tokens[i+2].text, "t", 2)[0])
		if err1 == nil && err2 == nil && err3 == nil {
			add(y, m, d, t.start, tokens[i+2].end, "date")
		}
		return
	}
	// 15.05.2024: only the German order is written with dots.
	if i+2 < len(tokens) && len(tokens[i+2].text) == 4 && between(text, t, tokens[i+1]) == "." && between(text, tokens[i+1], tokens[i+2]) == "." {
		d, err1 := strconv.Atoi(t.text)
		m, err2 := strconv.Atoi(tokens[i+1].text)
		y, err3 := strconv.Atoi(tokens[i+2].text)
		if err1 == nil && err2 == nil && err3 == nil {
			add(y, m, d, t.start, tokens[i+2].end, "date")
		}
		return
	}
	// 2026/05/06, and 28/2/2026 or 2/28/2026, where one number can't be the month.
	if i+2 < len(tokens) && between(text, t, tokens[i+1]) == "/" && between(text, tokens[i+1], tokens[i+2]) == "/" {
		a, err1 := strconv.Atoi(t.text)
		b, err2 := strconv.Atoi(tokens[i+1].text)
		c, err3 := strconv.Atoi(tokens[i+2].text)
		whole := !strings.HasPrefix(text[tokens[i+2].end:], "/") && (t.start == 0 || text[t.start-1] != '/')
		switch {
		case err1 != nil || err2 != nil || err3 != nil || !whole:
		case len(t.text) == 4 && len(tokens[i+2].text) <= 2:
			add(a, b, c, t.start, tokens[i+2].end, "date")
		case len(tokens[i+2].text) == 4 && b <= 12 && (a > 12 || a == b):
			add(c, b, a, t.start, tokens[i+2].end, "date")
		case len(tokens[i+2].text) == 4 && a <= 12 && b > 12:
			add(c, a, b, t.start, tokens[i+2].end, "date")
		}
		return
	}
	if m, ok := months[t.text]; ok {
		// May 15th, 2024 and 15 May 2024
		if i+1 < len(tokens) {
			if d, ok := dayNumber(tokens[i+1].text); ok && gap(text, t, tokens[i+1]) {
				year, end := 0, tokens[i+1].end
				if i+2 < len(tokens) && gap(text, tokens[i+1], tokens[i+2]) {
					if y, ok := yearNumber(tokens[i+2].text); ok {
						year, end = y, tokens[i+2].end
					}
				}
				add(year, m, d, t.start, end, "date")
				return
			}
		}
		if i > 0 {
			j := i - 1
			if (tokens[j].text == "of" || tokens[j].text == "de") && j > 0 {
				j--
			}
			if d, ok := dayNumber(tokens[j].text); ok {
				year, end, k := 0, t.end, i+1
				if k < len(tokens) && (tokens[k].text == "de" || tokens[k].text == "del") && gap(text, t, tokens[k]) {
					k++
				}
				if k < len(tokens) && gap(text, tokens[k-1], tokens[k]) {
					if y, ok := yearNumber(tokens[k].text); ok {
						year, end = y, tokens[k].end
					}
				}
				add(year, m, d, tokens[j].start, end, "date")
			}
		}
		return
	}
	if clock == nil {
		return
	}
	relative := func(day time.Time, start int) {
		add(day.Year(), int(day.Month()), day.Day(), start, t.end, "relative date")
	}
	now := clock()
	switch t.text {
	case "today", "tonight", "heute":
		relative(now, t.start)
	case "tomorrow", "morgen":
		relative(now.AddDate(0, 0, 1), t.start)
	case "yesterday", "gestern":
		relative(now.AddDate(0, 0, -1), t.start)
	}
	if w, ok := weekdays[t.text]; ok {
		start, ahead := t.start, (int(w)-int(now.Weekday())+7)%7
		if ahead == 0 {
			ahead = 7
		}
		if i > 0 && tokens[i-1].text == "next" {
			// "Next Friday" is the coming one or the one after: both readings
			// are the user's, and nobody else's.
			start = tokens[i-1].start
			relative(now.AddDate(0, 0, ahead+7), start)
		}
		relative(now.AddDate(0, 0, ahead), start)
	}
}

func (v *vouching) readTime(source int, text string, tokens []token, i int) {
	t := tokens[i]
	hour, suffix := leadingNumber(t.text)
	minute, end, clockLike := 0, t.end, false
	if hour >= 0 && len(suffix) == 3 && suffix[0] == 'h' && isIndex(suffix[1:]) { // 9h30
		minute, _ = strconv.Atoi(suffix[1:])
		suffix = "h"
	} else if len(t.text) > 4 {
		return
	}
	if hour < 0 || hour > 24 || minute > 59 {
		return
	}
	next := i + 1
	if suffix == "" && next < len(tokens) && between(text, t, tokens[next]) == ":" {
		m, s := leadingNumber(tokens[next].text)
		if m < 0 || m > 59 || len(tokens[next].text) < 2 {
			return
		}
		minute, suffix, end, clockLike = m, s, tokens[next].end, true
		next++
	}
	if suffix == "" && next < len(tokens) && between(text, tokens[next-1], tokens[next]) == " " {
		if s := tokens[next].text; s == "am" || s == "pm" || s == "uhr" || s == "o" {
			suffix, end = s, tokens[next].end
		}
	}
	switch suffix {
	case "am", "pm":
		if hour < 1 || hour > 12 {
			return
		}
		hour %= 12
		if suffix == "pm" {
			hour += 12
		}
	case "uhr", "o", "h":
	case "":
		if !clockLike {
			return
		}
	default:
		return
	}
	if hour == 24 {
		hour = 0
	}
	v.times = append(v.times, timeMention{position{int32(source), int32(t.start), int32(end)}, hour, minute})
}

func (v *vouching) readDuration(source int, text string, tokens []token, i int) {
	t := tokens[i]
	n, suffix := leadingNumber(t.text)
	unitAt := i
	if n < 0 {
		w, ok := numberWords[t.text]
		if !ok || w == 0 {
			return
		}
		n, suffix = w, ""
	}
	if suffix == "" {
		unitAt++
		if unitAt >= len(tokens) || len(between(text, t, tokens[unitAt])) != 1 {
			return
		}
		suffix = tokens[unitAt].text
	}
	var unit time.Duration
	switch suffix {
	case "h", "hr", "hrs", "hour", "hours", "stunde", "stunden":
		unit = time.Hour
	case "m", "min", "mins", "minute", "minutes", "minuten":
		unit = time.Minute
	case "d", "day", "days", "night", "nights", "tag", "tage", "tagen":
		unit = 24 * time.Hour
	case "week", "weeks", "woche", "wochen":
		unit = 7 * 24 * time.Hour
	default:
		return
	}
	if n > 10_000 {
		return
	}
	v.durations = append(v.durations, durationMention{position{int32(source), int32(t.start), int32(tokens[unitAt].end)}, time.Duration(n) * unit})
}

func between(text string, a, b token) string { return text[a.end:b.start] }

// gap tells whether two tokens of a date stand next to each other.
func gap(text string, a, b token) bool {
	switch between(text, a, b) {
	case " ", ", ", ". ", " the ", ",":
		return true
	}
	return false
}

func leadingNumber(s string) (int, string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
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

// layouts are the forms in which an argument's date or date-time is read.
var layouts = [...]struct {
	layout       string
	date, clock  bool
	minuteLength int
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
	if !isDigit(s[0]) && !monthStart(s) {
		return moment{}, false
	}
	for _, l := range layouts {
		if l.minuteLength != 0 && len(s) != l.minuteLength {
			continue
		}
		if at, err := time.Parse(l.layout, s); err == nil {
			return moment{at, l.date, l.clock}, true
		}
	}
	return moment{}, false
}

// monthStart tells whether a text begins as an English month's name does: to
// try all layouts on every other word costs more than all that a word is
// otherwise looked up for.
func monthStart(s string) bool {
	switch asciiLower(s[:3]) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec":
		return true
	}
	return false
}

// vouchDate finds a mention of the date. A mention without a year is the date
// in the clock's year or the next.
func (v *vouching) vouchDate(at time.Time, clock calendar) (dateMention, bool) {
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

// vouchTime finds a mention of the time of day, or one that a mentioned
// duration leads from.
func (v *vouching) vouchTime(at time.Time) (places []position, how string, ok bool) {
	for _, t := range v.times {
		if t.hour == at.Hour() && t.minute == at.Minute() && at.Second() == 0 {
			return []position{t.position}, "time", true
		}
	}
	v.work.spend(len(v.times) * (1 + len(v.durations)))
	for _, t := range v.times {
		for _, d := range v.durations {
			minutes := t.hour*60 + t.minute + int(d.length/time.Minute)
			if minutes%(24*60) == at.Hour()*60+at.Minute() && at.Second() == 0 {
				return []position{t.position, d.position}, "time plus duration", true
			}
		}
	}
	return nil, "", false
}

// parseDuration reads a duration argument such as "1h 30m", "90m" or "2 hours".
func parseDuration(s string) (time.Duration, bool) {
	if len(s) > 32 || s == "" {
		return 0, false
	}
	var total time.Duration
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
		switch unit {
		case "h", "hour", "hours":
			total += time.Duration(n) * time.Hour
		case "m", "min", "minute", "minutes":
			total += time.Duration(n) * time.Minute
		case "d", "day", "days":
			total += time.Duration(n) * 24 * time.Hour
		default:
			return 0, false
		}
	}
	return total, true
}
