package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// commandLine returns a command of remit policy, to be pasted into a shell: what it is about, and
// flags before that.
func commandLine(command string, about []string, flags ...string) string {
	words := append([]string{command}, flags...)
	if slices.ContainsFunc(about, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		words = append(words, "--") // or it would be a flag
	}
	line := "remit policy"
	for _, w := range append(words, about...) {
		line += " " + quote(w)
	}
	return line
}

// quote writes a word as POSIX shells read it as one, whatever it holds.
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

// listing names things in a sentence.
func listing(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
