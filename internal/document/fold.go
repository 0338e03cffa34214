package document

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// typography maps the signs that typesetting puts in the place of others, as far
// as compatibility forms (NFKC) don't.
var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "`", "'", "´", "'",
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "″", `"`, "«", `"`, "»", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-",
)

// fold returns a text in the form in which texts are compared: white space,
// quotes, dashes, ligatures and Unicode's compatibility forms make no difference,
// case does.
func fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf && s[i] != '`' && s[i] != '\''
	}
	if !plain {
		s = typography.Replace(norm.NFKC.String(typography.Replace(s)))
	}
	return strings.Join(strings.Fields(s), " ")
}

// A token is a word, or a sign between words, with its bytes in the text.
type token struct {
	// folded is compared, and begins with a space. An ellipsis is three points.
	folded     string
	start, end int
}

// tokens divides an unchanged text into words and signs. The bars between cells are white space.
func tokens(s string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			start, word := i, inWord(r)
			if strings.HasPrefix(s[i:], "...") {
				size = 3
			}
			for i += size; word && i < len(s); i += size {
				if r, size = utf8.DecodeRuneInString(s[i:]); !inWord(r) {
					break
				}
			}
			if r, _ := utf8.DecodeRuneInString(s[start:]); unicode.IsSpace(r) || r == '|' {
				continue
			}
			if !yield(token{" " + fold(s[start:i]), start, i}) {
				return
			}
		}
	}
}

func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// words returns a text as its folded tokens.
func words(s string) string {
	var out strings.Builder
	for t := range tokens(s) {
		out.WriteString(t.folded)
	}
	return out.String()
}
