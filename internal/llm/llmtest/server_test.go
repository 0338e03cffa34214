package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

const (
	chat = `{"model": "m", "max_completion_tokens": 9, "messages": [{"role": "system", "content": "Know JSON."}, {"role": "user", "content": "hi"}],
		"response_format": {"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}}}}`
	messages = `{"model": "m", "max_tokens": 9, "system": [{"type": "text", "text": "Know.", "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": "hi"}],
		"tools": [{"name": "x", "description": "d", "input_schema": {"type": "object"}}], "tool_choice": {"type": "tool", "name": "x"}}`
)

// The server refuses what the providers refuse, so that a client which it answers
// is one that they answer.
func TestRequests(t *testing.T) {
	for _, tc := range []struct {
		name     string
		p        llm.Provider
		old, new string
		status   int
	}{
		{"as it should be", llm.OpenAI, "", "", 200},
		{"without a bound", llm.OpenAI, `"max_completion_tokens": 9, `, ``, 200},
		{"only JSON", llm.OpenAI, `"type": "json_schema"`, `"type": "json_object"`, 200},
		{"only JSON, and the model doesn't know", llm.OpenAI, `"content": "Know JSON."}, {"role": "user", "content": "hi"}],
		"response_format": {"type": "json_schema"`, `"content": "Know."}, {"role": "user", "content": "hi"}], "response_format": {"type": "json_object"`, 400},
		{"no model", llm.OpenAI, `"model": "m"`, `"model": ""`, 400},
		{"another model", llm.OpenAI, `"model": "m"`, `"model": "no-such-model"`, 404},
		{"no message", llm.OpenAI, `{"role": "user", "content": "hi"}`, `{"role": "user", "content": ""}`, 400},
		{"system later", llm.OpenAI, `"role": "user"`, `"role": "system"`, 400},
		{"a parameter that nobody knows", llm.OpenAI, `"model"`, `"max": 1, "model"`, 400},
		{"both bounds", llm.OpenAI, `"model"`, `"max_tokens": 9, "model"`, 400},
		{"no bound at all", llm.OpenAI, `"max_completion_tokens": 9`, `"max_completion_tokens": 0`, 400},
		{"a bound too high", llm.OpenAI, `"max_completion_tokens": 9`, `"max_completion_tokens": 64001`, 400},
		{"a name with a space", llm.OpenAI, `"name": "x"`, `"name": "x y"`, 400},
		{"a schema that isn't strict", llm.OpenAI, `, "additionalProperties": false`, ``, 400},
		{"a form that nobody knows", llm.OpenAI, `"type": "json_schema"`, `"type": "yaml"`, 400},
		{"not JSON", llm.OpenAI, `{"model"`, `"model"`, 400},

		{"as it should be", llm.Anthropic, "", "", 200},
		{"in blocks", llm.Anthropic, `"content": "hi"`, `"content": [{"type": "text", "text": "hi"}]`, 200},
		{"an empty block", llm.Anthropic, `"content": "hi"`, `"content": [{"type": "text", "text": ""}]`, 400},
		{"no model", llm.Anthropic, `"model": "m"`, `"model": ""`, 400},
		{"no bound", llm.Anthropic, `"max_tokens": 9, `, ``, 400},
		{"a bound too high", llm.Anthropic, `"max_tokens": 9`, `"max_tokens": 64001`, 400},
		{"the system among the messages", llm.Anthropic, `"role": "user"`, `"role": "system"`, 400},
		{"two of the user's", llm.Anthropic, `{"role": "user", "content": "hi"}`, `{"role": "user", "content": "hi"}, {"role": "user", "content": "hi"}, {"role": "user", "content": "hi"}`, 400},
		{"the model has the last word", llm.Anthropic, `"content": "hi"}`, `"content": "hi"}, {"role": "assistant", "content": "yes"}`, 400},
		{"an empty message", llm.Anthropic, `"content": "hi"`, `"content": ""`, 400},
		{"another tool is forced", llm.Anthropic, `"type": "tool", "name": "x"`, `"type": "tool", "name": "y"`, 400},
		{"a tool for a list", llm.Anthropic, `"input_schema": {"type": "object"}`, `"input_schema": {"type": "array"}`, 400},
		{"a parameter that nobody knows", llm.Anthropic, `"model"`, `"max": 1, "model"`, 400},
	} {
		t.Run(string(tc.p)+": "+tc.name, func(t *testing.T) {
			path, body := "/v1/chat/completions", chat
			if tc.p == llm.Anthropic {
				path, body = "/v1/messages", messages
			}
			changed := strings.Replace(body, tc.old, tc.new, 1)
			if tc.old != "" && changed == body {
				t.Fatal("nothing was changed")
			}
			if got := post(t, path, changed, nil); got != tc.status {
				t.Errorf("status %d", got)
			}
		})
	}
}

