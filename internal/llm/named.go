package llm

import (
	"errors"
	"strings"
)

// Named returns the endpoint of a model by its name. "openai:NAME" or "anthropic:NAME" says which
// API it has; without, names with "claude" are Anthropic's, and all others OpenAI's or
// compatible.
func Named(model string) (Endpoint, error) {
	provider, name, ok := strings.Cut(model, ":")
	if !ok || dialectOf(Provider(provider)) == nil { // models may have colons in their names
		provider, name = string(OpenAI), model
		if strings.Contains(model, "claude") {
			provider = string(Anthropic)
		}
	}
	if name == "" {
		return Endpoint{}, errors.New("no model is named: write openai:NAME or anthropic:NAME")
	}
	return Endpoint{Provider: Provider(provider), Model: name}, nil
}

// FromEnvironment returns the endpoint with the address and the key that the
// environment has for its provider, where it has none itself: OPENAI_BASE_URL and
// OPENAI_API_KEY, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.
func (e Endpoint) FromEnvironment(lookup func(string) (string, bool)) Endpoint {
	prefix := strings.ToUpper(string(e.Provider))
	if e.BaseURL == "" {
		e.BaseURL, _ = lookup(prefix + "_BASE_URL")
	}
	if e.Key == "" {
		e.Key, _ = lookup(prefix + "_API_KEY")
	}
	return e
}
