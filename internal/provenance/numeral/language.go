package numeral

import (
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/wordlist"
)

// language is one whose numbers can be read.
type language uint8

const (
	unknownLanguage language = iota
	english
	german
	french
	spanish
	italian
	portuguese
	dutch
	russian
	chinese
	japanese
	languages
)

// functionWords are the words that identify a language: see words.txt.
func functionWords(l language) wordlist.Set {
	switch all := lexicon(); l {
	case english:
		return all.English
	case german:
		return all.German
	case french:
		return all.French
	case spanish:
		return all.Spanish
	case italian:
		return all.Italian
	case portuguese:
		return all.Portuguese
	case dutch:
		return all.Dutch
	}
	return wordlist.Set{}
}

// writtenIn returns the language of a text: that of its script, or the one whose
// words it has most of. The language of a text that could be in two is unknown.
func writtenIn(text string) language {
	score := languageScore(text)
	best, most, tie := unknownLanguage, 0, false
	for l := english; l < languages; l++ {
		switch {
		case score[l] > most:
			best, most, tie = l, score[l], false
		case score[l] == most && most > 0:
			tie = true
		}
	}
	if tie {
		return unknownLanguage
	}
	return best
}

// InEnglish reports whether a text is in English rather than in another language, as far as its words tell.
func InEnglish(text string) bool { return writtenIn(text) == english }

// languageScore counts the words of a text that identify each language.
func languageScore(text string) [languages]int {
	var score [languages]int
	for start, end := range atom.Words(text) {
		w := strings.ToLower(text[start:end])
		if l := scriptLanguage(w); l != unknownLanguage {
			score[l]++
			continue
		}
		for l := english; l < languages; l++ {
			if functionWords(l).Has(w) {
				score[l]++
			}
			if n, ok := wordNumber(l, w); ok && !n.shared {
				score[l]++
			}
		}
	}

	// Japanese is written with Chinese characters too.
	if score[japanese] > 0 {
		score[japanese], score[chinese] = score[japanese]+score[chinese], 0
	}
	return score
}

// scriptLanguage returns the language that a word's script implies.
func scriptLanguage(w string) language {
	l := unknownLanguage
	for _, r := range w {
		switch {
		case r < 0x400:
			return l
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return japanese
		case unicode.Is(unicode.Han, r):
			l = chinese
		case unicode.Is(unicode.Cyrillic, r):
			return russian
		}
	}
	return l
}

// convention is how a language writes the parts of a number.
type convention struct {
	decimal   rune
	thousands string
}

var conventions = [languages]convention{
	english:    {'.', ","},
	german:     {',', "."},
	french:     {',', " "},
	spanish:    {',', "."},
	italian:    {',', "."},
	portuguese: {',', "."},
	dutch:      {',', "."},
	russian:    {',', " "},
	chinese:    {'.', ","},
	japanese:   {'.', ","},
}
