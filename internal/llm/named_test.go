package llm_test

import (
	"testing"

	"github.com/remit-project/remit/internal/llm"
)

// Models are named with their API or without, and the environment has their
// addresses and keys.
func TestNamed(t *testing.T) {
	both := map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
	for name, c := range map[string]struct {
		model string
		env   map[string]string
		want  llm.Endpoint
	}{
		"Anthropic's":         {"anthropic:m", both, llm.Endpoint{Provider: llm.Anthropic, Model: "m", Key: "a"}},
		"OpenAI's":            {"openai:m", map[string]string{"OPENAI_API_KEY": "o"}, llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: "o"}},
		"elsewhere":           {"openai:m", both, llm.Endpoint{Provider: llm.OpenAI, Model: "m", Key: "o", BaseURL: "http://127.0.0.1:11434/v1"}},
		"by its name":         {"claude-m", both, llm.Endpoint{Provider: llm.Anthropic, Model: "claude-m", Key: "a"}},
		"any other":           {"gpt-m", nil, llm.Endpoint{Provider: llm.OpenAI, Model: "gpt-m"}},
		"a colon of its own":  {"qwen3:8b", nil, llm.Endpoint{Provider: llm.OpenAI, Model: "qwen3:8b"}},
		"a name and no model": {"openai:", nil, llm.Endpoint{}},
		"nothing":             {"", nil, llm.Endpoint{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := llm.Named(c.model)
			if (err != nil) != (c.want == llm.Endpoint{}) {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			got = got.FromEnvironment(func(name string) (string, bool) {
				v, ok := c.env[name]
				return v, ok
			})
			if got != c.want {
				t.Errorf("got %s with the key %q", got, got.Key)
			}
		})
	}
	own := llm.Endpoint{Provider: llm.OpenAI, Model: "m", BaseURL: "https://models.example", Key: "k"}
	if got := own.FromEnvironment(func(string) (string, bool) { return "other", true }); got != own {
		t.Errorf("what an endpoint has is %s", got)
	}
}
