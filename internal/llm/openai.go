package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/remit-project/remit/internal/strictjson"
)

// chat is chat/completions of OpenAI.
type chat struct{}

func (chat) public() string { return "https://api.openai.com/v1" }

func (chat) address(base *url.URL) string { return base.JoinPath("chat/completions").String() }

func (chat) authorise(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func (chat) forms() []form { return []form{formSchema, formObject, formText} }

func (chat) lacks() []string {
	return []string{"response_format", "json_object", "schema", "grammar", "structured output"}
}

type chatRequest struct {
	Model               string      `json:"model"`
	Messages            []Message   `json:"messages"`
	MaxCompletionTokens int         `json:"max_completion_tokens,omitempty"`
	MaxTokens           int         `json:"max_tokens,omitempty"`
	ResponseFormat      *chatFormat `json:"response_format,omitempty"`
}

type chatFormat struct {
	Type   string      `json:"type"`
	Schema *chatSchema `json:"json_schema,omitempty"`
}

type chatSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

func (chat) body(q question) ([]byte, error) {
	r := chatRequest{Model: q.model}
	if s := q.instructions(); s != "" {
		r.Messages = append(r.Messages, Message{"system", s})
	}

	for i, m := range q.messages {
		if i == 0 {
			m.Text = q.shared + m.Text // such servers find a common beginning by themselves
		}
		r.Messages = append(r.Messages, m)
	}
	if q.oldMax {
		r.MaxTokens = q.max
	} else {
		r.MaxCompletionTokens = q.max
	}
	switch q.form {
	case formSchema:
		r.ResponseFormat = &chatFormat{"json_schema", &chatSchema{q.schema.Name, q.schema.JSON, true}}
	case formObject:
		r.ResponseFormat = &chatFormat{Type: "json_object"}
	}
	return strictjson.Encode(r)
}

type chatReply struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      *struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

func (chat) reply(body []byte) (reply, error) {
	var r chatReply
	if err := json.Unmarshal(body, &r); err != nil {
		return reply{}, err
	}
	if len(r.Choices) == 0 || r.Choices[0].Message == nil {
		return reply{}, errors.New("there is no message in it")
	}
	c, u := r.Choices[0], r.Usage
	return reply{
		model:     r.Model,
		text:      c.Message.Content,
		refused:   c.Message.Refusal != "" || c.FinishReason == "content_filter",
		refusal:   c.Message.Refusal,
		truncated: c.FinishReason == "length",
		tokens:    tokens{input: u.PromptTokens, cached: u.Details.CachedTokens, output: u.CompletionTokens},
	}, nil
}
