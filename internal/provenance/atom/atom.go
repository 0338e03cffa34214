// Package atom says where the values of a text begin and end: an atom is a run of characters that
// belong together, such as an address, a path, a number or a word.
package atom

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsHard reports whether a rune ends an atom wherever it is: white space,
// brackets, quotes, and the separators of lists. Everything that is glue in
// addresses, paths, numbers and identifiers (. - _ @ + % : / \ ~ # ? & = $ *)
// is not, on either side, so that no prefix and no suffix of an atom vouches.
func IsHard(r rune) bool {
	switch r {
	case '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|',
		'“', '”', '„', '‘', '’', '‚', '«', '»', '‹', '›', '—', '–', '…',
		'、', '。', '，', '；', '：', '「', '」', '『', '』', '（', '）', '！', '？':
		return true
	}
	return unicode.IsSpace(r)
}

// IsUnspaced reports whether a rune belongs to a script that writes words
// without spaces, next to which an ASCII atom ends.
func IsUnspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// IsWordRune reports whether a rune is a letter or a digit.
func IsWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsBounded reports whether text[start:end] is a whole atom, or a run of whole
// atoms, in text.
func IsBounded(text string, start, end int) bool {
	return start < end && IsBoundedLeft(text, start) && IsBoundedRight(text, end)
}

// All yields the atoms of a text as [IsBounded] has them: the runs between hard
// delimiters and, where ASCII meets a script without spaces, each side by itself.
func All(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := 0
		var last rune
		for i, r := range text {
			ends := IsHard(r)
			intoASCII, intoScript := IsUnspaced(last) && r < utf8.RuneSelf, last < utf8.RuneSelf && IsUnspaced(r)
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

// IsHardByte reports whether text has an ASCII hard delimiter at i.
func IsHardByte(text string, i int) bool { return text[i] < utf8.RuneSelf && IsHard(rune(text[i])) }

// IsBoundedLeft reports whether an atom may start at start.
func IsBoundedLeft(text string, start int) bool {
	if start == 0 {
		return true
	}
	before, size := utf8.DecodeLastRuneInString(text[:start])
	if IsHard(before) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(text[start:])
	if IsUnspaced(before) && first < utf8.RuneSelf {
		return true
	}
	if before == '\'' { // an opening quote, not the apostrophe inside a word
		prev, _ := utf8.DecodeLastRuneInString(text[:start-size])
		return start == size || IsHard(prev)
	}
	return false
}

// IsBoundedRight reports whether an atom may end at end.
func IsBoundedRight(text string, end int) bool {
	rest := text[end:]
	if rest == "" {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	if IsHard(next) {
		return true
	}
	if IsUnspaced(next) && LastRune(text[:end]) < utf8.RuneSelf {
		return true
	}

	if next == '\'' { // a closing quote, or the genitive of a name
		rest = rest[size:]
		if len(rest) > 0 && rest[0] == 's' {
			rest = rest[1:]
		}
		return rest == "" || !StartsWithWord(rest)
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
		return i > 0 && IsHard(r)
	}
	return len(rest) <= 4
}

// StartsWithWord reports whether a text goes on with a word, or with what joins one to another.
func StartsWithWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return IsWordRune(r) || r == '\'' || r == '-' || r == '_' || r == '@'
}

// minGrouped and minGroups are the least that makes a row of numbers a code
// written in groups: fewer are as likely a time after a date.
const (
	minGrouped = 12
	minGroups  = 3
	maxGrouped = 64 // more is a table
	// MaxGroupLength is the longest group: people break codes into fours, and
	// telephone numbers once or twice.
	MaxGroupLength = 8
)

// IsPartOfGroups reports whether text[start:end] is only a part of a code written in
// groups: "DE89" in "DE89 3704 0044 0532 0130 00" is not an account.
func IsPartOfGroups(text string, start, end int) bool {
	if !areGroups(text[start:end]) {
		return false
	}

	from, to := start, end
	for from > 0 && to-from < maxGrouped {
		i := from - 1
		for i > 0 && text[i-1] != ' ' && from-i <= MaxGroupLength+1 {
			i--
		}
		if text[from-1] != ' ' || !areGroups(text[i:from-1]) {
			break
		}
		from = i
	}

	for to < len(text) && to-from < maxGrouped && text[to] == ' ' {
		i := to + 1
		for i < len(text) && IsAlphanumeric(text[i]) && i-to <= MaxGroupLength+1 {
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
		if len(letters) == 0 || len(g) > MaxGroupLength || len(g)-len(letters) > 4 || strings.Trim(letters, "0123456789") != "" {
			return false
		}
	}
	return true
}

// Words yields the maximal runs of letters and digits of a text. Where a script
// without spaces meets another, a run ends.
func Words(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start, spaceless := -1, false
		for i, r := range text {
			inside, accent := runRune(r), r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r)
			meets := inside && !accent && IsUnspaced(r) != spaceless
			if start >= 0 && (!inside || meets) {
				if !yield(start, i) {
					return
				}
				start = -1
			}
			if inside && start < 0 {
				start, spaceless = i, IsUnspaced(r)
			}
		}

		if start >= 0 {
			yield(start, len(text))
		}
	}
}

// runRune reports whether a rune is of a word: a letter, a digit or an accent.
func runRune(r rune) bool {
	if r < utf8.RuneSelf {
		return IsAlphanumeric(byte(r))
	}
	return IsWordRune(r) || unicode.Is(unicode.Mn, r)
}

// IsAlphanumeric reports whether a byte is a letter or a digit of ASCII.
func IsAlphanumeric(c byte) bool {
	letter := c | 0x20
	return IsDigit(c) || ('a' <= letter && letter <= 'z')
}

// IsDigit reports whether a byte is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// LastRune returns the rune that a text ends with.
func LastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// FirstRune returns the rune that a text begins with.
func FirstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
