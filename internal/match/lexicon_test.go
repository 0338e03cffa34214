package match

import (
	"slices"
	"testing"

	"github.com/remit-project/remit/internal/wordlist"
)

// TestWordsAreWords: what is held against the words of a name is one of them, in every script.
func TestWordsAreWords(t *testing.T) {
	isNone := []string{"outOf", "placeholders", "catchAlls", "unitSigns"} // of texts, and not of names
	for _, l := range wordlist.Must(wordlist.Read(wordTable)) {
		for _, w := range l.Words {
			if got := words(w); !slices.Contains(isNone, l.Name) && !slices.Equal(got, []string{w}) {
				t.Errorf("%s: %q is read as %q", l.Name, w, got)
			}
		}
	}
}
