package reply

import (
	"slices"
	"strings"
	"unicode"
)

// Bounds on what is searched for a statement, in bytes.
const (
	maxTold      = 64 << 10
	maxStatement = 1 << 10
)

// leastTold is how many words that mean something a statement has at least: fewer are in too many
// sentences.
const leastTold = 2

// Tells reports whether a text says what a statement says. Two sentences that follow each other
// must have all of its words but the small ones, in whatever order and form, and must negate
// where it does. What says the same in other words is not found, except for statements that
// nothing is missing: see [lexicon.closes].
func Tells(text, statement string) bool {
	if len(text) > maxTold || len(statement) > maxStatement {
		return false
	}
	said := flat(sentences(statement))
	languages := bestOf(said, statement, statement)
	if slices.ContainsFunc(languages, func(l *lexicon) bool { return l.joined }) {
		whole := strings.Join(said, "")
		return len(whole) >= leastJoined && slices.ContainsFunc(sentences(text), func(s sentence) bool {
			return strings.Contains(strings.Join(slices.Concat(s.clauses...), ""), whole)
		})
	}

	whole := sentences(statement)
	if slices.ContainsFunc(languages, func(l *lexicon) bool { return l.closes(sentences(text), whole) }) {
		return true
	}
	want, negated := meaning(said, languages)
	if len(want) < leastTold {
		return false
	}
	var before []string
	for _, s := range sentences(text) {
		words := slices.Concat(slices.DeleteFunc(s.clauses, func(c []string) bool { return onlyAnswers(c, languages) })...)
		if has(words, want) && negates(words, languages) == negated {
			return true
		}
		both := slices.Concat(before, words)
		if before != nil && has(both, want) && negates(both, languages) == negated {
			return true
		}
		before = words
	}
	return false
}

// onlyAnswers reports whether a clause only says how to answer, as (yes/no) does: it negates
// nothing.
func onlyAnswers(clause []string, languages []*lexicon) bool {
	for i := range clause {
		answers := slices.ContainsFunc(languages, func(l *lexicon) bool { return l.at(clause[:i+1], i, yes, no, or) != nil })
		if !answers {
			return false
		}
	}
	return true
}

// leastJoined is the length from which on a statement of a script without spaces is
// looked for, in bytes: four signs.
const leastJoined = 12

// meaning returns the words of a statement that mean something, and whether it negates.
func meaning(words []string, languages []*lexicon) (out []string, negated bool) {
	for i, w := range words {
		is := func(k kind) bool {
			return slices.ContainsFunc(languages, func(l *lexicon) bool { return l.at(words[:i+1], i, k) != nil })
		}
		if !is(small) && !is(not) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out, negates(words, languages)
}

// negates reports whether a negation is among words.
func negates(words []string, languages []*lexicon) bool {
	return slices.ContainsFunc(languages, func(l *lexicon) bool { return l.has(not, words) })
}

// has reports whether each wanted word is among some, in whatever form.
func has(words, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool {
		digits := strings.ContainsFunc(w, unicode.IsDigit)
		return !slices.Contains(words, w) && (digits || !echoes(w, words))
	})
}

// Words are the words of a text.
type Words []string

// WordsOf returns the words of a text.
func WordsOf(text string) Words { return flat(sentences(text)) }

// Echo reports whether a word is among others, in whatever form: "cancelled" for "cancel".
func (w Words) Echo(word string) bool { return has(w, tokensOf(word)) }

// IsSmall reports whether a word says nothing by itself, in some language.
func IsSmall(word string) bool {
	return slices.ContainsFunc(known().languages, func(l *lexicon) bool {
		return slices.ContainsFunc(tokensOf(word), func(w string) bool { return l.at([]string{w}, 0, small, filler) != nil })
	})
}
