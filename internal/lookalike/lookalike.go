// Package lookalike reads letters of other alphabets as those that they look like.
package lookalike

import (
	"strings"
	"unicode"
)

// pairs are letters of other alphabets, each with the Latin ones that it looks like. The Cyrillic
// ones come first for a Latin letter.
var pairs = strings.Fields("а a в b с c ԁ d е e һ h н h і i ј j к k м m о o р p ѕ s т t у y х x " +
	"α a ε e ι i κ k ν v ο o ρ p τ t υ u χ x ß ss ı i")

var toLatin = strings.NewReplacer(pairs...)

// Latin returns a lower-case text with the Latin letters that its letters look like.
func Latin(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return text
	}
	return toLatin.Replace(text)
}

// Unmixed returns a lower-case word as that of one alphabet, if its letters are of several that look
// alike: all Latin, or else all Cyrillic. Any other word comes back as it is.
func Unmixed(word string) string {
	if isOf(word, unicode.Latin) || !strings.ContainsFunc(word, isLatin) {
		return word
	}
	if latin := Latin(word); isOf(latin, unicode.Latin) {
		return latin
	}
	if cyrillic := strings.Map(toCyrillic, word); isOf(cyrillic, unicode.Cyrillic) {
		return cyrillic
	}
	return word
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// isOf reports whether all letters of a word are of an alphabet.
func isOf(word string, alphabet *unicode.RangeTable) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(alphabet, r) })
}

func toCyrillic(r rune) rune {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == string(r) {
			return []rune(pairs[i])[0]
		}
	}
	return r
}
