package document

import (
	"slices"
	"sort"
	"strings"
)

// A Quotation is the place of a quoted text.
type Quotation struct {
	// Text is the quotation as the document has it.
	Text string
	// Sentences are those that it touches, neighbours in reading order.
	Sentences []Sentence
}

// Find returns the first place of a quotation, word by word: white space, typographic quotes,
// dashes and ligatures are compared as equal, case is not. It may be a part of a sentence, or run
// over several adjacent ones. It is false when the quotation does not appear, or is empty.
func (d *Document) Find(quotation string) (Quotation, bool) {
	sought := words(quotation)
	if sought == "" {
		return Quotation{}, false
	}

	// The space at the end is the one before the next word.
	at := strings.Index(d.folded, sought+" ")
	if at < 0 {
		return Quotation{}, false
	}

	end := at + len(sought)
	first, last := sort.SearchInts(d.starts, at+1)-1, sort.SearchInts(d.starts, end)-1
	out := Quotation{Sentences: slices.Clone(d.Sentences[first : last+1])}

	var parts []string
	for i, s := range out.Sentences {
		from, to := 0, len(s.Text)
		pos := d.starts[first+i]
		for t := range tokens(s.Text) {
			if pos == at {
				from = t.start
			}
			if pos += len(t.folded); pos == end {
				to = t.end
			}
		}
		parts = append(parts, s.Text[from:to])
	}

	out.Text = strings.Join(parts, " ")
	return out, true
}
