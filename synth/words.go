package synth

import (
	"strings"
	"unicode"
)

// folds are the letters with marks that occur in the languages above.
var folds = strings.NewReplacer(
	"ä", "a", "ö", "o", "ü", "u", "ß", "ss", "à", "a", "á", "a", "â", "a", "ã", "a", "å", "a",
	"è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i",
	"ò", "o", "ó", "o", "ô", "o", "õ", "o", "ø", "o", "ù", "u", "ú", "u", "û", "u",
	"ç", "c", "ñ", "n", "œ", "oe", "æ", "ae",
)

// fold lowers a text and takes the marks off its letters.
func fold(s string) string { return folds.Replace(strings.ToLower(s)) }

// split cuts an identifier of any convention (snake, kebab, camel, Pascal,
// dotted) into canonical words: lower case, singular, English.
func (x *table) split(name string) []string {
	var words []string
	for _, piece := range cut(name) {
		words = append(words, x.canonicalWords(piece)...)
	}
	return words
}

// cut cuts an identifier at its separators and capitals into folded pieces.
func cut(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, fold(string(runes[start:end])))
		}
		start = end
	}

	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && beginsWord(runes, i):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

// beginsWord reports whether the capital at i begins a word: it follows a small letter,
// or is the last of an acronym that a word follows ("HTMLBody").
func beginsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralAcronym(runes, i)
}

// pluralAcronym reports whether the capital at i ends an acronym in the plural
// ("IDs", "URLs"), which is one word.
func pluralAcronym(runes []rune, i int) bool {
	return runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
}

// longestWord bounds what is looked at for compounds.
const longestWord = 40

// canonicalWords turns one folded word into canonical ones: usually one, two
// when the word is a compound whose halves are both known ("filepath").
func (x *table) canonicalWords(w string) []string {
	if c, ok := x.known(w); ok {
		return []string{c}
	}
	if stem := strings.TrimRight(w, "0123456789"); stem != w && len(stem) > 2 {
		return x.canonicalWords(stem) // "address2"
	}
	if len(w) > longestWord {
		return []string{w}
	}
	// The longest first half wins: "accountid" is account + id.
	for i := len(w) - 2; i >= 3; i-- {
		a, okA := x.known(w[:i])
		b, okB := x.known(w[i:])
		if okA && okB {
			return []string{a, b}
		}
	}
	return []string{singular(w)}
}

// known finds a folded word in any table, in the singular, and returns its
// canonical form.
func (x *table) known(w string) (string, bool) {
	if c, ok := x.means[w]; ok {
		return c, true
	}
	if x.inLexicon(w) {
		return w, true
	}
	s := singular(w)
	if c, ok := x.means[s]; ok {
		return c, true
	}
	if x.inLexicon(s) {
		return s, true
	}
	return "", false
}

// english returns the English word for one of another language, others as they are.
func (x *table) english(w string) string {
	if m, ok := x.foreign[fold(w)]; ok {
		return m
	}
	return w
}

func (x *table) inLexicon(w string) bool {
	if _, ok := x.nouns[w]; ok {
		return true
	}
	if _, ok := x.verbs[w]; ok {
		return true
	}
	return x.has("handles", w) || x.has("fillers", w) || x.has("qualifiers", w)
}

// singular takes an English plural ending off a word.
func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// headsOf leaves out the words that only say which kind of thing the next word is: the payment
// of a "payment link".
func (x *table) headsOf(words []string) []string {
	var out []string
	for i, w := range words {
		isModifier := i+1 < len(words) && x.isThing(words[i+1])
		if !isModifier {
			out = append(out, w)
		}
	}
	return out
}

// isThing reports whether a word names something of its own, unlike "id" and "list".
func (x *table) isThing(w string) bool {
	_, known := x.nouns[w]
	return (known || x.has("nouns-too", w)) && !x.has("handles", w) && !x.has("fillers", w)
}

// last returns the last of some words, or none.
func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// contains reports whether a text has a phrase at word boundaries.
func contains(text, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		j := i + len(phrase)
		begins := i == 0 || !isWordByte(text[i-1])
		ends := j == len(text) || !isWordByte(text[j])
		if begins && ends {
			return true
		}
		from = i + 1
	}
}

func isWordByte(b byte) bool {
	return (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9') || b >= 0x80
}

// atQuotes cuts a text at its quotes.
func atQuotes(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\'' || r == '"' || r == '`' })
}

// quoted lists what a text quotes.
func quoted(text string) []string {
	var out []string
	for i, part := range atQuotes(text) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}
