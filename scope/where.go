package scope

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/remit-project/remit/label"
)

// Conditions are on whole values of members. What a condition means depends on the call: whose
// day its times are of, and which value another call gave for it.

// resolved returns the conditions of a source as its results are held to them.
func (m *matcher) resolved(s *Source) []Match {
	plain := func(w Match) bool { return w.From == nil && w.Before+w.After == "" }
	if !m.against && !slices.ContainsFunc(s.Where, func(w Match) bool { return !plain(w) }) {
		return s.Where
	}
	out := slices.Clone(s.Where)
	for i := range out {
		w := &out[i]
		w.against = m.against
		w.sameDay = s.isOfDay(w.Before) && s.isOfDay(w.After)
		if w.From != nil {
			v, ok := m.joined(&s.Where[i])
			w.Is, w.exact, w.unknown = []Value{v}, true, !ok
		}
	}
	return out
}

// unknown says why a condition can't be held to anything; empty where all can.
func (m *matcher) unknown(where []Match) string {
	for i := range where {
		if w := &where[i]; w.unknown {
			return m.say("%s has to be what %s gives, which isn't one value", w.Field, from(w.From))
		}
	}
	return ""
}

// isOfDay reports whether the call of a source states the day of a moment, so that all times
// in its result are of that day.
func (s *Source) isOfDay(v Value) bool {
	if v == "" {
		return true
	}
	t, ok := moment(string(v))
	return ok && slices.ContainsFunc(s.Args, func(a Arg) bool {
		name := argumentName(a.Pointer)
		day := oneOf(name, days) && !oneOf(name, ranges)
		other := slices.ContainsFunc(a.Is, func(v Value) bool { return string(v) != t.Format(time.DateOnly) })
		return day && len(a.Is) > 0 && a.From == nil && !other
	})
}

// days are the words of arguments that ask for one day, and ranges those of one end of several.
var (
	days   = strings.Fields("day date on")
	ranges = strings.Fields("from to start begin end after before since until min max first last range")
)

// join is a condition whose value another call gives, and whether a listing that was narrowed
// late counts for it.
type join struct {
	*Match
	strict bool
}

// joined returns the only value that the sources of a condition give; false where they give none
// or several, or where it is in doubt. Who joins two listings relies on both: the value is
// found as strictly as one that the call itself takes.
func (m *matcher) joined(w *Match) (Value, bool) {
	against, strict, joining := m.against, m.strict, m.joining
	key := join{w, strict || against}
	if v, known := m.joins[key]; known {
		return v, v != ""
	}
	m.against, m.strict, m.joining = false, strict || against, true
	o := m.offers(w.From, &Constraint{Pick: Only, From: w.From}, "")
	m.against, m.strict, m.joining = against, strict, joining

	doubtful := slices.ContainsFunc(o.values, func(v candidate) bool { return v.doubt != "" })
	var v Value
	if len(o.values) > 0 && !doubtful && !o.several(Argument{Role: label.Selector}) {
		v = Value(strings.TrimSpace(o.values[0].text))
	}
	if m.joins == nil {
		m.joins = map[join]Value{}
	}
	m.joins[key] = v
	return v, v != ""
}

// statedJoin reports whether the sources of a condition are found by the user's words.
func (m *matcher) statedJoin(w *Match) bool {
	stated := func(v Value) bool { return m.stated(string(v)) }
	return len(w.From) > 0 && !slices.ContainsFunc(w.From, func(s Source) bool {
		asked := slices.ContainsFunc(s.Args, func(a Arg) bool { return len(a.Is) > 0 && a.From == nil && slices.ContainsFunc(a.Is, stated) })
		return !asked && !slices.ContainsFunc(s.Where, m.statedMatch)
	})
}

