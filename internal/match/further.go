package match

import (
	"slices"
	"strings"
	"unicode"
)

// A title may have more words than the user calls its thing by: "Studio rent (closed)" is another thing than "Studio rent".

// saysNoMore reports whether the titles by which a record meets loosened conditions say nothing else of it than the user did. In whatever
// language further words deny that it is meant ("old", "draft", "comment on"), so for what can't be taken back they are the user's own, the
// kind of thing that the tool lists, or numbers and days that the record has.
func (m *matcher) saysNoMore(where, loose []Match, r *Result, record string) bool {
	if !m.irreversible || m.against {
		return true
	}

	m.spoken.read(m.said)
	isSaid := func(w string) bool { return m.spoken.words[w] }
	if lexicon().Denying.In(words(m.said)) {
		isSaid = func(string) bool { return false } // "and not the draft"
	}
	for i := range loose {
		if len(where[i].Is) == len(loose[i].Is) {
			continue
		}
		title := words(string(where[i].Is[0]))
		isTitle, _ := m.condition(&loose[i], r)
		isKnown := func(w string) bool {
			return slices.Contains(title, w) || isSaid(w) || r.isAbout(w) || m.hasNumber(r, record, w, isTitle)
		}
		for _, at := range r.records[record] {
			f := &r.fields[at]
			if isTitle(f) && (!m.work(len(f.text)*perStep) || slices.ContainsFunc(words(f.text), func(w string) bool { return !isKnown(w) })) {
				return false
			}
		}
	}
	return true
}

// hasNumber reports whether a word of a title has a digit and is in another member of its record, as a number, an id or a day.
func (m *matcher) hasNumber(r *Result, record, word string, isTitle func(*field) bool) bool {
	if !strings.ContainsFunc(word, unicode.IsDigit) {
		return false
	}
	return slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return !isTitle(f) && m.work(len(f.text)) && slices.Contains(words(f.text), word)
	})
}
