package index

import (
	"unicode/utf8"
)

// kind says how a character makes tokens.
type kind uint8

const (
	// separator characters belong to no token.
	separator kind = iota
	// word characters make tokens with their neighbours.
	word
	// spaceless characters belong to a script that is written without spaces:
	// a token may begin and end at any of them.
	spaceless
)

var asciiKind = func() (t [utf8.RuneSelf]kind) {
	for c := range t {
		b := byte(c)
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		if letter || b-'0' <= 9 {
			t[c] = word
		}
	}
	return t
}()

// kindOf sorts characters by blocks, which is coarse and quick. It must say the
// same for the texts and for the values, and that is all it must do.
func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case r < 0xC0, r == 0xD7, r == 0xF7, r == utf8.RuneError:
		return separator
	case r < 0x0E00:
		return word
	case r < 0x10A0, 0x1100 <= r && r < 0x1200, 0x1780 <= r && r < 0x1800:
		return spaceless // Thai, Lao, Tibetan, Myanmar; Jamo; Khmer
	case r < 0x2000:
		return word
	case r < 0x2C00:
		return separator
	case r < 0x2E00:
		return word
	case r < 0x3005, 0x3008 <= r && r < 0x3020:
		return separator
	case r < 0xE000:
		return spaceless // Kana, Han, Hangul, Yi
	case r < 0xF900:
		return separator
	case r < 0xFB00:
		return spaceless
	case 0x1F000 <= r && r < 0x1FB00:
		return separator
	case r < 0x20000:
		return word
	default:
		return spaceless
	}
}

// tokens calls f with each token of two to maxToken bytes: runs of ASCII
// letters and digits, runs of other letters, and of those written without
// spaces each two neighbours. It ends when f returns false.
func tokens(b []byte, f func(from, to int) bool) {
	for i := 0; i < len(b); {
		from := i
		if b[i] < utf8.RuneSelf {
			for i < len(b) && b[i] < utf8.RuneSelf && asciiKind[b[i]] == word {
				i++
			}
			if n := i - from; n >= 2 && n <= maxToken && !f(from, i) {
				return
			}
			if i == from {
				i++
			}
			continue
		}

		r, n := utf8.DecodeRune(b[i:])
		i += n
		switch kindOf(r) {
		case word:
			for i < len(b) && b[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(b[i:])
				if kindOf(r) != word {
					break
				}
				i += n
			}
			if i-from <= maxToken && !f(from, i) {
				return
			}
		case spaceless:
			if i < len(b) {
				r, n := utf8.DecodeRune(b[i:])
				if kindOf(r) == spaceless && !f(from, i+n) {
					return
				}
			}
		}
	}
}

// wholeRunes shrinks a range to whole characters. It gives up after three
// bytes: no character is longer.
func wholeRunes(b []byte, from, to int) (int, int) {
	f, t := from, to
	for f < from+utf8.UTFMax-1 && f < to && !utf8.RuneStart(b[f]) {
		f++
	}
	for t > to-utf8.UTFMax+1 && t < len(b) && !utf8.RuneStart(b[t]) {
		t--
	}
	if f >= t {
		return from, to
	}
	return f, t
}

// bounded reports whether norm[from:to] begins and ends where tokens do.
func bounded(norm []byte, from, to int) bool {
	return boundary(norm, from) && boundary(norm, to)
}

// boundary reports whether a token may begin or end at i: unless word characters
// are on both sides, of whatever script.
func boundary(norm []byte, i int) bool {
	if i == 0 || i == len(norm) {
		return true
	}
	a, _ := utf8.DecodeLastRune(norm[:i])
	b, _ := utf8.DecodeRune(norm[i:])
	return kindOf(a) != word || kindOf(b) != word
}
