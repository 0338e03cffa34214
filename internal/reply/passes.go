package reply

import (
	"slices"
	"strings"
)

// PassesOver reports whether texts surely say nothing of a statement that nothing is missing: they are in its
// language, one whose hints the table lists, and have none. Other statements can be told in words that
// have nothing in common with them.
func PassesOver(texts []string, statement string) bool {
	all := strings.Join(texts, "\n")
	if len(all) > maxTold || len(statement) > maxStatement {
		return false
	}
	words, named := flat(sentences(all)), flat(sentences(statement))
	in, of := bestOf(words, all, all), bestOf(named, statement, statement)
	if len(words) == 0 || len(in) != 1 || !slices.Equal(in, of) {
		return false
	}

	_, closes := in[0].closing(named, "")
	return closes && in[0].hints() && !in[0].has(hint, words)
}

// hints reports whether the language has hints.
func (l *lexicon) hints() bool {
	for _, phrases := range l.byFirst {
		if slices.ContainsFunc(phrases, func(p phrase) bool { return p.kind == hint }) {
			return true
		}
	}
	return false
}
