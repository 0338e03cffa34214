package llm

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Provider is the API that an endpoint speaks.
type Provider string

// The APIs of models.
const (
	// OpenAI is chat/completions, as OpenAI and most servers for open models have it.
	OpenAI Provider = "openai"
	// Anthropic is messages.
	Anthropic Provider = "anthropic"
)

// Endpoint is a model at an address.
type Endpoint struct {
	// Provider is the API.
	Provider Provider
	// BaseURL is where the API begins; empty means the provider's public address. For
	// OpenAI it is the part before /chat/completions, usually ending in /v1; for
	// Anthropic /v1 is optional.
	BaseURL string
	// Key authorises requests. It may be empty, and is never recorded or part of an
	// error.
	Key string `json:"-"`
	// Model names the model as the endpoint does.
	Model string
	// MaxTokens bounds an answer. 0 means the endpoint's own bound for OpenAI, and
	// DefaultMaxTokens for Anthropic, whose API requires one.
	MaxTokens int
	// Price is what the model costs, for budgets and reports.
	Price Price
	// Plain allows the key to be sent over http to another host, where the network can
	// read it.
	Plain bool
}

// String returns the model and its address, without the key.
func (e Endpoint) String() string {
	s := string(e.Provider) + " " + e.Model
	if e.BaseURL != "" {
		s += " at " + e.BaseURL
	}
	return s
}

// GoString returns String, so that no verb of fmt prints the key.
func (e Endpoint) GoString() string { return e.String() }

// DefaultMaxTokens bounds the answers of Anthropic's models where the endpoint says
// nothing: more than a structured answer needs, and accepted by all current models.
const DefaultMaxTokens = 16_384

// Price is in USD per million tokens. The zero Price means that it isn't known.
type Price struct {
	Input, Output float64
	// CachedInput is for input that the provider had in its cache; 0 counts it as
	// other input.
	CachedInput float64
}

// Known reports whether a price was given.
func (p Price) Known() bool { return p != Price{} }

// check validates an endpoint, and returns the address that prompts are posted to.
func (e Endpoint) check() (address string, err error) {
	d := dialectOf(e.Provider)
	if d == nil {
		return "", fmt.Errorf("provider %q is unknown: write %q or %q", e.Provider, OpenAI, Anthropic)
	}
	if e.Model == "" {
		return "", fmt.Errorf("no model is named: say which one %s shall ask", e.Provider)
	}
	if e.MaxTokens < 0 || e.Price.Input < 0 || e.Price.Output < 0 || e.Price.CachedInput < 0 {
		return "", fmt.Errorf("model %s: bounds and prices can't be negative", e.Model)
	}

	base := e.BaseURL
	if base == "" {
		base = d.public()
	}
	u, err := url.Parse(base)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("model %s: the base URL is not one: write it as https://host/v1", e.Model)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("model %s: the base URL holds more than an address: keys belong into the key, and parameters can't be sent", e.Model)
	case e.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()) && !e.Plain:
		return "", fmt.Errorf("model %s: the key would go to %s unencrypted: use https, or allow it for this endpoint", e.Model, u.Host)
	}
	if i := strings.IndexFunc(e.Key, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }); i >= 0 {
		return "", fmt.Errorf("model %s: the key has a character that no key has, such as a line end: copy it again", e.Model)
	}
	return d.address(u), nil
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
