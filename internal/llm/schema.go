package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/remit-project/remit/internal/strictjson"
)

// Mistakes are cut to what a model can put right in one go.
const (
	maxMistakes    = 20
	longestMistake = 400
)

// compiled is a schema that answers are held to.
type compiled struct{ schema *jsonschema.Schema }

// noFiles keeps schemas from referring to anything outside.
type noFiles struct{}

// Load implements [jsonschema.URLLoader].
func (noFiles) Load(string) (any, error) {
	return nil, errors.New("a schema of an answer can't refer to others: put the definition under $defs")
}

func (s Schema) compile() (compiled, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.JSON))
	if err != nil {
		return compiled{}, fmt.Errorf("the schema %s is not JSON: %w", s.Name, err)
	}
	if o, ok := doc.(map[string]any); !ok || o["type"] != "object" {
		return compiled{}, fmt.Errorf("the schema %s is not of type object, which endpoints want: put the answer into a property", s.Name)
	}
	const here = "answer.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(noFiles{})
	if err := c.AddResource(here, doc); err != nil {
		return compiled{}, fmt.Errorf("the schema %s: %w", s.Name, err)
	}
	sch, err := c.Compile(here)
	if err != nil {
		return compiled{}, fmt.Errorf("the schema %s: %w", s.Name, err)
	}
	return compiled{sch}, nil
}

// mistakes lists what is wrong with a value, each with its JSON pointer.
func (c compiled) mistakes(value json.RawMessage) []string {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return []string{err.Error()}
	}
	err = c.schema.Validate(doc)
	if err == nil {
		return nil
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return []string{err.Error()}
	}
	list := list(v, message.NewPrinter(language.English))
	slices.Sort(list) // the library goes through objects in no order
	if n := len(list) - maxMistakes; n > 0 {
		list = append(list[:maxMistakes], fmt.Sprintf("and %d more", n))
	}
	return list
}

// list are the innermost mistakes. Those of alternatives are one mistake: none of
// them alone is what has to be put right.
func list(v *jsonschema.ValidationError, p *message.Printer) []string {
	var all []string
	for _, c := range v.Causes {
		all = append(all, list(c, p)...)
	}
	switch k := v.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
	case *kind.AnyOf, *kind.OneOf:
		if slices.Sort(all); len(all) > 0 {
			return []string{clip(pointer(v.InstanceLocation)+": fits none of the allowed forms: "+strings.Join(all, "; or "), longestMistake)}
		}
	}
	if len(all) > 0 {
		return all
	}
	return []string{clip(pointer(v.InstanceLocation)+": "+v.ErrorKind.LocalizedString(p), longestMistake)}
}

// pointer writes a JSON pointer, with words for the whole document.
func pointer(path []string) string {
	if len(path) == 0 {
		return "the answer"
	}
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strictjson.EscapeToken(name))
	}
	return b.String()
}
