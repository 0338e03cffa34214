package proxy

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
)

// token is a word of a text for comparing echoes: letters and digits, case
// folded. Everything between words is ignored, because frameworks quote, indent
// and escape text.
type token struct {
	start, end int
	hash       uint64
}

// tokensOf returns at most most tokens of a text, and the offset where it
// stopped.
func tokensOf(text string, most int) (out []token, end int) {
	var t token
	open := false
	for at := 0; at < len(text); {
		r, n := nextRune(text[at:])
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		alone := word && character.IsUnspaced(r) // a token of its own
		if open && (!word || alone) {
			out, open = append(out, t), false
			if len(out) >= most {
				return out, at
			}
		}
		if word {
			if !open {
				t, open = token{start: at, hash: tokenSeed}, !alone
			}
			t.end = at + n
			t.hash = (t.hash ^ uint64(unicode.ToLower(r))) * tokenPrime
			if alone {
				if out = append(out, t); len(out) >= most {
					return out, at + n
				}
			}
		}
		at += n
	}

	if open {
		out = append(out, t)
	}
	return out, len(text)
}

// The parameters of FNV-1a.
const (
	tokenSeed  = 14695981039346656037
	tokenPrime = 1099511628211
)

// nextRune decodes a character, or its escape in JSON or XML. An escape of a
// character other than a letter decodes to a space.
func nextRune(text string) (rune, int) {
	switch {
	case text[0] == '\\' && len(text) >= 6 && text[1] == 'u':
		if code, err := strconv.ParseUint(text[2:6], 16, 16); err == nil {
			return rune(code), 6
		}
	case text[0] == '\\' && len(text) >= 2 && strings.IndexByte(`nrtbf"'/\`, text[1]) >= 0:
		return ' ', 2
	case text[0] == '&':
		if end := strings.IndexByte(text[:min(len(text), maxEntity)], ';'); end > 1 && !strings.ContainsAny(text[1:end], " \t\n&") {
			return ' ', end + 1
		}
	}
	return utf8.DecodeRuneInString(text)
}

// maxEntity is longer than the entities for quotes, signs and line breaks.
const maxEntity = 10
