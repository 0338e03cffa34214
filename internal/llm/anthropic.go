package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"

	"github.com/remit-project/remit/internal/strictjson"
)

// messages is the messages API of Anthropic.
type messages struct{}

// version is the one of the API's that all its releases so far have.
const version = "2023-06-01"

func (messages) public() string { return "https://api.anthropic.com" }

func (messages) address(base *url.URL) string {
	if path.Base(base.Path) != "v1" {
		base = base.JoinPath("v1")
	}
	return base.JoinPath("messages").String()
}

func (messages) authorise(h http.Header, key string) {
	h.Set("Anthropic-Version", version)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func (messages) forms() []form { return []form{formSchema, formText} }

func (messages) lacks() []string { return []string{"tool", "schema"} }

type messagesRequest struct {
	Model      string            `json:"model"`
	MaxTokens  int               `json:"max_tokens"`
	System     []messagesText    `json:"system,omitempty"`
	Messages   []messagesMessage `json:"messages"`
	Tools      []messagesTool    `json:"tools,omitempty"`
	ToolChoice *messagesChoice   `json:"tool_choice,omitempty"`
}

// messagesMessage has a text, or blocks of which the first is kept.
type messagesMessage struct {
	Role    Role `json:"role"`
	Content any  `json:"content"`
}

type messagesPlain struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type messagesText struct {
	Type  string        `json:"type"`
	Text  string        `json:"text"`
	Cache messagesCache `json:"cache_control"`
}

type messagesCache struct {
	Type string `json:"type"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

type messagesChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

func (messages) body(q question) ([]byte, error) {
	r := messagesRequest{Model: q.model, MaxTokens: q.max}
	for i, m := range q.messages {
		var content any = m.Text
		if i == 0 && q.shared != "" {
			content = []any{messagesText{"text", q.shared, messagesCache{"ephemeral"}}, messagesPlain{"text", m.Text}}
		}
		r.Messages = append(r.Messages, messagesMessage{m.Role, content})
	}
	if s := q.instructions(); s != "" {
		r.System = []messagesText{{"text", s, messagesCache{"ephemeral"}}}
	}
	if q.form == formSchema {
		r.Tools = []messagesTool{{q.schema.Name, "Takes your answer. Call it once, with the whole answer.", q.schema.JSON}}
		r.ToolChoice = &messagesChoice{"tool", q.schema.Name}
	}
	return strictjson.Encode(r)
}

type messagesReply struct {
	Model      string `json:"model"`
	StopReason string `json:"stop_reason"`
	Content    []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	Usage struct {
		Input   int `json:"input_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Output  int `json:"output_tokens"`
	} `json:"usage"`
}

func (messages) reply(body []byte) (reply, error) {
	var r messagesReply
	if err := json.Unmarshal(body, &r); err != nil {
		return reply{}, err
	}
	if r.StopReason == "" && len(r.Content) == 0 {
		return reply{}, errors.New("there is no message in it")
	}

	u := r.Usage
	out := reply{
		model:     r.Model,
		refused:   r.StopReason == "refusal",
		truncated: r.StopReason == "max_tokens" || r.StopReason == "model_context_window_exceeded",
		tokens:    tokens{input: u.Input + u.Read + u.Written, cached: u.Read, written: u.Written, output: u.Output},
	}

	var inputs []json.RawMessage
	for _, block := range r.Content {
		switch block.Type {
		case "text":
			out.text += block.Text
		case "tool_use":
			inputs = append(inputs, block.Input)
		}
	}
	switch {
	case len(inputs) == 1:
		out.value = inputs[0]
	case len(inputs) > 1: // and no reason to prefer one: the text has them all
		for _, in := range inputs {
			out.text += string(in) + "\n"
		}
	}
	if out.refused {
		out.refusal = out.text
	}
	return out, nil
}