// Header fields are what the providers want.
func TestHeader(t *testing.T) {
	for _, tc := range []struct {
		path, body, field, value string
		status                   int
	}{
		{"/v1/chat/completions", chat, "Authorization", "", 401},
		{"/v1/chat/completions", chat, "Authorization", "Bearer other", 401},
		{"/v1/chat/completions", chat, "Content-Type", "text/plain", 400},
		{"/v1/messages", messages, "X-Api-Key", "", 401},
		{"/v1/messages", messages, "Anthropic-Version", "", 400},
		{"/v1/messages", messages, "Content-Type", "text/plain", 400},
		{"/v1/responses", chat, "X", "", 404},
	} {
		if got := post(t, tc.path, tc.body, map[string]string{tc.field: tc.value}); got != tc.status {
			t.Errorf("%s with %s %q: status %d", tc.path, tc.field, tc.value, got)
		}
	}
}

// post sends a request with the right header fields except for those that are given.
func post(t *testing.T, path, body string, header map[string]string) int {
	t.Helper()
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply { return llmtest.Reply{JSON: map[string]any{}} })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+llmtest.Key)
	r.Header.Set("X-Api-Key", llmtest.Key)
	r.Header.Set("Anthropic-Version", "2023-06-01")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// A schema is strict when endpoints can hold a model to it.
func TestStrict(t *testing.T) {
	const object = `"additionalProperties": false, "type": "object"`
	for _, tc := range []struct{ name, schema, want string }{
		{"nothing to say", `{` + object + `, "properties": {}}`, ""},
		{"lists, alternatives and definitions", `{` + object + `, "required": ["a", "b"], "properties": {
			"a": {"type": "array", "items": {"$ref": "#/$defs/x"}}, "b": {"anyOf": [{"type": "null"}, {"enum": ["y"]}]}},
			"$defs": {"x": {` + object + `, "required": ["c"], "properties": {"c": {"type": "string"}}}}}`, ""},
		{"no object", `[]`, "not an object"},
		{"a list", `{"type": "array"}`, "make it object"},
		{"members that nobody named", `{"type": "object", "properties": {}}`, "#: additionalProperties"},
		{"a member that may be missing", `{` + object + `, "properties": {"a": {}}}`, "#: required must have a"},
		{"in a member", `{` + object + `, "required": ["a"], "properties": {"a": {"type": "object"}}}`, "#/properties/a: additionalProperties"},
		{"in an object that may be null", `{` + object + `, "required": ["a"], "properties": {"a": {"type": ["object", "null"]}}}`, "#/properties/a: additionalProperties"},
		{"in an element", `{` + object + `, "required": ["a"], "properties": {"a": {"items": {"type": "object"}}}}`, "#/properties/a/items: additionalProperties"},
		{"in an alternative", `{` + object + `, "required": ["a"], "properties": {"a": {"anyOf": [{}, {"type": "object"}]}}}`, "#/properties/a/anyOf/1: additionalProperties"},
		{"in a definition", `{` + object + `, "$defs": {"x": {"type": "object"}}}`, "#/$defs/x: additionalProperties"},
		{"a keyword that isn't supported", `{` + object + `, "required": ["a"], "properties": {"a": {"oneOf": []}}}`, "#/properties/a: oneOf"},
		{"true for a schema", `{` + object + `, "required": ["a"], "properties": {"a": true}}`, "#/properties/a: a schema must be an object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := llmtest.Strict([]byte(tc.schema))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Error(err)
			}
		})
	}
}
