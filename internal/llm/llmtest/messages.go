package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/remit-project/remit/internal/llm"
)

// messages is the messages API of Anthropic.
type messages struct{}

func (messages) provider() llm.Provider { return llm.Anthropic }

func (messages) key(h http.Header) string { return h.Get("X-Api-Key") }

func (messages) failure(kind, message string) any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

type messagesRequest struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	System    blocks `json:"system"`
	Messages  []struct {
		Role    llm.Role `json:"role"`
		Content blocks   `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
}

// blocks is text, in blocks or as one string.
type blocks string

// UnmarshalJSON implements [json.Unmarshaler].
func (b *blocks) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(b))
	}
	var list []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Cache *struct {
			Type string `json:"type"`
		} `json:"cache_control"`
	}
	if err := decode(data, &list); err != nil {
		return err
	}

	for _, one := range list {
		badCache := one.Cache != nil && one.Cache.Type != "ephemeral"
		if one.Type != "text" || one.Text == "" || badCache {
			return errors.New("text content blocks must be non-empty")
		}
		*b += blocks(one.Text)
	}
	return nil
}

func (messages) read(body []byte, h http.Header) (Asked, error) {
	var r messagesRequest
	if err := decode(body, &r); err != nil {
		return Asked{}, err
	}
	a := Asked{Model: r.Model, System: string(r.System), MaxTokens: r.MaxTokens}
	switch {
	case h.Get("Anthropic-Version") != "2023-06-01":
		return a, errors.New("anthropic-version: header is required")
	case r.Model == "":
		return a, errors.New("model: field required")
	case r.MaxTokens < 1:
		return a, errors.New("max_tokens: field required")
	case len(r.Messages)%2 == 0:
		return a, errors.New("messages: the conversation must end with a user message")
	}

	for i, m := range r.Messages {
		switch {
		case m.Role != []llm.Role{llm.User, llm.Assistant}[i%2]:
			return a, fmt.Errorf("messages.%d: roles must alternate between \"user\" and \"assistant\"", i)
		case m.Content == "":
			return a, fmt.Errorf("messages.%d: all messages must have non-empty content", i)
		}
		a.Messages = append(a.Messages, llm.Message{Role: m.Role, Text: string(m.Content)})
	}

	if r.ToolChoice == nil {
		return a, nil
	}
	for _, t := range r.Tools {
		if t.Name == r.ToolChoice.Name {
			a.Schema = llm.Schema{Name: t.Name, JSON: t.Schema}
		}
		var s struct{ Type string }
		if json.Unmarshal(t.Schema, &s) != nil || s.Type != "object" || !schemaName.MatchString(t.Name) {
			return a, errors.New("tools.0.custom: input_schema.type must be \"object\", and the name letters, digits, _ and -")
		}
	}
	if r.ToolChoice.Type != "tool" || a.Schema.Name == "" {
		return a, errors.New("tool_choice: the tool is not among tools")
	}
	return a, nil
}

func (messages) reply(a Asked, r Reply) any {
	text := map[string]any{"type": "text", "text": r.text()}
	content, stop := []any{text}, "end_turn"
	switch {
	case r.Fault == Truncated && a.Schema.Name != "":
		// Half an input is sent as what is complete of it.
		content, stop = []any{map[string]any{"type": "tool_use", "id": "toolu_llmtest", "name": a.Schema.Name, "input": map[string]any{}}}, "max_tokens"
	case r.Fault == Truncated:
		stop = "max_tokens"
	case r.Fault == Refused || r.Fault == Filtered:
		text["text"], stop = "I'm sorry, I can't help with that.", "refusal"
	case r.JSON != nil && a.Schema.Name != "":
		content, stop = []any{map[string]any{"type": "tool_use", "id": "toolu_llmtest", "name": a.Schema.Name, "input": r.JSON}}, "tool_use"
	}

	u := r.used(a)
	out := map[string]any{
		"id": "msg_llmtest", "type": "message", "role": "assistant", "model": a.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
	}
	if r.Fault != NoUsage {
		out["usage"] = map[string]any{
			"input_tokens": u.Input - u.CachedInput, "cache_read_input_tokens": u.CachedInput,
			"cache_creation_input_tokens": 0, "output_tokens": u.Output,
		}
	}
	return out
}
