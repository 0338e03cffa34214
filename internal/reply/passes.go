package reply

import (
	"slices"
	"strings"
)

// Spoken are texts of which it may be sure what they don't say.
type Spoken struct {
	language *lexicon // nil unless it is sure that none is in another one
	words    []string
}

// NewSpoken reads texts.
func NewSpoken(texts []string) Spoken {
	all := strings.Join(texts, "\n")
	if len(all) > maxTold {
		return Spoken{}
	}
	words := flat(sentences(all))
	of := bestOf(words, all, all)
	if len(words) == 0 || len(of) != 1 {
		return Spoken{}
	}

	foreign := func(text string) bool { return !slices.Contains(bestOf(flat(sentences(text)), text, text), of[0]) }
	if slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) != "" && foreign(text) }) {
		return Spoken{}
	}
	return Spoken{of[0], words}
}

// PassOver reports whether texts surely say nothing of a statement that nothing is missing: they are in its
// language, one whose hints the table lists, and have none. Other statements can be told in words that
// have nothing in common with them.
func (s Spoken) PassOver(statement string) bool {
	l := s.language
	if l == nil || len(statement) > maxStatement {
		return false
	}
	named := flat(sentences(statement))
	_, closes := l.closing(named, "")
	return closes && l.lists(hint) && slices.Contains(bestOf(named, statement, statement), l) && !l.has(hint, s.words)
}

// PointNowhere reports whether texts are in a language whose words for pointing back the table lists, and have
// none, such as "the same as before".
func (s Spoken) PointNowhere() bool {
	return s.language != nil && s.language.lists(point) && !s.language.has(point, s.words)
}

// lists reports whether a language has phrases of a kind.
func (l *lexicon) lists(k kind) bool {
	for _, phrases := range l.byFirst {
		if slices.ContainsFunc(phrases, func(p phrase) bool { return p.kind == k }) {
			return true
		}
	}
	return false
}
