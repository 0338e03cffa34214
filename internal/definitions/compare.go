package definitions

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictjson"
)

// Part is a leaf of a definition, as it was and as it is.
type Part struct {
	// Place is the leaf's place as a JSON pointer.
	Place string `json:"place"`
	// Was and Is are its texts; nil where one side doesn't have it.
	Was *string `json:"was,omitempty"`
	Is  *string `json:"is,omitempty"`
	// Same is set where both sides have the same there.
	Same bool `json:"same,omitempty"`
}

// Compare lists the leaves of both definitions, the changed ones first: of these what the model
// reads of the tool as a whole, and then the rest by their places.
func Compare(was, is Definition) ([]Part, error) {
	before, err := leaves(was)
	if err != nil {
		return nil, err
	}
	after, err := leaves(is)
	if err != nil {
		return nil, err
	}

	var out []Part
	for place, leaf := range before {
		p := Part{Place: place, Was: &leaf.Text}
		if now, ok := after[place]; ok {
			p.Is, p.Same = &now.Text, now.Text == leaf.Text && now.Kind == leaf.Kind
		}
		out = append(out, p)
	}
	for place, leaf := range after {
		if _, ok := before[place]; !ok {
			out = append(out, Part{Place: place, Is: &leaf.Text})
		}
	}
	slices.SortFunc(out, func(a, b Part) int {
		return cmp.Or(boolOrder(a.Same, b.Same), boolOrder(!whole(a.Place), !whole(b.Place)), cmp.Compare(a.Place, b.Place))
	})
	return out, nil
}

// whole reports whether a place describes the tool as a whole.
func whole(place string) bool {
	return strings.HasSuffix(place, "description") && strings.Count(place, "/") < 3
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// leaves returns the leaves of a definition by their places.
func leaves(d Definition) (map[string]strictjson.Leaf, error) {
	if len(d.Text) == 0 {
		return nil, nil
	}
	doc, err := strictjson.Parse(d.Text, strictjson.Limits{Size: maxDefinition, Depth: 64, Leaves: 20_000})
	if err != nil {
		return nil, err
	}
	out := map[string]strictjson.Leaf{}
	for _, l := range doc.Leaves() {
		out[l.Pointer] = l
	}
	return out, nil
}

// Differing returns the bytes of two texts that lie between the words with which both begin
// and those with which both end.
func Differing(was, is string) (wasStart, wasEnd, isStart, isEnd int) {
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	// A word that differs is marked as a whole.
	for start > 0 && (!startsWord(was, start) || !startsWord(is, start)) {
		start--
	}
	end := 0
	for end < min(len(was), len(is))-start && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	for end > 0 && (!startsWord(was, len(was)-end) || !startsWord(is, len(is)-end)) {
		end--
	}
	return start, len(was) - end, start, len(is) - end
}

// startsWord reports whether a word, or what is between words, begins at a place.
func startsWord(s string, at int) bool {
	if at == 0 || at == len(s) {
		return true
	}
	if !utf8.RuneStart(s[at]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return !letter(before) || !letter(after)
}
