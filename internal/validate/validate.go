// Package validate holds JSON values to JSON Schemas that the project itself wrote
// or generated: the bodies of the decision API and the answers of models. It reports
// all mistakes of a value, each with its place.
//
// It knows the keywords that such schemas have, of JSON Schema 2020-12, and refuses to
// compile a schema with another one. Nothing bounds its work on a hostile schema: values
// are held to the schemas of tools by [github.com/remit-project/remit/schema].
package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// maxMistakes is how many mistakes are reported: a reader corrects no more at once.
	maxMistakes = 20
	// maxWorded is how many mistakes are put into words, to report the first of them
	// in order.
	maxWorded = 1000
	// longestMistake is the length of one mistake in characters.
	longestMistake = 401
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct{ root *node }

// Mistakes lists what is wrong with a value as encoding/json decodes it, each mistake
// with its JSON pointer or, for the whole value, with the given name. It returns nil
// for a value that the schema accepts. The caller bounds the exponents of numbers of
// the type json.Number, whose digits are all written out.
func (s *Schema) Mistakes(value any, whole string) []string {
	f := findings{whole: whole}
	s.root.hold(value, place{}, &f)
	if f.total == 0 {
		return nil
	}

	slices.Sort(f.worded)
	list := f.worded[:min(len(f.worded), maxMistakes)]
	if more := f.total - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// findings are the mistakes of a value, of which the first are put into words.
type findings struct {
	whole  string
	worded []string
	total  int
}

// add adds a mistake. The text is made only where it is kept.
func (f *findings) add(at place, text func() string) {
	f.total++
	if len(f.worded) < maxWorded {
		f.worded = append(f.worded, display.Clip(display.OneLine(at.words(f.whole)+": "+text()), longestMistake))
	}
}

// place is the place of a value: the name of a member or the number of an element in what is
// around it.
type place struct {
	around *place
	name   string
}

func (p *place) in(name string) place { return place{p, name} }

// words writes a JSON pointer, or the name of the whole value.
func (p *place) words(whole string) string {
	if p.around == nil {
		return whole
	}
	var names []string
	for at := p; at.around != nil; at = at.around {
		names = append(names, "/"+strictjson.EscapeToken(at.name))
	}
	slices.Reverse(names)
	return strings.Join(names, "")
}
