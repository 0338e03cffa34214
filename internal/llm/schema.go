package llm

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/remit-project/remit/internal/validate"
)

// compiled is a schema that answers are held to.
type compiled struct{ schema *validate.Schema }

func (s Schema) compile() (compiled, error) {
	var doc any
	if err := json.Unmarshal(s.JSON, &doc); err != nil {
		return compiled{}, fmt.Errorf("the schema %s is not JSON: %w", s.Name, err)
	}
	if o, ok := doc.(map[string]any); !ok || o["type"] != "object" {
		return compiled{}, fmt.Errorf("the schema %s is not of type object, which endpoints want: put the answer into a property", s.Name)
	}

	schema, err := validate.Compile(s.JSON)
	if err != nil {
		return compiled{}, fmt.Errorf("the schema %s: %w", s.Name, err)
	}
	return compiled{schema}, nil
}

// mistakes lists what is wrong with a value, each with its JSON pointer.
func (c compiled) mistakes(value json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var answer any
	if err := d.Decode(&answer); err != nil {
		return []string{err.Error()}
	}
	return c.schema.Mistakes(answer, "the answer")
}
