package reply

import (
	"slices"
	"strings"
)

// PassesOver reports whether texts surely say nothing of a statement that nothing is missing: they are in its
// language, one whose hints the table lists, and have none. Other statements can be told in words that
// have nothing in common with them.
func PassesOver(texts []string, statement string) bool {
	l, words := onlyLanguage(texts)
	if l == nil || len(statement) > maxStatement {
		return false
	}
	named := flat(sentences(statement))
	_, closes := l.closing(named, "")
	return closes && l.lists(hint) && slices.Contains(bestOf(named, statement, statement), l) && !l.has(hint, words)
}

// PointsNowhere reports whether texts are in a language whose words for pointing back the table lists, and have
// none, such as "the same as before".
func PointsNowhere(texts []string) bool {
	l, words := onlyLanguage(texts)
	return l != nil && l.lists(point) && !l.has(point, words)
}

// onlyLanguage returns the language of texts and their words; nil unless it is sure that none is in
// another one.
func onlyLanguage(texts []string) (*lexicon, []string) {
	all := strings.Join(texts, "\n")
	if len(all) > maxTold {
		return nil, nil
	}
	words := flat(sentences(all))
	of := bestOf(words, all, all)
	if len(words) == 0 || len(of) != 1 {
		return nil, nil
	}

	foreign := func(text string) bool { return !slices.Contains(bestOf(flat(sentences(text)), text, text), of[0]) }
	if slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) != "" && foreign(text) }) {
		return nil, nil
	}
	return of[0], words
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
