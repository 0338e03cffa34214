package llm

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Role is the speaker of a message.
type Role string

// The two sides of a conversation.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a prompt.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"content"`
}

// Schema is what an answer must be.
type Schema struct {
	// Name is for the model and the endpoint: letters, digits, _ and -, 64 at most.
	Name string
	// JSON is a JSON Schema (draft 2020-12) whose type is object. So that endpoints
	// can hold models to it, each object in it says additionalProperties: false and
	// requires all its properties; see llmtest.Strict.
	JSON json.RawMessage
}

// Prompt is one question to a model.
type Prompt struct {
	// Stage names the step that asks. It chooses the endpoint, and groups usage and
	// recordings.
	Stage string
	// Subject is what the prompt is about, for people who follow a run or look for
	// its recordings.
	Subject string
	// System is what stays the same from one prompt of a stage to the next. It comes
	// first, where providers can keep it.
	System string
	// Shared is what several prompts have in common beside System, such as a session's
	// tools. It is the beginning of the first message, and is kept as System is.
	Shared string
	// Messages are the conversation. The first and the last are the user's, and both
	// sides take turns.
	Messages []Message
	// Schema is what the answer must be.
	Schema Schema
	// Check is called for an answer that the schema accepts. Its error goes back to the
	// model, as a violation of the schema does. It may be nil.
	Check func(json.RawMessage) error
}

// check validates a prompt before anything is sent.
func (p Prompt) check() error {
	switch {
	case p.Stage == "":
		return errors.New("the prompt has no stage: name the step that asks")
	case !schemaName(p.Schema.Name):
		return fmt.Errorf("%q can't name a schema: use up to 64 letters, digits, _ and -", p.Schema.Name)
	case len(p.Messages)%2 == 0:
		return errors.New("the last message of a prompt is the user's, and both sides take turns")
	}
	for i, m := range p.Messages {
		if want := []Role{User, Assistant}[i%2]; m.Role != want {
			return fmt.Errorf("message %d is of role %q and not %q: both sides take turns, the user first", i+1, m.Role, want)
		}
		if m.Text == "" {
			return fmt.Errorf("message %d is empty: write something", i+1)
		}
	}
	return nil
}

func schemaName(s string) bool {
	const longest = 64 // both providers' bound
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return s != "" && len(s) <= longest
}

// Answer is the result of a prompt.
type Answer struct {
	// Value is JSON that meets the schema and the prompt's check, without white
	// space between its parts.
	Value json.RawMessage
	// Usage is what it took, repairs included.
	Usage Usage
	// Model is the one that answered, as the endpoint names it.
	Model string
}
