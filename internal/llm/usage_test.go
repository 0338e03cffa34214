package llm_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// A budget ends before the call that would go beyond it, and what was recorded by
// then is kept.
func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		name   string
		budget llm.Budget
		fault  llmtest.Fault
		calls  int
		want   string
	}{
		{"none", llm.Budget{}, "", 5, ""},
		{"calls", llm.Budget{Calls: 2}, "", 2, "2 of 2 calls"},
		{"repairs are calls", llm.Budget{Calls: 2}, llmtest.WrongSchema, 2, "2 of 2 calls"},
		{"tokens", llm.Budget{Tokens: 2500}, "", 3, "3300 of 2500 tokens"},
		{"money", llm.Budget{USD: 0.01}, "", 4, "0.01 of 0.01 USD"},
		{"tokens that nobody counts", llm.Budget{Tokens: 100}, llmtest.NoUsage, 1, "of 100 tokens"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, p llm.Provider) {
				s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
					return llmtest.Reply{JSON: paris, Usage: llm.Usage{Input: 1000, Output: 100}, Fault: tc.fault}
				})
				e := s.Endpoint(p)
				e.Price = llm.Price{Input: 1, Output: 20}
				c := newClient(t, llm.Options{Default: e, Budget: tc.budget})
				var err error
				for range 5 {
					if _, err = c.Complete(t.Context(), prompt()); errors.Is(err, llm.ErrBudget) {
						break
					}
				}
				if n := len(s.Asked()); n != tc.calls && tc.want != "" {
					t.Errorf("%d requests", n)
				}
				if tc.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Error(err)
				}
			})
		})
	}
}

// A budget that can't be held is refused at once.
func TestBudgetThatCantBeHeld(t *testing.T) {
	e := llm.Endpoint{Provider: llm.OpenAI, Model: "m"}
	for name, o := range map[string]llm.Options{
		"no price":        {Default: e, Budget: llm.Budget{USD: 1}},
		"negative calls":  {Default: e, Budget: llm.Budget{Calls: -1}},
		"negative tokens": {Default: e, Budget: llm.Budget{Tokens: -1}},
		"no number":       {Default: e, Budget: llm.Budget{USD: math.NaN()}},
	} {
		if _, err := llm.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What Anthropic puts into its cache costs more than other input.
func TestCacheIsWritten(t *testing.T) {
	e := raw(t, llm.Anthropic, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"content": [{"type": "text", "text": "{\"city\": \"Paris\", \"population\": 2}"}], "stop_reason": "end_turn",
			"usage": {"input_tokens": 200000, "cache_creation_input_tokens": 800000, "cache_read_input_tokens": 0, "output_tokens": 0}}`)
	})
	e.Price = llm.Price{Input: 1, Output: 5}
	a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
	if err != nil {
		t.Fatal(err)
	}
	if u := a.Usage; u.Input != 1_000_000 || math.Abs(u.Cost-1.2) > 1e-9 || a.Model != "m" {
		t.Errorf("%+v", a)
	}
}

// Impossible numbers of tokens don't break the budget.
func TestAbsurdUsage(t *testing.T) {
	for _, numbers := range []string{
		`"prompt_tokens": 9223372036854775807, "completion_tokens": 9223372036854775807`,
		`"prompt_tokens": -5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 99}`,
	} {
		e := raw(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"choices": [{"message": {"content": "{\"city\": \"Paris\", \"population\": 2}"}}], "usage": {`+numbers+`}}`)
		})
		e.Price = llm.Price{Input: 1, Output: 5}
		c := newClient(t, llm.Options{Default: e})
		for range 3 {
			if _, err := c.Complete(t.Context(), prompt()); err != nil {
				t.Fatal(err)
			}
		}
		if u := c.Usage()["look-up"]; u.Input < 0 || u.Output <= 0 || u.CachedInput > u.Input || u.Cost <= 0 {
			t.Errorf("%s: %+v", numbers, u)
		}
	}
}

// Tokens are counted alike for both providers, though they report them differently,
// and cost what each kind costs.
func TestUsage(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
			return llmtest.Reply{JSON: paris, Usage: llm.Usage{Input: 1_000_000, CachedInput: 400_000, Output: 10_000}}
		})
		for _, tc := range []struct {
			name  string
			price llm.Price
			cost  float64
		}{
			{"a price for cached input", llm.Price{Input: 2, CachedInput: 0.5, Output: 10}, 1.2 + 0.2 + 0.1},
			{"none", llm.Price{Input: 2, Output: 10}, 2 + 0.1},
			{"no price at all", llm.Price{}, 0},
		} {
			e := s.Endpoint(p)
			e.Price = tc.price
			c := newClient(t, llm.Options{Default: e})
			a, err := c.Complete(t.Context(), prompt())
			if err != nil {
				t.Fatal(err)
			}
			if u := a.Usage; math.Abs(u.Cost-tc.cost) > 1e-9 || u.Calls != 1 || u.Input != 1_000_000 || u.CachedInput != 400_000 || u.Output != 10_000 || c.Usage()["look-up"] != u {
				t.Errorf("%s: %+v", tc.name, u)
			}
		}
	})
}
