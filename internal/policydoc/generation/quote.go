package generation

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// quotes reports whether words appear, in order, in the sentences of the policy, which
// does not include the context. Signs, case and typography don't matter.
func (s *setting) quotes(words string) bool {
	want := plain(words)
	var texts, paths []string
	for _, sentence := range s.task.Sentences {
		texts = append(texts, sentence.Text)
		paths = append(paths, sentence.Path...)
	}
	return want != "  " && (strings.Contains(plain(strings.Join(texts, " ")), want) || strings.Contains(plain(strings.Join(paths, " ")), want))
}

// plain returns the words of a text with a blank on each side.
func plain(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
	}), " ") + " "
}
