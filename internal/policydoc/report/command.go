package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
)

// commandLine returns a command of remit policy, to be pasted into a shell: what it is about, and
// flags before that.
func commandLine(command string, about []string, flags ...string) string {
	words := append([]string{command}, flags...)
	if slices.ContainsFunc(about, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		words = append(words, "--") // or it would be a flag
	}
	return "remit policy " + display.Command(append(words, about...)...)
}

// listing names things in a sentence.
func listing(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
