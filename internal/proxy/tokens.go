package proxy

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text as echoes are compared: letters and digits, in one
// case. What stands between words says nothing, since frameworks quote, indent
// and escape what they pass on.
type token struct {
	start, end int
	hash       uint64
}

// tokensOf reads at most most tokens of a text, and tells where it ended.
func tokensOf(text string, most int) (out []token, end int) {
	var t token
	open := false
	for at := 0; at < len(text); {
		r, n := nextRune(text[at:])
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		alone := word && unicode.In(r, unspaced...)
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

// unspaced are scripts that write words without spaces: there every letter is a
// token.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// nextRune reads a character, or the escape of one in JSON or XML. Escapes of
// what is no letter come as a space.
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

// maxEntity is longer than the entities that programs write for quotes, signs
// and line breaks.
const maxEntity = 10
