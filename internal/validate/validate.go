// Package validate holds JSON values to JSON Schemas that the project itself wrote
// or generated: the bodies of the decision API and the answers of models. It reports
// all mistakes of a value, each with its place.
//
// Nothing bounds its work on a hostile schema: values are held to the schemas of
// tools by [github.com/remit-project/remit/schema].
package validate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

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
type Schema struct{ compiled *jsonschema.Schema }

// noFiles keeps schemas from referring to anything outside.
type noFiles struct{}

// Load implements [jsonschema.URLLoader].
func (noFiles) Load(string) (any, error) {
	return nil, errors.New("a schema can't refer to others: put the definition under $defs")
}

// Compile reads a schema of JSON Schema 2020-12, which can refer only to itself.
func Compile(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}

	const here = "schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(noFiles{})
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, err
	}
	return &Schema{compiled}, nil
}

// Mistakes lists what is wrong with a value as encoding/json decodes it, each mistake
// with its JSON pointer or, for the whole value, with the given name. It returns nil
// for a value that the schema accepts. The caller bounds the exponents of numbers of
// the type json.Number, whose digits are all written out.
func (s *Schema) Mistakes(value any, whole string) []string {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}

	w := wording{whole, message.NewPrinter(language.English)}
	list, total := w.list(invalid)
	if len(list) > maxMistakes {
		list = list[:maxMistakes]
	}
	if more := total - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// wording puts mistakes into words.
type wording struct {
	whole   string
	printer *message.Printer
}

// list returns the innermost mistakes in order, at most maxWorded, and how many there
// are in total. The library goes through objects in no order.
func (w wording) list(v *jsonschema.ValidationError) (list []string, total int) {
	found := innermost(nil, v.Causes)
	if len(found) == 0 {
		found = []*jsonschema.ValidationError{v}
	}
	for _, f := range found[:min(len(found), maxWorded)] {
		list = append(list, w.mistake(f))
	}
	slices.Sort(list)
	return list, len(found)
}

// innermost appends the mistakes that have no causes. Alternatives are one mistake:
// none of them alone is what has to be corrected.
func innermost(to, causes []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	for _, c := range causes {
		if len(c.Causes) == 0 || isChoice(c) {
			to = append(to, c)
		} else {
			to = innermost(to, c.Causes)
		}
	}
	return to
}

// isChoice reports whether a value fits none of several alternatives.
func isChoice(v *jsonschema.ValidationError) bool {
	switch v.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return len(v.Causes) > 0
	}
	return false
}

func (w wording) mistake(v *jsonschema.ValidationError) string {
	if k, ok := v.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(k.Properties)
	}

	text := v.ErrorKind.LocalizedString(w.printer)
	if isChoice(v) {
		forms, _ := w.list(v)
		text = "fits none of the allowed forms: " + strings.Join(forms, "; or ")
	}
	return display.Clip(display.OneLine(w.place(v.InstanceLocation)+": "+text), longestMistake)
}

// place writes a JSON pointer, or the name of the whole value.
func (w wording) place(path []string) string {
	if len(path) == 0 {
		return w.whole
	}
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strictjson.EscapeToken(name))
	}
	return b.String()
}
