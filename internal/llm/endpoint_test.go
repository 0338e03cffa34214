package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// Endpoints that can't work, or would give the key away, are refused before
// anything is sent.
func TestEndpoints(t *testing.T) {
	const key = "sk-0123456789abcdef"
	for _, tc := range []struct {
		name string
		e    llm.Endpoint
		want string
	}{
		{"the provider's own", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key}, ""},
		{"a server without a key", llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "http://gpu.corp.example:8000/v1"}, ""},
		{"a key on this machine", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key, BaseURL: "http://localhost:11434/v1"}, ""},
		{"a key on this machine, by number", llm.Endpoint{Provider: llm.Anthropic, Model: "m", Key: key, BaseURL: "http://[::1]:8080"}, ""},
		{"a key in the clear", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key, BaseURL: "http://gpu.corp.example/v1"}, "would go to gpu.corp.example unencrypted"},
		{"a name that looks like this machine's", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key, BaseURL: "http://127.0.0.1.corp.example"}, "unencrypted"},
		{"a key in the clear that somebody wants", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key, BaseURL: "http://gpu.corp.example/v1", Plain: true}, ""},
		{"a key in the address", llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "https://user:" + key + "@api.example/v1"}, "more than an address"},
		{"a key in a parameter", llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "https://api.example/v1?key=" + key}, "more than an address"},
		{"no address", llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "api.example/v1"}, "base URL"},
		{"another scheme", llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "file:///v1"}, "base URL"},
		{"a key with a line end", llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: key + "\n"}, "copy it again"},
		{"no model", llm.Endpoint{Provider: llm.OpenAI}, "no model"},
		{"an unknown provider", llm.Endpoint{Provider: "acme", Model: "m"}, `"acme" is unknown`},
		{"a negative bound", llm.Endpoint{Provider: llm.OpenAI, Model: "m", MaxTokens: -1}, "negative"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for name, o := range map[string]llm.Options{
				"as default":    {Default: tc.e},
				"of some stage": {Default: llm.Endpoint{Provider: llm.OpenAI, Model: "m"}, Stages: map[string]llm.Endpoint{"write": tc.e}},
			} {
				_, err := llm.New(o)
				if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("%s: %v", name, err)
				}
				if err != nil && strings.Contains(err.Error(), key) {
					t.Errorf("the key is in %q", err)
				}
			}
		})
	}
}

// The base URL of Anthropic may end in /v1 or not, and in a slash or not.
func TestBaseURLs(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		for _, path := range []string{"/v1", "/v1/", "", "/"} {
			if p == llm.OpenAI && !strings.Contains(path, "v1") {
				continue // there it can be anything, and is taken as it is
			}
			s := llmtest.New(t, right)
			e := s.Endpoint(p)
			e.BaseURL = s.URL() + path
			a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
			if got := city(t, a, err); got != "Paris" {
				t.Errorf("%q: %s", path, got)
			}
		}
	})
}

// A stage is asked of its own model.
func TestStages(t *testing.T) {
	s := llmtest.New(t, right)
	large := s.Endpoint(llm.Anthropic)
	large.Model = "large"
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Stages: map[string]llm.Endpoint{"write": large}})
	for _, stage := range []string{"look-up", "write", "look-up"} {
		p := prompt()
		p.Stage = stage
		if _, err := c.Complete(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	var models []string
	for _, a := range s.Asked() {
		models = append(models, a.Model)
	}
	if got := strings.Join(models, " "); got != "model-of-openai large model-of-openai" {
		t.Error(got)
	}
	if u := c.Usage(); len(u) != 2 || u["look-up"].Calls != 2 || u["write"].Calls != 1 {
		t.Errorf("%+v", u)
	}
}

// A prompt that no provider would take is not sent.
func TestPrompts(t *testing.T) {
	s := llmtest.New(t, right)
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI)})
	for name, spoil := range map[string]func(*llm.Prompt){
		"no stage":              func(p *llm.Prompt) { p.Stage = "" },
		"no message":            func(p *llm.Prompt) { p.Messages = nil },
		"the model speaks last": func(p *llm.Prompt) { p.Messages = append(p.Messages, llm.Message{Role: llm.Assistant, Text: "x"}) },
		"the model speaks first": func(p *llm.Prompt) {
			p.Messages = []llm.Message{{Role: llm.Assistant, Text: "x"}}
		},
		"an unknown role":           func(p *llm.Prompt) { p.Messages[0].Role = "system" },
		"an empty message":          func(p *llm.Prompt) { p.Messages[0].Text = "" },
		"no name of the schema":     func(p *llm.Prompt) { p.Schema.Name = "" },
		"a name that can't be sent": func(p *llm.Prompt) { p.Schema.Name = "the answer" },
		"a name too long":           func(p *llm.Prompt) { p.Schema.Name = strings.Repeat("x", 65) },
		"no schema":                 func(p *llm.Prompt) { p.Schema.JSON = nil },
		"a schema for a list":       func(p *llm.Prompt) { p.Schema.JSON = json.RawMessage(`{"type": "array"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			p := prompt()
			spoil(&p)
			if _, err := c.Complete(t.Context(), p); err == nil {
				t.Error("no error")
			}
		})
	}
	if n := len(s.Asked()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
