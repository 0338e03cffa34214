package reply

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// plain returns the words of all languages that tell nothing about the thing next to them.
var plain = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, l := range known().languages {
		for _, list := range l.byFirst {
			for _, p := range list {
				if slices.Contains([]kind{yes, good, filler, small, thing, common}, p.kind) {
					for _, w := range p.tokens {
						out[w] = true
					}
				}
			}
		}
	}
	return out
})

// Surprises reports whether a clause of an answer has a word that says something and that the question doesn't
// have: "I-10002 is paid already", "take I-10002 out".
func Surprises(question, clause string) bool {
	if len(question) > maxTold || len(clause) > maxReply {
		return true
	}
	echoed := flat(sentences(question))
	for _, word := range tokensOf(clause) {
		if Joined(word) {
			if surprisesAll(word, question) {
				return true
			}
		} else if !plain()[word] && !slices.Contains(echoed, word) && !isOf(word, echoed) {
			return true
		}
	}
	return false
}

// surprisesAll reports whether a text without spaces surprises in each of the languages that are written so.
func surprisesAll(text, question string) bool {
	return !slices.ContainsFunc(known().languages, func(l *lexicon) bool { return l.joined && !l.surprisesJoined(text, question) })
}

// Picks returns the words of an answer that say something and that the question has.
func Picks(question, answer string) []string {
	if len(question) > maxTold || len(answer) > maxReply {
		return nil
	}
	asked := tokensOf(question)
	return slices.DeleteFunc(tokensOf(answer), func(w string) bool { return plain()[w] || !slices.Contains(asked, w) })
}

// joins are the words between things that are listed, in all languages together.
var joins = strings.Fields("and or und oder et ou y e o u lub i en of ve veya ya и или و أو और या")

// Item is one of the things that a text lists.
type Item struct {
	Text  string
	words []string
	// Begins is set where a sentence begins with it.
	Begins bool
}

// Items divides a text into the things that it lists. It returns none of one that is too long to tell.
func Items(text string) []Item {
	if len(text) > maxQuestion {
		return nil
	}
	var out []Item
	var number []string
	begins := true
	add := func(words []string) {
		if len(words) > 0 {
			text := strings.Join(words, " ")
			out, begins = append(out, Item{text, tokensOf(text), begins}), false
		}
	}

	for _, clause := range Clauses(text) {
		words := slices.Concat(number, strings.Fields(clause))
		if number = nil; len(words) == 1 && unicode.IsDigit(rune(words[0][0])) {
			number = words // of what follows: "1. A"
			continue
		}

		begin := 0
		for i, w := range words {
			if slices.Contains(joins, w) {
				add(words[begin:i])
				begin = i + 1
			}
		}
		add(words[begin:])
		begins = begins || strings.ContainsAny(clause, sentenceSigns)
	}
	return out
}

// Has reports whether a thing is spoken of by one of the words that [Picks] returns.
func (i Item) Has(word string) bool { return slices.Contains(i.words, word) }
