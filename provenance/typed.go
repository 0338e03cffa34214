package provenance

import (
	"strings"

	"github.com/remit-project/remit/label"
)

// typed resolves a value that is equal to something in vouching text by the
// rules of its own kind: an e-mail address, a URL, a number, a handle, a code
// written in groups, a date.
func (q *query) typed(text string) (Resolution, bool) {
	vouch := &q.s.vouch
	if key, ok := mailKey(text); ok {
		if r, ok := q.places(text, vouch.mails[key], "e-mail address"); ok {
			return r, true
		}
	}
	if u, ok := parseURL(text, q.v.Form == FormURL); ok {
		if r, ok := q.places(text, vouch.urls[u.key()], "URL"); ok {
			return r, true
		}
	}
	if r, ok := q.typedNumber(text); ok {
		return r, true
	}
	if r, ok := q.handle(text); ok {
		return r, true
	}
	if r, ok := q.grouped(text); ok {
		return r, true
	}
	if r, ok := q.moment(text); ok {
		return r, true
	}
	return Resolution{}, false
}

// places resolves a value by positions of its equals.
func (q *query) places(text string, list []position, how string) (Resolution, bool) {
	var found []occurrence
	for _, p := range list[:min(len(list), maxPositions)] {
		if bounded(q.s.vouch.sources[p.source].text, int(p.start), int(p.end)) || strings.HasPrefix(q.s.vouch.sources[p.source].text[p.start:], "mailto:") {
			found = append(found, q.s.vouch.occurrence(int(p.source), int(p.start), int(p.end)))
		}
	}
	return q.best(text, found, how, false)
}

// typedNumber resolves a number that is equal to one in vouching text.
func (q *query) typedNumber(text string) (Resolution, bool) {
	n, ok := parseNumber(text)
	if !ok {
		return Resolution{}, false
	}
	for _, m := range q.s.vouch.numbers[n.RatString()] {
		o := q.s.vouch.occurrence(int(m.source), int(m.start), int(m.end))
		left, right := q.s.vouch.around(o, 6, 3)
		little := len(strings.TrimLeft(text, "-")) <= 3 && !m.marked
		if little && !q.n.cued(left) && !q.n.cued(right) && !(q.quantityLike() && !counted(right)) {
			continue
		}
		return Resolution{Label: q.s.vouch.sources[m.source].label, How: "number", Witness: true, Bounded: true,
			Evidence: []Evidence{q.s.vouchEvidence(o, len(text))}}, true
	}
	// "Two tickets": a number written as a word, next to what it counts.
	for w, value := range numberWords {
		if len(w) < 3 || value == 0 || n.RatString() != itoa(value) {
			continue
		}
		for _, p := range q.s.vouch.words[w] {
			o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
			left, right := q.s.vouch.around(o, 6, 3)
			if q.n.cued(left) || q.n.cued(right) {
				return Resolution{Label: q.s.vouch.sources[p.source].label, How: "number", Witness: true, Bounded: true,
					Evidence: []Evidence{q.s.vouchEvidence(o, len(text))}}, true
			}
		}
	}
	return Resolution{}, false
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return string([]byte{byte('0' + n/10), byte('0' + n%10)})
}

// handle resolves a name that the user wrote with its sigil, "@bob" or
// "#general", to the name alone, or the other way round.
func (q *query) handle(text string) (Resolution, bool) {
	bare := strings.TrimLeft(text, "@#")
	if bare == "" || strings.ContainsAny(bare, " @#/") || len(text)-len(bare) > 1 {
		return Resolution{}, false
	}
	if bare != text {
		return q.best(text, q.s.vouch.find(bare, false), "handle", false)
	}
	for _, sigil := range [...]string{"@", "#"} {
		if found := q.s.vouch.find(sigil+bare, false); len(found) > 0 {
			r, ok := q.best(text, found, "handle", false)
			r.Label.Obligations &^= label.LowInfo
			return r, ok
		}
	}
	return Resolution{}, false
}

// grouped resolves a code that the user wrote in groups: an IBAN or a card or
// phone number with blanks or hyphens between its parts, given without them.
func (q *query) grouped(text string) (Resolution, bool) {
	if len(text) < 8 || len(text) > 64 {
		return Resolution{}, false
	}
	digits := 0
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) {
			digits++
		} else if !isAlnum(text[i]) && (i > 0 || text[i] != '+') {
			return Resolution{}, false
		}
	}
	if digits < 4 {
		return Resolution{}, false
	}
	var found []occurrence
	for k := 2; k < min(len(text), 9); k++ {
		for _, p := range q.s.vouch.words[strings.ToLower(strings.TrimPrefix(text[:k], "+"))] {
			src := q.s.vouch.sources[p.source].text
			start := int(p.start)
			if text[0] == '+' {
				if start == 0 || src[start-1] != '+' {
					continue
				}
				start--
			}
			if end, ok := spelledInGroups(src[start:], text); ok && bounded(src, start, start+end) {
				found = append(found, q.s.vouch.occurrence(int(p.source), start, start+end))
			}
		}
	}
	return q.best(text, found, "groups joined", false)
}

func spelledInGroups(src, value string) (int, bool) {
	i := 0
	for j := 0; j < len(value); {
		if i >= len(src) {
			return 0, false
		}
		if src[i] == value[j] {
			i++
			j++
			continue
		}
		if (src[i] == ' ' || src[i] == '-') && j > 0 && i+1 < len(src) && src[i+1] == value[j] {
			i++
			continue
		}
		return 0, false
	}
	return i, true
}

// moment resolves a date, a time of day, or both. Each part must be vouched
// for: by a mention, or as a field of a result that is not external.
func (q *query) moment(text string) (Resolution, bool) {
	if d, ok := parseDuration(text); ok {
		for _, m := range q.s.vouch.durations {
			if m.length == d && d > 0 {
				o := occurrence{source: int(m.source), start: int(m.start), end: int(m.end)}
				return Resolution{Label: q.s.vouch.sources[m.source].label, How: "duration", Witness: true, Bounded: true,
					Evidence: []Evidence{q.s.vouchEvidence(o, len(text))}}, true
			}
		}
		return Resolution{}, false
	}
	m, ok := parseMoment(text)
	if !ok || m.at.Nanosecond() != 0 || !q.s.clock.zone(m.at) {
		return Resolution{}, false
	}
	r := Resolution{Label: label.Identity(), How: "date", Witness: true, Bounded: true}
	add := func(places ...position) {
		for _, p := range places {
			o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
			r.Label = label.Merge(r.Label, q.s.vouch.sources[p.source].label)
			r.Evidence = append(r.Evidence, q.s.vouchEvidence(o, len(text)))
		}
	}
	if m.date {
		d, ok := q.s.vouch.vouchDate(m.at, q.s.clock)
		if !ok {
			return Resolution{}, false
		}
		add(d.position)
		r.How = d.how
	}
	if m.clock && (!m.date || m.at.Hour()+m.at.Minute()+m.at.Second() > 0) {
		places, how, ok := q.s.vouch.vouchTime(m.at)
		if !ok {
			return Resolution{}, false
		}
		add(places...)
		if m.date {
			how = "date and " + how
		}
		r.How = how
	}
	return r, true
}
