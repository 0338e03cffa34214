package planner

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// "If it is no more than two thousand" is a condition on a number, which an answer writes in digits, and on the other side of it: below
// 2000.01, or of what is counted below 2001. Like the words of conditions, those of numbers are a table.

//go:embed numerals.txt
var numeralsText string

// numerals are the values of words, in numerals.txt.
var numerals = sync.OnceValue(func() map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(numeralsText) {
		all := strings.Fields(line)
		if len(all) == 0 || all[0] == "#" {
			continue
		}
		n, err := strconv.ParseFloat(all[0], 64)
		if err != nil {
			panic("numerals.txt: " + line)
		}
		for _, w := range wordsOf(strings.Join(all[1:], " ")) {
			out[w] = n
		}
	}
	return out
})

// between are the words that may stand between those of one number, and within its word.
var between = strings.Fields("and und en y e et i og och ve")

// numbersIn returns the numbers that words say, in digits or in words.
func numbersIn(words []string) []float64 {
	var out, run []float64
	end := func() {
		if len(run) > 0 {
			out, run = append(out, valueOf(run)), nil
		}
	}
	for _, w := range words {
		switch values := valuesOf(w); {
		case values != nil:
			run = append(run, values...)
		case !slices.Contains(between, w):
			end()
		}
	}
	end()
	return out
}

// valuesOf returns the parts of a number that a word says, as "vierzigtausend" says two; nil for another word.
func valuesOf(word string) []float64 {
	const longest = 48 // bytes
	if n, err := strconv.ParseFloat(word, 64); err == nil {
		return []float64{n}
	}
	if n, ok := numerals()[word]; ok {
		return []float64{n}
	}
	if len(word) > longest {
		return nil
	}
	const tens = 20
	parts, ok := partsOf(word)
	if !ok || len(parts) < 2 || max(parts[0], parts[1]) < tens { // "Seiten" has six and ten in it
		return nil
	}
	return parts
}

// partsOf parts a word into words of numbers, of three letters at least.
func partsOf(word string) ([]float64, bool) {
	const least = 3
	if word == "" {
		return nil, true
	}
	for _, w := range between {
		if rest, ok := strings.CutPrefix(word, w); ok && len(w) > 1 {
			if parts, ok := partsOf(rest); ok && len(parts) > 0 {
				return parts, true
			}
		}
	}

	for end := len(word); end >= least; end-- {
		n, ok := numerals()[word[:end]]
		if word[:end] == "ein" {
			n, ok = 1, true
		}
		if !ok || utf8.RuneCountInString(word[:end]) < least {
			continue
		}
		if parts, ok := partsOf(word[end:]); ok {
			return append([]float64{n}, parts...), true
		}
	}
	return nil, false
}

// valueOf returns the number that its parts say: what is less than a hundred is added, and a hundred or more multiplies what is before.
func valueOf(parts []float64) float64 {
	const hundred, thousand, four, twenty = 100, 1000, 4, 20
	total, current := 0.0, 0.0
	for _, n := range parts {
		switch {
		case n >= thousand && current < thousand && slices.Contains(multiples, n):
			total, current = total+max(current, 1)*n, 0
		case n == hundred:
			current = max(current, 1) * hundred
		case n == twenty && current == four: // quatre-vingt
			current *= n
		default:
			current += n
		}
	}
	return total + current
}

// multiples are the words that multiply what is before them.
var multiples = []float64{1000, 1000000}

// bounds are the numbers that conditions on records are below or above of.
type bounds struct{ below, above []float64 }

// boundsOf returns the bounds in the sources of entries.
func boundsOf(entries []*entry) bounds {
	var out bounds
	add := func(to *[]float64, n json.Number) {
		if v, err := n.Float64(); err == nil {
			*to = append(*to, v)
		}
	}
	for _, e := range entries {
		for _, s := range sourcesIn(e.Args) {
			for _, m := range s.conditions() {
				add(&out.below, m.Below)
				add(&out.above, m.Above)
			}
		}
	}
	return out
}

// tell reports whether one of the bounds is that of a number which a clause says, and its sentence says nowhere else: the number itself, or
// next to it on the side where it includes it.
func (b bounds) tell(clause, sentence []string) bool {
	isOf := func(beside float64) bool { return beside >= 0 && beside <= 1 }
	said, around := numbersIn(clause), numbersIn(sentence)
	return slices.ContainsFunc(said, func(n float64) bool {
		isBound := slices.ContainsFunc(b.below, func(v float64) bool { return isOf(v - n) }) ||
			slices.ContainsFunc(b.above, func(v float64) bool { return isOf(n - v) })
		return isBound && timesOf(around, n) <= timesOf(said, n)
	})
}

// timesOf returns how often a number is among others.
func timesOf(all []float64, n float64) int {
	times := 0
	for _, other := range all {
		if other == n {
			times++
		}
	}
	return times
}
