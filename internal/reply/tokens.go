package reply

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sentence is a part of a reply up to a full stop or question mark.
type sentence struct {
	clauses [][]string // of tokens; one token for a script without spaces
	asks    bool       // it ends in a question mark
}

// sentences divides a text.
func sentences(text string) []sentence {
	var out []sentence
	var current sentence
	var clause strings.Builder
	endClause := func() {
		if tokens := tokensOf(clause.String()); len(tokens) > 0 {
			current.clauses = append(current.clauses, tokens)
		}
		clause.Reset()
	}
	endSentence := func() {
		if endClause(); len(current.clauses) > 0 || current.asks {
			out = append(out, current)
		}
		current = sentence{}
	}

	for _, c := range text {
		switch c {
		case '?', '？', '¿', '؟':
			if c != '¿' {
				current.asks = true
			}
			endSentence()
		case '.', '!', '。', '！', '\n', '¡', '।', '॥', '۔':
			endSentence()
		case ',', ';', ':', '，', '；', '：', '、', '،', '؛', '…', '—', '–', '(', ')', '"', '“', '”':
			endClause()
		default:
			clause.WriteRune(c)
		}
	}
	endSentence()
	return out
}

// tokensOf returns the words of a text in the form in which they are compared: lower
// case, without accents and apostrophes, each letter once where it is repeated. Signs
// such as 👍 are words too.
func tokensOf(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
		}
		word = word[:0]
	}

	if !isASCII(text) {
		text = norm.NFD.String(norm.NFKC.String(text))
	}
	var last rune
	for _, c := range text {
		if same, ok := spelledAlike[c]; ok {
			c = same
		}
		c = unicode.ToLower(c)
		switch {
		case c == '\'', c == '’', c == '`', c == nukta, c == tatweel, c > unicode.MaxASCII && unicode.Is(unicode.Mn, c) && !isPartOfLetter(c):
			continue // accents and apostrophes
		case unicode.IsLetter(c), unicode.IsDigit(c), isPartOfLetter(c), c == 'ー':
			// Words of Latin script are drawn out by repeating a letter.
			repeated := c == last && c < 0x0500 && unicode.IsLetter(c)
			if !repeated || len(word) == 0 {
				word = append(word, c)
			}
		case c <= unicode.MaxASCII:
			end()
		case unicode.Is(unicode.So, c):
			end()
			out = append(out, string(c))
		case unicode.Is(unicode.Sk, c), unicode.Is(unicode.Cf, c), c == 0xFE0F: // skin tones, joiners
			continue
		default:
			end()
		}
		last = c
	}
	end()
	return out
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// Signs that people leave out, or write without need: the dot of borrowed sounds in Hindi, and the bar that draws
// Arabic words out.
const (
	nukta   = 0x093C
	tatweel = 0x0640
)

// spelledAlike are letters that stand for each other.
var spelledAlike = map[rune]rune{'İ': 'i', 'ى': 'ي', 'ة': 'ه', 'ँ': 'ं'}

// isPartOfLetter reports whether a mark makes another letter of the one before it: the voiced ones of Japanese,
// and the vowels of Devanagari.
func isPartOfLetter(c rune) bool {
	voiced := c == 0x3099 || c == 0x309A
	return voiced || (unicode.Is(unicode.Devanagari, c) && unicode.IsMark(c))
}

// scripts returns which scripts without spaces a text is written in.
func scripts(text string) (han, kana bool) {
	for _, c := range text {
		if c < 0x2E80 {
			continue
		}
		han = han || unicode.Is(unicode.Han, c)
		kana = kana || unicode.In(c, unicode.Hiragana, unicode.Katakana)
	}
	return han, kana
}

// unread reports whether a letter is of a script that no lexicon has.
func unread(c rune) bool {
	return unicode.IsLetter(c) && !unicode.In(c, unicode.Latin, unicode.Cyrillic, unicode.Arabic, unicode.Devanagari, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Common, unicode.Inherited)
}

// echoes reports whether a word is one of another text's, in whatever form.
func echoes(word string, text []string) bool {
	const least = 4 // letters that two forms of a word have in common
	return len(word) >= least && slices.ContainsFunc(text, func(w string) bool {
		n := 0
		for n < min(len(w), len(word)) && w[n] == word[n] {
			n++
		}
		return n >= least && 5*n >= 3*max(len(w), len(word))
	})
}
