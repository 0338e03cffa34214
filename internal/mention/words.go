package mention

import (
	"slices"
	"strings"
	"unicode"
)

// word is a word of a text.
type word struct {
	text string
	// glued is set where the next word is part of the same code or number: of W12-3, W12 by
	// itself is not named.
	glued bool
	// line and clause tell words apart between which a line ends, or a sentence or a
	// parenthesis begins or ends.
	line, clause int
}

// Text is a text whose words were found.
type Text struct {
	raw, lower string
	words      []word
}

// Size returns how much memory the text takes, in bytes.
func (t Text) Size() int {
	const ofWord = 40
	return len(t.raw) + len(t.words)*ofWord
}

// NewText finds the words of a text, in any case. An apostrophe belongs to its word.
func NewText(s string) Text {
	lower := strings.ToLower(s)
	t := Text{raw: s, lower: lower}
	start, line, clause := -1, 0, 0
	end := func(at int) {
		if start >= 0 {
			t.words = append(t.words, word{text: strings.TrimRight(lower[start:at], "'’"), line: line, clause: clause})
		}
		start = -1
	}

	var gap []rune // what is between two words
	for i, c := range lower {
		apostrophe := (c == '\'' || c == '’') && start >= 0
		if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || apostrophe {
			if start < 0 {
				if n := len(t.words); n > 0 && len(gap) == 1 {
					t.words[n-1].glued = glues(gap[0], t.words[n-1].text, c)
				}
				start, gap = i, gap[:0]
			}
			continue
		}
		end(i)
		gap = append(gap, c)
		if c == '\n' {
			line++
		}
		if strings.ContainsRune("\n.;!?()", c) {
			clause++
		}
	}
	end(len(lower))
	return t
}

// glues reports whether a sign makes one code or number of the words around it.
func glues(sign rune, before string, after rune) bool {
	last := rune(before[len(before)-1])
	numbers := unicode.IsDigit(last) && unicode.IsDigit(after)
	code := unicode.IsDigit(last) || unicode.IsDigit(after)
	always := sign == '_' || sign == '@'
	inCodes := code && strings.ContainsRune("-/", sign)
	inNumbers := numbers && strings.ContainsRune(".,:", sign)
	return always || inCodes || inNumbers
}

// says reports whether the text has words in order, and not as a part of a longer code.
func (t Text) says(words []word) bool {
	for i := range t.words {
		if t.at(i, words) {
			return true
		}
	}
	return false
}

// at reports whether words are at a place of the text.
func (t Text) at(i int, words []word) bool {
	inside := i > 0 && t.words[i-1].glued
	if len(words) == 0 || i+len(words) > len(t.words) || inside {
		return false
	}
	for j, w := range words {
		if t.words[i+j].text != w.text {
			return false
		}
	}
	return !t.words[i+len(words)-1].glued
}

// sameShape reports whether the text has a code that is formed as a value is, such as
// another order number. A value without digits has no shape, and what is written apart, such as a
// name and a year after it, is no code of the shape of one that is written together.
func (t Text) sameShape(value []word) bool {
	if !slices.ContainsFunc(value, func(w word) bool { return strings.ContainsFunc(w.text, unicode.IsDigit) }) {
		return false
	}

	for i := 0; i+len(value) <= len(t.words); i++ {
		same := i == 0 || !t.words[i-1].glued
		for j := range value {
			w := t.words[i+j]
			same = same && w.glued == value[j].glued && isShaped(w.text, value[j].text)
		}
		if same && long(value) {
			return true
		}
	}
	return false
}

// long reports whether a value is long enough for its shape to tell anything.
func long(value []word) bool {
	const least = 5
	n := 0
	for _, w := range value {
		n += len(w.text)
	}
	return n >= least
}
