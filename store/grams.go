package store

import (
	"maps"
	"slices"
	"strconv"
	"unicode"
)

const (
	// maxGrams bounds the grams of a piece. A piece with more, in which almost anything may
	// be found, is read for every search.
	maxGrams = 1 << 16
	// maxAsked bounds the grams that a search asks for: the rest hardly narrows it.
	maxAsked = 24
)

// gram is three characters that follow each other, or two, in any case, as a number.
// Different ones may have the same number: what they lead to is read. Two are a word in some
// scripts.
type gram uint32

// grams are the grams of texts. A text is in another one, in any case, only if its grams
// are; the reverse is not true.
type grams map[gram]struct{}

// add adds the grams of a text.
func (g grams) add(text string) {
	n, last := 0, [2]rune{}
	for _, r := range text {
		r = unicode.ToLower(r)
		if n++; n > 1 {
			g[gramOf(none, last[1], r)] = struct{}{}
		}
		if n > 2 {
			g[gramOf(last[0], last[1], r)] = struct{}{}
		}
		if len(g) > maxGrams {
			return
		}
		last[0], last[1] = last[1], r
	}
}

// none is not a character.
const none = unicode.MaxRune + 1

// gramOf mixes three characters to a number.
func gramOf(a, b, c rune) gram {
	h := uint64(a)<<42 | uint64(b)<<21 | uint64(c)
	h *= 0x9e3779b97f4a7c15 // spreads what differs to the upper bits
	return gram(h >> 32)
}

// word returns the gram as a word of letters and digits, and number as one with a sign.
func (g gram) word() string   { return strconv.FormatUint(uint64(g), 36) }
func (g gram) number() string { return strconv.FormatInt(int64(int32(g)), 10) }

// sorted returns the grams in order.
func (g grams) sorted() []gram { return slices.Sorted(maps.Keys(g)) }

// asked returns some of the grams of what is looked for, from all of its parts: the longest
// there are, and none of a single character.
func asked(text string) []gram {
	g, runes := grams{}, []rune(text)
	for i := range runes {
		runes[i] = unicode.ToLower(runes[i])
	}
	if len(runes) == 2 {
		return []gram{gramOf(none, runes[0], runes[1])}
	}
	for i := 2; i < len(runes); i++ {
		g[gramOf(runes[i-2], runes[i-1], runes[i])] = struct{}{}
	}
	all := g.sorted() // in the order of numbers that say nothing of the text
	return all[:min(len(all), maxAsked)]
}
