package llm

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// dialect is the API of a provider, as far as prompts need it.
type dialect interface {
	// public is the base URL of the provider itself, and address where prompts go.
	public() string
	address(base *url.URL) string
	authorise(h http.Header, key string)
	// body writes a request.
	body(q question) ([]byte, error)
	// reply reads an answer.
	reply(body []byte) (reply, error)
	// forms are the ways to ask for JSON, the best first; lacks are words of which
	// errors of endpoints have one that don't know a form, or all of a schema.
	forms() []form
	lacks() []string
}

func dialectOf(p Provider) dialect {
	switch p {
	case OpenAI:
		return chat{}
	case Anthropic:
		return messages{}
	}
	return nil
}

// form is a way to ask for JSON.
type form string

const (
	// formSchema has the endpoint hold the model to the schema.
	formSchema form = "schema"
	// formObject has it hold the model to JSON, the schema is in the system text.
	formObject form = "object"
	// formText leaves it to the model, which reads the schema in the system text.
	formText form = "text"
)

// question is one request to a model, independent of a dialect.
type question struct {
	model    string
	form     form
	system   string
	shared   string
	messages []Message
	schema   Schema
	// max bounds the answer in tokens; oldMax has it called as it was once.
	max    int
	oldMax bool
}

// instructions returns the system text, with the schema where the endpoint doesn't take it.
func (q question) instructions() string {
	if q.form == formSchema {
		return q.system
	}
	s := "Answer with one JSON object and nothing else. It must meet this JSON Schema:\n" + string(q.schema.JSON)
	if q.system != "" {
		s = q.system + "\n\n" + s
	}
	return s
}

// reply is a model's answer, independent of a dialect.
type reply struct {
	model string
	// value is JSON that came as such, text anything else.
	value json.RawMessage
	text  string
	// refused and truncated say how the answer ended; refusal is the model's word.
	refused, truncated bool
	refusal            string
	tokens             tokens
}

// said returns the answer as the model reads it again.
func (r reply) said() string {
	switch {
	case r.value != nil:
		return string(r.value)
	case strings.TrimSpace(r.text) != "":
		return r.text
	}
	return "(nothing)" // an empty message is refused by both providers
}
