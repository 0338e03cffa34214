package judge

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/llm"
)

// Model is the endpoint of a model that is named as PROVIDER:NAME, such as
// "anthropic:claude-sonnet-4-5".
func Model(name string) (llm.Endpoint, error) {
	provider, model, ok := strings.Cut(name, ":")
	e := llm.Endpoint{Provider: llm.Provider(provider), Model: model}
	if !ok || model == "" || variables[e.Provider] == "" {
		return llm.Endpoint{}, fmt.Errorf("%q names no model: write it as %s:NAME or %s:NAME", name, llm.Anthropic, llm.OpenAI)
	}
	return e, nil
}

// variables are what the environment calls a provider's address and key: those that
// its own programs read, with _BASE_URL and _API_KEY behind them.
var variables = map[llm.Provider]string{llm.OpenAI: "OPENAI", llm.Anthropic: "ANTHROPIC"}

// FromEnvironment takes the address and the key of an endpoint from the variables of
// its provider. At the provider's own address there must be a key.
func FromEnvironment(e llm.Endpoint, lookup func(string) (string, bool)) (llm.Endpoint, error) {
	prefix := variables[e.Provider]
	e.BaseURL, _ = lookup(prefix + "_BASE_URL")
	e.Key, _ = lookup(prefix + "_API_KEY")
	if e.BaseURL == "" && e.Key == "" {
		return llm.Endpoint{}, fmt.Errorf("there is no key for the judge: set %s_API_KEY, or %s_BASE_URL where the model is elsewhere", prefix, prefix)
	}
	return e, nil
}
