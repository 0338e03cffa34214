package reply

import (
	"slices"
	"strings"
	"unicode"
)

// Clauses divides a reply where a comma, a stop or a bracket comes before a space: it doesn't
// split a number or a code.
func Clauses(text string) []string {
	if len(text) > maxReply {
		return []string{text}
	}
	var out []string
	start := 0
	var last rune
	for i, c := range text {
		ends := strings.ContainsRune(",;:.!?()—–،؛؟।", last) && unicode.IsSpace(c)
		if ends || c == '\n' || strings.ContainsRune("，。；！？、", c) {
			out = append(out, text[start:i])
			start = i
		}
		last = c
	}
	return append(out, text[start:])
}

// Negates reports whether a text has a negation, in any of the languages that it may be of.
func Negates(text string) bool {
	if len(text) > maxReply {
		return true
	}
	words := flat(sentences(text))
	languages := bestOf(words, text, text)
	if slices.ContainsFunc(languages, func(l *lexicon) bool { return l.joined && l.has(not, []string{strings.Join(words, "")}) }) {
		return true
	}
	return negates(words, languages)
}

// OnlyRefuses reports whether a reply refuses, and says nothing else: "Stop!", "No, don't."
func OnlyRefuses(text string) bool {
	if len(text) > maxReply {
		return false
	}
	words := flat(sentences(text))
	return slices.ContainsFunc(bestOf(words, text, text), func(l *lexicon) bool {
		if l.joined {
			rest := l.bare(strings.Join(words, ""))
			return rest != "" && (l.find(no, rest) == rest || l.find(stop, rest) == rest)
		}
		return l.onlyRefuses(words)
	})
}

func (l *lexicon) onlyRefuses(words []string) bool {
	refuses := false
	for i := 0; i < len(words); {
		p := l.at(words, i, no, stop, back, not, small, filler)
		if p == nil {
			return false
		}
		refuses = refuses || slices.Contains([]kind{no, stop, back}, p.kind)
		i += len(p.tokens)
	}
	return refuses
}

// Joined reports whether a text has letters of a script that is written without spaces.
func Joined(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

// IsUnread reports whether a text has letters of a script whose words the table doesn't have, so that
// nothing shows whether it negates.
func IsUnread(text string) bool { return strings.ContainsFunc(text, unread) }
