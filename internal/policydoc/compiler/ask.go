package compiler

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/remit-project/remit/internal/llm"
)

// Model completes prompts with JSON: an [llm.Client].
type Model interface {
	Complete(ctx context.Context, p llm.Prompt) (*llm.Answer, error)
}

// ask puts a stage's question about a subject. The answer has a schema made of
// its type, and passed the check: an error of either goes back to the model.
func ask[A any](ctx context.Context, c *Compiler, stage, subject string, request any, check func(*A) error) (*A, error) {
	text, err := c.o.Prompts.Render(stage, nil, request)
	if err != nil {
		return nil, err
	}
	schema, err := schemaOf[A]()
	if err != nil {
		return nil, err
	}

	var out *A
	_, err = c.o.Model.Complete(ctx, llm.Prompt{
		Stage: stage, Subject: subject, System: text.System,
		Messages: []llm.Message{{Role: llm.User, Text: text.Request}},
		Schema:   llm.Schema{Name: stage, JSON: schema},
		Check: func(raw json.RawMessage) error {
			out = new(A)
			if err := json.Unmarshal(raw, out); err != nil {
				return err
			}
			return check(out)
		},
	})
	if err != nil {
		return nil, err // which says what was asked
	}
	return out, nil
}

// schemaOf returns the schema of an answer: all members are there, and no others, as the strict
// forms of structured output ask for.
func schemaOf[A any]() (json.RawMessage, error) {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, err
	}
	strictLists(s)
	return json.Marshal(s)
}

// strictLists takes null out of the types of lists, which Go's may be.
func strictLists(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Items != nil {
		s.Types, s.Type = nil, "array"
	}
	strictLists(s.Items)
	for _, p := range s.Properties {
		strictLists(p)
	}
}
