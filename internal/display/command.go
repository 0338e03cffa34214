package display

import "strings"

// Command writes words as a command line that a POSIX shell reads as these words, whatever they
// hold: people paste what they are told to run.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote writes one word.
func quote(word string) string {
	bare := word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		lower, upper, digit := 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9'
		return !lower && !upper && !digit && !strings.ContainsRune("_-./:@%+,=", r)
	})
	if bare {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