// accepts reports whether the text of a field meets a condition.
func (w *Match) accepts(text string) bool {
	switch {
	case w.unknown:
		return false
	case w.Is != nil && !slices.ContainsFunc(w.Is, func(v Value) bool { return same(string(v), text, w.exact) || (isDay(v) && onDay(v, text)) }):
		return false
	case w.Prefix != "" && !strings.HasPrefix(fold(text), fold(w.Prefix)):
		return false
	case len(w.Contains) > 0 && !slices.ContainsFunc(w.Contains, func(words string) bool { return hasWords(spaced(text), spaced(words)) }):
		return false
	}
	before, after := w.order(text, w.Before), w.order(text, w.After)
	return (w.Before == "" || before < 0) && (w.After == "" || (after > 0 && after != unordered)) && beyond(text, w.Below, -1) && beyond(text, w.Above, 1)
}

// unordered is the order of what can't be compared.
const unordered = 2

// order compares a text with a bound in time: negative before it, positive after it. A time of
// the day bounds that of a moment, and a text that is one is compared with the time of a moment
// where the call is about its day alone. A day ends with its last moment; what speaks against
// a call does so on that day as well.
func (w *Match) order(text string, bound Value) int {
	text = strings.TrimSpace(text)
	limit, isMoment := moment(string(bound))
	at, dated := moment(text)
	hour, isClock := clock(text)
	if isMoment && isDay(bound) {
		if !dated {
			return unordered
		}
		if onDay(bound, text) && !(w.against && at.After(limit)) {
			return 0
		}
		return at.Compare(limit)
	}

	of, bare := clock(string(bound))
	switch {
	case isMoment && dated:
		return at.Compare(limit)
	case isMoment && isClock && w.sameDay:
		of = sinceMidnight(limit)
	case bare && dated && !isDay(Value(text)):
		hour = sinceMidnight(at)
	case !(bare && isClock):
		return unordered
	}
	return int(min(max(hour-of, -1), 1))
}

// compares reports whether a text can be compared with the bounds of a condition.
func (w *Match) compares(text string) bool {
	isNumber := quantity(text) != nil
	timed := func(bound Value) bool { return bound == "" || w.order(text, bound) != unordered }
	return timed(w.Before) && timed(w.After) && (w.Below+w.Above == "" || isNumber)
}

// beyond reports whether a text is on one side of a number, where there is one.
func beyond(text string, bound Value, order int) bool {
	if bound == "" {
		return true
	}
	at, limit := quantity(text), quantity(string(bound))
	return at != nil && limit != nil && at.Cmp(limit) == order
}

// spaced returns the words of a text, folded, with a space between them: "grocery-list.md"
// contains the words "grocery list".
func spaced(text string) string {
	return strings.Join(strings.FieldsFunc(fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }), " ")
}

// unspaced are the scripts in which no space parts words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// hasWords reports whether a text contains words in a row, as whole words. In scripts without
// spaces a word may stand anywhere, and in Korean, whose endings are written onto a word, at the
// beginning of one.
func hasWords(text, words string) bool {
	if words == "" {
		return false
	}
	left := maxCompared / len(words)
	for from := 0; left > 0; left-- {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(words)
		if !joins(text[:start], words, false) && !joins(words, text[end:], true) {
			return true
		}
		from = start + 1
	}
	return false
}

// joins reports whether the end of a text and the beginning of another one are in one word.
func joins(before, after string, ending bool) bool {
	last, first := []rune(tail(before)), []rune(after[:min(len(after), 4)])
	if len(last) == 0 || len(first) == 0 {
		return false
	}
	a, b := last[len(last)-1], first[0]
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	switch {
	case !inWord(a) || !inWord(b):
		return false
	case unicode.IsMark(b):
		return true
	case unicode.In(a, unspaced...) || unicode.In(b, unspaced...):
		return false
	}
	return !(ending && unicode.Is(unicode.Hangul, a) && unicode.Is(unicode.Hangul, b))
}

// tail returns the last bytes of a text, enough for a rune.
func tail(s string) string {
	const enough = 8
	s = s[max(0, len(s)-enough):]
	return strings.ToValidUTF8(s, "")
}
