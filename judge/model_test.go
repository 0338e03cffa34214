package judge_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/judge"
)

// TestModel names models, whose addresses and keys are in the environment.
func TestModel(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		env   map[string]string
		want  string // the endpoint with its key, or part of the error
	}{
		"Anthropic's":            {"anthropic:m", map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "other"}, "anthropic m k"},
		"OpenAI's":               {"openai:m", map[string]string{"OPENAI_API_KEY": "k"}, "openai m k"},
		"one's own":              {"openai:qwen3:8b", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}, "openai qwen3:8b at http://127.0.0.1:11434/v1 "},
		"no key":                 {"anthropic:m", map[string]string{"OPENAI_API_KEY": "k"}, "set ANTHROPIC_API_KEY"},
		"no provider":            {"m", nil, "names no model"},
		"a provider unheard of":  {"acme:m", nil, "names no model"},
		"a provider and nothing": {"openai:", nil, "names no model"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := judge.Model(c.model)
			if err == nil {
				e, err = judge.FromEnvironment(e, func(name string) (string, bool) {
					v, ok := c.env[name]
					return v, ok
				})
			}
			got := e.String() + " " + e.Key
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || err == nil && got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
