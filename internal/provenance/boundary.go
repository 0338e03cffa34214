package provenance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isHard reports whether a rune ends an atom wherever it is: white space,
// brackets, quotes, and the separators of lists. Everything that is glue in
// addresses, paths, numbers and identifiers (. - _ @ + % : / \ ~ # ? & = $ *)
// is not, on either side, so that no prefix and no suffix of an atom vouches.
func isHard(r rune) bool {
	switch r {
	case '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|',
		'“', '”', '„', '‘', '’', '‚', '«', '»', '‹', '›', '—', '–', '…',
		'、', '。', '，', '；', '：', '「', '」', '『', '』', '（', '）', '！', '？':
		return true
	}
	return unicode.IsSpace(r)
}

// isUnspaced reports whether a rune belongs to a script that writes words
// without spaces, next to which an ASCII atom ends.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isBounded reports whether text[start:end] is a whole atom, or a run of whole
// atoms, in text.
func isBounded(text string, start, end int) bool {
	return start < end && boundedLeft(text, start) && boundedRight(text, end)
}

// atoms yields the atoms of a text as [bounded] has them: the runs between hard
// delimiters and, where ASCII meets a script without spaces, each side by itself.
func atoms(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := 0
		var last rune
		for i, r := range text {
			ends := isHard(r)
			intoASCII, intoScript := isUnspaced(last) && r < utf8.RuneSelf, last < utf8.RuneSelf && isUnspaced(r)
			meets := i > start && (intoASCII || intoScript)
			if (ends || meets) && i > start && !yield(start, i) {
				return
			}

			if ends {
				_, size := utf8.DecodeRuneInString(text[i:])
				start = i + size
			} else if meets {
				start = i
			}
			last = r
		}

		if start < len(text) {
			yield(start, len(text))
		}
	}
}

// hardByte reports whether text has an ASCII hard delimiter at i.
func hardByte(text string, i int) bool { return text[i] < utf8.RuneSelf && isHard(rune(text[i])) }

func boundedLeft(text string, start int) bool {
	if start == 0 {
		return true
	}
	before, size := utf8.DecodeLastRuneInString(text[:start])
	if isHard(before) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(text[start:])
	if isUnspaced(before) && first < utf8.RuneSelf {
		return true
	}
	if before == '\'' { // an opening quote, not the apostrophe inside a word
		prev, _ := utf8.DecodeLastRuneInString(text[:start-size])
		return start == size || isHard(prev)
	}
	return false
}

func boundedRight(text string, end int) bool {
	rest := text[end:]
	if rest == "" {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	if isHard(next) {
		return true
	}
	if isUnspaced(next) && lastRune(text[:end]) < utf8.RuneSelf {
		return true
	}

	if next == '\'' { // a closing quote, or the genitive of a name
		rest = rest[size:]
		if len(rest) > 0 && rest[0] == 's' {
			rest = rest[1:]
		}
		return rest == "" || !startsWithWord(rest)
	}

	// Sentence punctuation ends an atom only where the sentence ends.
	for i := 0; i < len(rest) && i < 4; i++ {
		switch rest[i] {
		case '.', '!', '?', ':':
			continue
		case '\'':
			return i > 0
		}
		r, _ := utf8.DecodeRuneInString(rest[i:])
		return i > 0 && isHard(r)
	}
	return len(rest) <= 4
}

func startsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r) || r == '\'' || r == '-' || r == '_' || r == '@'
}

// minGrouped and minGroups are the least that makes a row of numbers a code
// written in groups: fewer are as likely a time after a date.
const (
	minGrouped = 12
	minGroups  = 3
	maxGrouped = 64 // more is a table
	// maxGroupLength is the longest group: people break codes into fours, and
	// telephone numbers once or twice.
	maxGroupLength = 8
)

// isPartOfGroups reports whether text[start:end] is only a part of a code written in
// groups: "DE89" in "DE89 3704 0044 0532 0130 00" is not an account.
func isPartOfGroups(text string, start, end int) bool {
	if !areGroups(text[start:end]) {
		return false
	}

	from, to := start, end
	for from > 0 && to-from < maxGrouped {
		i := from - 1
		for i > 0 && text[i-1] != ' ' && from-i <= maxGroupLength+1 {
			i--
		}
		if text[from-1] != ' ' || !areGroups(text[i:from-1]) {
			break
		}
		from = i
	}

	for to < len(text) && to-from < maxGrouped && text[to] == ' ' {
		i := to + 1
		for i < len(text) && isAlnum(text[i]) && i-to <= maxGroupLength+1 {
			i++
		}
		if !areGroups(text[to+1 : i]) {
			break
		}
		to = i
	}

	return to-from > end-start && to-from >= minGrouped && strings.Count(text[from:to], " ")+1 >= minGroups
}

// areGroups reports whether every word of s is digits, perhaps after the letters of
// a country.
func areGroups(s string) bool {
	for _, g := range strings.Split(s, " ") {
		letters := strings.TrimLeft(g, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if len(letters) == 0 || len(g) > maxGroupLength || len(g)-len(letters) > 4 || strings.Trim(letters, "0123456789") != "" {
			return false
		}
	}
	return true
}
