package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/remit-project/remit/internal/llm"
)

// chat is chat/completions of OpenAI.
type chat struct{}

func (chat) provider() llm.Provider { return llm.OpenAI }

func (chat) key(h http.Header) string {
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

func (chat) failure(kind, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}
}

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []llm.Message `json:"messages"`
	MaxCompletionTokens *int          `json:"max_completion_tokens"`
	MaxTokens           *int          `json:"max_tokens"`
	Format              *struct {
		Type   string `json:"type"`
		Schema *struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (chat) read(body []byte, _ http.Header) (Asked, error) {
	var r chatRequest
	if err := decode(body, &r); err != nil {
		return Asked{}, err
	}
	a := Asked{Model: r.Model}
	switch {
	case r.Model == "":
		return a, errors.New("you must provide a model parameter")
	case len(r.Messages) == 0:
		return a, errors.New("messages is too short")
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return a, errors.New("max_tokens and max_completion_tokens can't both be set")
	}
	for _, bound := range []*int{r.MaxTokens, r.MaxCompletionTokens} {
		if bound != nil {
			if a.MaxTokens = *bound; a.MaxTokens < 1 {
				return a, errors.New("the bound is below the minimum of 1")
			}
		}
	}

	for i, m := range r.Messages {
		switch {
		case m.Role == "system" && i == 0:
			a.System = m.Text
			continue
		case m.Role != llm.User && m.Role != llm.Assistant:
			return a, fmt.Errorf("messages[%d]: role %q is not allowed here", i, m.Role)
		case m.Text == "":
			return a, fmt.Errorf("messages[%d]: content is empty", i)
		}
		a.Messages = append(a.Messages, m)
	}
	return a, r.format(&a)
}

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// format checks how JSON is asked for.
func (r chatRequest) format(a *Asked) error {
	f := r.Format
	switch {
	case f == nil || f.Type == "text":
		return nil
	case f.Type == "json_object":
		if !strings.Contains(strings.ToLower(string(marshal(r.Messages))), "json") {
			return errors.New("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'")
		}
		return nil
	case f.Type != "json_schema" || f.Schema == nil:
		return errors.New("response_format is not valid")
	case !schemaName.MatchString(f.Schema.Name):
		return errors.New("response_format.json_schema.name is not valid")
	}

	a.Schema = llm.Schema{Name: f.Schema.Name, JSON: f.Schema.Schema}
	if f.Schema.Strict {
		if err := Strict(f.Schema.Schema); err != nil {
			return fmt.Errorf("response_format %q has an invalid schema: %w", f.Schema.Name, err)
		}
	}
	return nil
}

func (chat) reply(a Asked, r Reply) any {
	message := map[string]any{"role": "assistant", "content": r.text(), "refusal": nil}
	finish := "stop"
	switch r.Fault {
	case Truncated:
		finish = "length"
	case Refused:
		message["content"], message["refusal"] = nil, "I'm sorry, I can't help with that."
	case Filtered:
		message["content"], finish = "", "content_filter"
	}

	out := map[string]any{
		"id": "chatcmpl-llmtest", "object": "chat.completion", "created": 0, "model": a.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil}},
	}
	if u := r.used(a); r.Fault != NoUsage {
		out["usage"] = map[string]any{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
			"prompt_tokens_details": map[string]any{"cached_tokens": u.CachedInput},
		}
	}
	return out
}

// decode reads a request, and knows all that it may hold.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("something follows the request")
	}
	return nil
}
