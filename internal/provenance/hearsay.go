package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// Hearsay is text that models are told and nothing vouches for: the definitions of
// tools. A value that is in it, and not in the user's words, is its author's.
type Hearsay struct {
	atoms map[string]bool
	// all is set where there is more text than is kept: every value may be in it.
	all bool
}

const (
	// maxHearsay is how much text is kept, in bytes: more than the definitions of a
	// few thousand tools. With more than that every value counts as heard.
	maxHearsay = 4 << 20
	// hearsayAtom is the shortest word that is kept: shorter ones are in any text.
	hearsayAtom = 4
)

// NewHearsay returns the hearsay of texts.
func NewHearsay(texts []string) *Hearsay {
	h := &Hearsay{atoms: map[string]bool{}}
	size := 0
	for _, text := range texts {
		if size += len(text); size > maxHearsay {
			return &Hearsay{all: true}
		}
		for atom := range everyAtom(text) {
			h.atoms[strings.ToLower(atom)] = true
		}
	}
	return h
}

// Has reports whether a value has an identifier, an address or a path that is in
// the text.
func (h *Hearsay) Has(value string) bool {
	if h == nil || len(value) > maxFieldText {
		return h != nil
	}
	for atom := range everyAtom(value) {
		if typedAtom(atom) && (h.all || h.atoms[strings.ToLower(atom)]) {
			return true
		}
	}
	return false
}

// everyAtom yields the words between hard delimiters that are long enough, without
// the punctuation of a sentence.
func everyAtom(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, atom.IsHard) {
			word = strings.Trim(word, ".,!?:;'")
			if len(word) >= hearsayAtom && !yield(word) {
				return
			}
		}
	}
}

// Hosts reports whether a text has an address of the web, as a command has that
// fetches something.
func Hosts(text string) bool {
	for word := range strings.FieldsFuncSeq(text, atom.IsHard) {
		if len(links(word)) > 0 {
			return true
		}
	}
	return false
}
