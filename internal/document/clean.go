package document

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
)

// cleaned is text with one space for any white space, and without invisible characters.
type cleaned struct {
	text string
	// marks say, by ascending offsets into text, from where on a place holds.
	marks []mark
	// gone are the characters that were taken out, by ascending offsets.
	gone []removal
}

type mark struct {
	offset int
	place  Place
}

type removal struct {
	offset int
	r      rune
	place  Place
}

// clean joins pieces of text. Bytes that are not UTF-8 become the replacement character.
func clean(pieces []piece) cleaned {
	var c cleaned
	var out strings.Builder
	space := false

	for _, p := range pieces {
		place := p.place
		marked := false
		for i, r := range p.text {
			switch {
			case unicode.IsSpace(r), unicode.IsControl(r):
				space = true
				continue
			case character.IsInvisible(r):
				if !innocent(r, p.text[:i]) {
					c.gone = append(c.gone, removal{out.Len(), r, place})
				}
				if !shapes(r, p.text[:i]) {
					continue
				}
			}

			if space && out.Len() > 0 {
				out.WriteByte(' ')
			}
			space = false

			if !marked && place != (Place{}) {
				c.marks = append(c.marks, mark{out.Len(), place})
				marked = true
			}
			out.WriteRune(r)
		}
	}

	c.text = out.String()
	return c
}

// place returns the place in the original of the byte at an offset.
func (c cleaned) place(offset int) Place {
	i := sort.Search(len(c.marks), func(i int) bool { return c.marks[i].offset > offset })
	if i == 0 {
		return Place{}
	}
	return c.marks[i-1].place
}

const (
	softHyphen       = '\u00AD'
	zeroWidthNonJoin = '\u200C'
	zeroWidthJoin    = '\u200D'
)

// innocent reports whether an invisible character is what ordinary writing has at
// this place: soft hyphens, and what [shapes] the letters and pictures around it.
func innocent(r rune, before string) bool {
	return r == softHyphen || shapes(r, before)
}

// shapes reports whether an invisible character changes the form of the character before it:
// joiners in scripts that join letters and in pictures, and the choice of a picture's form.
func shapes(r rune, before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case r == zeroWidthJoin, r == zeroWidthNonJoin:
		joining := last >= 0x600 && unicode.In(last, unicode.L, unicode.M) && !unicode.In(last, unicode.Latin, unicode.Greek, unicode.Cyrillic)
		return joining || unicode.In(last, unicode.So, unicode.Sk) || last == 0xFE0F
	case r == 0xFE0E, r == 0xFE0F:
		return unicode.In(last, unicode.So, unicode.Sm, unicode.N, unicode.Po)
	}
	return false
}

// hidden reports what was taken out of the bytes start to end of a text, which are
// the sentence of an ID.
func (b *builder) hidden(t cleaned, start, end int, id string) {
	names := map[string]bool{}
	var message strings.Builder
	var found []string
	n := 0
	place := Place{}
	first := sort.Search(len(t.gone), func(i int) bool { return t.gone[i].offset >= start })

	for _, g := range t.gone[first:] {
		if g.offset > end {
			break
		}

		if n++; n == 1 {
			place = g.place
		}
		if g.r >= 0xE0020 && g.r < 0xE007F {
			message.WriteRune(g.r - 0xE0000)
		}
		if name := fmt.Sprintf("%U", g.r); !names[name] {
			names[name] = true
			found = append(found, name)
		}
	}

	if n == 0 {
		return
	}
	s := Suspicion{Kind: Hidden, Text: cut(t.text[start:end]), Place: place, Sentence: id}
	s.Why = fmt.Sprintf("characters that nobody sees were taken out of it: %d of %s", n, strings.Join(found[:min(len(found), 5)], ", "))
	if message.Len() > 0 {
		s.Text = cut(message.String())
		s.Why = fmt.Sprintf("it was written in %d characters that nobody sees (%s)", n, found[0])
	}

	b.suspicion(s)
}
