package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// each runs a test with both providers.
func each(t *testing.T, f func(t *testing.T, p llm.Provider)) {
	for _, p := range []llm.Provider{llm.OpenAI, llm.Anthropic} {
		t.Run(string(p), func(t *testing.T) { f(t, p) })
	}
}

// capital is what the tests ask for.
type capital struct {
	City       string `json:"city"`
	Population int    `json:"population"`
}

var paris = capital{"Paris", 2_103_000}

func schema() llm.Schema {
	return llm.Schema{Name: "capital", JSON: json.RawMessage(`{
		"type": "object",
		"properties": {"city": {"type": "string"}, "population": {"type": "integer", "minimum": 0}},
		"required": ["city", "population"],
		"additionalProperties": false
	}`)}
}

func prompt() llm.Prompt {
	return llm.Prompt{
		Stage: "look-up", Subject: "France", System: "You know geography.",
		Messages: []llm.Message{{Role: llm.User, Text: "What is the capital of France?"}},
		Schema:   schema(),
	}
}

// right answers every question.
func right(llmtest.Asked) llmtest.Reply { return llmtest.Reply{JSON: paris} }

// says answers every question with a text.
func says(text string) func(llmtest.Asked) llmtest.Reply {
	return func(llmtest.Asked) llmtest.Reply { return llmtest.Reply{Text: text} }
}

func newClient(t testing.TB, o llm.Options) *llm.Client {
	t.Helper()
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// steps notes what a client reports.
type steps struct {
	mu  sync.Mutex
	all []string
}

func (s *steps) note(e llm.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, string(e.Step))
}

func (s *steps) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.all, " ")
}

// city is what an answer says, or the kind of error that there is instead.
func city(t *testing.T, a *llm.Answer, err error) string {
	t.Helper()
	var (
		refused   *llm.RefusedError
		truncated *llm.TruncatedError
		invalid   *llm.InvalidError
		status    *llm.StatusError
	)
	switch {
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &truncated):
		return "truncated"
	case errors.As(err, &invalid):
		return "invalid"
	case errors.As(err, &status):
		return "status"
	case errors.Is(err, llm.ErrBudget):
		return "budget"
	case err != nil:
		return err.Error()
	}
	var c capital
	if err := json.Unmarshal(a.Value, &c); err != nil {
		t.Fatalf("%s: %v", a.Value, err)
	}
	return c.City
}
