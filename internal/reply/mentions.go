package reply

import (
	"slices"
	"strings"
	"unicode"
)

// withoutMentions returns a text without the parts of sentences that only mention something: what others say
// ("my friend said it was cancelled"), what isn't so ("if it had been the weather"), and what is asked about a
// value ("Is card_1 safe?").
func withoutMentions(languages []*lexicon, text, value string) string {
	var out strings.Builder
	named := tokensOf(value) // which may be a message that tells of others
	for _, s := range rawSentences(text) {
		clauses := Clauses(s)
		asks := strings.HasSuffix(strings.TrimSpace(s), "?")
		for i, c := range clauses {
			words := flat(sentences(c))
			if slices.ContainsFunc(languages, func(l *lexicon) bool { return l.has(unreal, words) }) {
				break
			}
			others := slices.ContainsFunc(languages, func(l *lexicon) bool { return l.tellsOfOthers(words) && !l.has(speech, named) })
			asked := asks && i == len(clauses)-1 && slices.ContainsFunc(languages, func(l *lexicon) bool { return l.asksOf(words, named) })
			if !others && !asked {
				out.WriteString(c)
			}
		}
	}
	return out.String()
}

// rawSentences divides a text behind the signs that end a sentence, where a space follows, and behind lines.
func rawSentences(text string) []string {
	var out []string
	start := 0
	var last rune
	for i, c := range text {
		ends := last == '\n' || (unicode.IsSpace(c) && strings.ContainsRune(sentenceSigns, last))
		if ends {
			out = append(out, text[start:i])
			start = i
		}
		last = c
	}
	return append(out, text[start:])
}

// tellsOfOthers reports whether a clause tells what somebody else says: a person, or whatever says what is to be
// done. What a mail or a page says of the user's own, such as the number of an order, they say themselves.
func (l *lexicon) tellsOfOthers(words []string) bool {
	if l.joined {
		return false
	}
	for i := range words {
		if l.at(words, i, speech) == nil || i == 0 || l.is(speaker, words[i-1]) {
			continue
		}
		if !l.has(paper, words[:i]) || l.has(duty, words[i:]) {
			return true
		}
	}
	return false
}

// asksOf reports whether a clause asks what a value is ("Is W1 …", "the reason is W1"), and for nothing to be done.
func (l *lexicon) asksOf(words, value []string) bool {
	at := indexOf(words, value)
	if l.joined || at < 0 {
		return false
	}
	first := 0
	for first < len(words)-1 && l.at(words, first, filler) != nil && l.at(words, first, being, aux, ask) == nil {
		first++
	}
	if p := l.at(words, first, being); p != nil {
		return at == first+len(p.tokens)
	}
	return l.at(words, first, aux, ask) == nil && slices.ContainsFunc(words[first:], func(w string) bool { return l.is(being, w) })
}

// indexOf returns the place of words among others, or -1.
func indexOf(words, part []string) int {
	for i := 0; len(part) > 0 && i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}
