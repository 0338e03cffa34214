package provenance

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/provenance/atom"
)

// Dates and times of day as Chinese and Japanese write them.
var (
	hanDate = pattern.OnUse(`(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号號]`)
	hanTime = pattern.OnUse(`(上午|早上|午前|下午|午後|晚上)?(\d{1,2})[点點時时](?:(\d{1,2})分|(半))?`)
)

// readHan reads the dates and times of day of Chinese and Japanese text.
func (r *momentReader) readHan() {
	if !strings.ContainsAny(r.text, "月点點時时") {
		return
	}

	for _, at := range hanDate().FindAllStringSubmatchIndex(r.text, maxMoments) {
		r.readHanDate(match{r.text, at})
	}
	for _, at := range hanTime().FindAllStringSubmatchIndex(r.text, maxMoments) {
		r.readHanTime(match{r.text, at})
	}
}

// match is a match of an expression in a text, with the places of its groups.
type match struct {
	text string
	at   []int
}

// group returns what a group matched; nothing where it did not.
func (m match) group(n int) string {
	if m.at[2*n] < 0 {
		return ""
	}
	return m.text[m.at[2*n]:m.at[2*n+1]]
}

func (m match) number(group int) int {
	n, _ := strconv.Atoi(m.group(group))
	return n
}

// before and after return the runes around the match.
func (m match) before() rune { return atom.LastRune(m.text[:m.at[0]]) }
func (m match) after() rune  { return atom.FirstRune(m.text[m.at[1]:]) }

func (r *momentReader) readHanDate(m match) {
	// A year of two digits, or of an era, is left alone.
	before := m.before()
	otherWord := atom.IsWordRune(before) && !atom.IsUnspaced(before)
	if otherWord || before == '年' || before == '.' {
		return
	}
	r.addDate(day{m.number(1), m.number(2), m.number(3)}, m.at[0], m.at[1], "date")
}

func (r *momentReader) readHanTime(m match) {
	// "三時間" is a duration, "第3点" an item of a list.
	before := m.before()
	if unicode.IsDigit(before) || strings.ContainsRune(".:-第", before) || strings.ContainsRune("間间", m.after()) {
		return
	}

	half, hour, minute := m.group(4) != "", m.number(2), m.number(3)
	if half {
		minute = 30
	}
	exact := m.group(1) != "" || m.group(3) != "" || half || strings.ContainsRune("日号號天", before)
	if !exact && strings.ContainsAny(m.group(0), "点點") {
		return // "3点" may be three points
	}

	hour, ok := hanHour(m.group(1), hour)
	if ok && hour <= 23 && minute <= 59 {
		r.v.times = append(r.v.times, timeMention{r.position(m.at[0], m.at[1]), hour, minute})
	}
}

// hanHour returns the hour of the day, by the part of the day before it.
func hanHour(part string, hour int) (int, bool) {
	if part == "" {
		return hour, true
	}
	night := part == "晚上"
	if hour < 1 || hour > 12 || (night && hour == 12) {
		return 0, false
	}

	hour %= 12
	if night || part == "下午" || part == "午後" {
		hour += 12
	}
	return hour, true
}
