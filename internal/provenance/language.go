package provenance

import (
	"strings"
	"sync"
	"unicode"
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

// functionWords are the words that identify a language: no sentence does without some of them.
// Those that several languages share count for each.
var functionWords = sync.OnceValue(func() *[languages]map[string]bool {
	return &[languages]map[string]bool{
		english: wordSet("the a an and or to of for in is it please on my with that this from you i we are was be at by as me can will your our all not if so " +
			"should would have has do don't pay send set give them him her us"),
		german: wordSet("der die das und oder zu für ist bitte mit den dem des ein eine einen einem von auf im ins nicht ich wir an meine meinen mein bei zum zur " +
			"auch es sie ihm ihr ihnen um bis nach unsere überweise zahle gib setze trag dann noch"),
		french: wordSet("le la les des et ou à pour est de du un une avec vous je nous mon ma mes dans sur au aux ce cette que qui il elle lui leur par ne pas s " +
			"chez paie vire verse mets envoie son sa"),
		spanish:    wordSet("a el la los las y o para es de del un una con por favor mi en que al su lo se le les mis este esta paga transfiere pon envía manda no"),
		italian:    wordSet("il lo la gli le e o per è di del della dei un una con mio mia che al alla allo dal nel sul a sono favore paga trasferisci questo questa non i"),
		portuguese: wordSet("o a os as e ou para é de do da dos das um uma com por favor meu minha em no na que ao à aos pague transfere transfira paga não este esta"),
		dutch:      wordSet("de het een en of van voor is met naar mijn op aan dat dit niet ik wij we te over om bij betaal maak stuur graag hem haar alstublieft"),
	}
})

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

// languageScore counts the words of a text that identify each language.
func languageScore(text string) [languages]int {
	var score [languages]int
	identifying := functionWords()
	for start, end := range words(text) {
		w := strings.ToLower(text[start:end])
		if l := scriptLanguage(w); l != unknownLanguage {
			score[l]++
			continue
		}
		for l := english; l < languages; l++ {
			if identifying[l][w] {
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

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
