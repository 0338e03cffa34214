package match

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Conditions are on whole values of members. What a condition means depends on the call: whose
// day its times are of, and which value another call gave for it.

// resolved returns the conditions of a source as its results are held to them.
func (m *matcher) resolved(s *Source) []Match {
	depends := m.against
	for i := range s.Where {
		w := &s.Where[i]
		depends = depends || w.From != nil || w.Before != "" || w.After != "" || slices.ContainsFunc(w.Is, isDay)
	}
	if !depends {
		return s.Where
	}

	out := slices.Clone(s.Where)
	for i := range out {
		w := &out[i]
		w.against, w.zone = m.against, m.proposal.zone()
		w.sameDay = s.isOfDay(w.Before) && s.isOfDay(w.After)
		if w.From != nil {
			v, ok := m.joined(&s.Where[i])
			w.Is, w.exact, w.unknown = []scope.Value{v}, true, !ok
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
func (s *Source) isOfDay(v scope.Value) bool {
	if v == "" {
		return true
	}
	t, ok := moment(string(v))
	return ok && slices.ContainsFunc(s.Args, func(a Arg) bool {
		name := argumentName(a.Pointer)
		day := lexicon().Days.In(name) && !lexicon().Ranges.In(name)
		other := slices.ContainsFunc(a.Is, func(v scope.Value) bool { return string(v) != t.Format(time.DateOnly) })
		return day && len(a.Is) > 0 && a.From == nil && !other
	})
}

// join is a condition whose value another call gives, and whether a listing that was narrowed
// late counts for it.
type join struct {
	*Match
	strict bool
}

// joined returns the only value that the sources of a condition give; false where they give none
// or several, or where it is in doubt. Who joins two listings relies on both: the value is
// found as strictly as one that the call itself takes.
func (m *matcher) joined(w *Match) (scope.Value, bool) {
	key := join{w, m.strict || m.against}
	if v, known := m.joins[key]; known {
		return v, v != ""
	}
	v, ok := m.only(w.From)
	if m.joins == nil {
		m.joins = map[join]scope.Value{}
	}
	m.joins[key] = v
	return v, ok
}

// only returns the one value that sources give, without a doubt, for a condition.
func (m *matcher) only(from []Source) (scope.Value, bool) {
	one, ok := m.onlyOf(from)
	return scope.Value(strings.TrimSpace(one.text)), ok
}

// onlyOf returns a place of the one value that sources give, without a doubt.
func (m *matcher) onlyOf(from []Source) (candidate, bool) {
	joined := m.mode
	joined.against, joined.strict, joined.joining = false, m.strict || m.against, true
	o := m.as(joined).offers(from, &Constraint{Pick: scope.Only, From: from}, "")

	doubtful := slices.ContainsFunc(o.values, func(v candidate) bool { return v.doubt != "" })
	if len(o.values) == 0 || doubtful || o.several(Argument{Role: label.Selector}) {
		return candidate{}, false
	}
	return o.values[0], strings.TrimSpace(o.values[0].text) != ""
}

// joinedMember returns a predicate for the members that a condition on another call's value is
// on: one of exactly its name, or of that with the name of the value ("login" of the author). The
// author's name, which people choose, is not the login.
func (m *matcher) joinedMember(w *Match, level *Result) (named func(*field) bool, outermost bool) {
	name := m.head(level, w.name())
	for _, s := range slices.Concat([]Source{{}}, w.From) {
		full := slices.Concat(name, head(s.name()))
		exact := strings.Join(full, " ")
		plain := level.members[exact] && (level.parts[exact] == 0 || m.everywhere(level, exact)) && !m.isObject(level, exact)
		if plain {
			return func(f *field) bool { return f.name == exact }, true
		}
	}
	return func(*field) bool { return false }, true
}

// statedJoin reports whether the sources of a condition are found by the user's words.
func (m *matcher) statedJoin(w *Match) bool {
	stated := func(v scope.Value) bool { return m.stated(string(v)) }
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
	case w.Is != nil && !slices.ContainsFunc(w.Is, func(v scope.Value) bool { return w.is(v, text) }):
		return false
	case w.Prefix != "" && !w.begins(text), w.Ends != "" && !w.ends(text):
		return false
	case len(w.Contains) > 0 && !w.says(text):
		return false
	}
	return w.inBounds(text)
}

// spaced returns the words of a text, folded, with a space between them: "grocery-list.md"
// contains the words "grocery list".
func spaced(text string) string {
	text = fold(text)
	if !strings.ContainsFunc(text, isSign) {
		return text // one word, as most values are
	}
	return strings.Join(strings.FieldsFunc(text, isSign), " ")
}

// hasWords reports whether a text contains words in a row, as whole words. In scripts without
// spaces a word may be anywhere, and in Korean, whose endings are written onto a word, at the
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
		begins := !joins(text[:start], words, false) || endsInParticle(text[:start], words)
		if begins && !joins(words, text[end:], true) {
			return true
		}
		from = start + 1
	}
	return false
}

// endsInParticle reports whether what is written onto the beginning of a word is a particle. A short word may be the end of
// any other.
func endsInParticle(before, word string) bool {
	const short = 3 // letters
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.In(first, unicode.Hebrew, unicode.Arabic) || utf8.RuneCountInString(word) < short {
		return false
	}
	const longest = len(" לכש")
	tail := before[max(0, len(before)-longest):]
	at := strings.LastIndexByte(tail, ' ')
	return (at >= 0 || len(tail) == len(before)) && lexicon().Particles.Has(tail[at+1:])
}

// joins reports whether the end of a text and the beginning of another one are in one word.
func joins(before, after string, ending bool) bool {
	last, first := []rune(tail(before)), []rune(after[:min(len(after), 4)])
	if len(last) == 0 || len(first) == 0 {
		return false
	}
	a, b := last[len(last)-1], first[0]
	switch {
	case isSign(a) || isSign(b):
		return false
	case unicode.IsMark(b):
		return true
	case character.IsUnspaced(a) || character.IsUnspaced(b):
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
