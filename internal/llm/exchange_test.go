package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// Where an endpoint takes the schema it is told to hold the model to it, and where
// it doesn't, the model reads it. What was learned so holds for the rest of a run.
func TestForms(t *testing.T) {
	always := func(f llmtest.Fault) func(llmtest.Asked) llmtest.Reply {
		return func(llmtest.Asked) llmtest.Reply { return llmtest.Reply{JSON: paris, Fault: f} }
	}
	for _, tc := range []struct {
		name  string
		p     llm.Provider
		fault llmtest.Fault
		// requests are those of two prompts, and last is what the last of them has.
		requests int
		last     []string
	}{
		{"openai takes schemas", llm.OpenAI, "", 2, []string{`"response_format":{"type":"json_schema","json_schema":{"name":"capital","schema":{"type":"object"`, `"strict":true`}},
		{"openai takes objects only", llm.OpenAI, llmtest.NoSchema, 3, []string{`"response_format":{"type":"json_object"}`, `meet this JSON Schema:\n{`}},
		{"openai takes nothing", llm.OpenAI, llmtest.NoObject, 4, []string{`meet this JSON Schema:\n{`}},
		{"anthropic takes tools", llm.Anthropic, "", 2, []string{`"input_schema":{"type":"object"`, `"tool_choice":{"type":"tool","name":"capital"}`}},
		{"anthropic takes none", llm.Anthropic, llmtest.NoSchema, 3, []string{`meet this JSON Schema:\n{`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := llmtest.New(t, always(tc.fault))
			c := newClient(t, llm.Options{Default: s.Endpoint(tc.p)})
			for range 2 {
				a, err := c.Complete(t.Context(), prompt())
				if got := city(t, a, err); got != "Paris" {
					t.Fatal(got)
				}
			}
			asked := s.Asked()
			if len(asked) != tc.requests {
				t.Errorf("%d requests", len(asked))
			}
			last := asked[len(asked)-1]
			for _, want := range tc.last {
				if !strings.Contains(string(last.Body), want) {
					t.Errorf("%s lacks %s", last.Body, want)
				}
			}
			if !strings.HasPrefix(last.System, prompt().System) || (last.Schema.Name == "") != strings.Contains(last.System, "JSON Schema") {
				t.Errorf("the schema is not where it should be: %s", last.Body)
			}
		})
	}
}

// Servers say in their own words that they don't take a schema.
func TestWordsOfServers(t *testing.T) {
	for name, body := range map[string]string{
		"llama.cpp": `{"error": {"code": 400, "message": "Failed to parse grammar", "type": "invalid_request_error"}}`,
		"vLLM":      `{"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar.", "code": 400}`,
		"LM Studio": `{"error": "'response_format.type' must be 'text'"}`,
		"FastAPI":   `{"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}`,
		"Gemini":    `[{"error": {"code": 400, "message": "Unknown name \"additionalProperties\" at 'generation_config.response_schema'"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			e := raw(t, llm.OpenAI, func(w http.ResponseWriter, r *http.Request) {
				if data, _ := io.ReadAll(r.Body); strings.Contains(string(data), `"response_format"`) {
					w.WriteHeader(http.StatusBadRequest)
					io.WriteString(w, body)
					return
				}
				io.WriteString(w, `{"choices": [{"message": {"content": "{\"city\": \"Paris\", \"population\": 2}"}}]}`)
			})
			a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
			if got := city(t, a, err); got != "Paris" {
				t.Error(got)
			}
		})
	}
}

// What stays the same between prompts comes first, marked for the provider's cache.
func TestCache(t *testing.T) {
	s := llmtest.New(t, right)
	if _, err := newClient(t, llm.Options{Default: s.Endpoint(llm.Anthropic)}).Complete(t.Context(), prompt()); err != nil {
		t.Fatal(err)
	}
	if want := `"system":[{"type":"text","text":"You know geography.","cache_control":{"type":"ephemeral"}}]`; !strings.Contains(string(s.Asked()[0].Body), want) {
		t.Errorf("%s", s.Asked()[0].Body)
	}
}

// What several prompts share is the beginning of the first message, which Anthropic is
// told to keep.
func TestShared(t *testing.T) {
	for p, kept := range map[llm.Provider]string{
		llm.OpenAI:    `"content":"The map. Where`,
		llm.Anthropic: `"content":[{"type":"text","text":"The map. ","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Where`,
	} {
		s := llmtest.New(t, right)
		shared := prompt()
		shared.Shared = "The map. "
		shared.Messages[0].Text = "Where is it?"
		if _, err := newClient(t, llm.Options{Default: s.Endpoint(p)}).Complete(t.Context(), shared); err != nil {
			t.Fatal(err)
		}
		a := s.Asked()[0]
		if a.Messages[0].Text != "The map. Where is it?" || !strings.Contains(string(a.Body), kept) {
			t.Errorf("%s: %s", p, a.Body)
		}
	}
}

// The bound of an answer is sent as each endpoint calls it, and doubled for one that
// was cut off.
func TestMaxTokens(t *testing.T) {
	for _, tc := range []struct {
		name   string
		p      llm.Provider
		max    int
		faults []llmtest.Fault
		bounds []int
		last   string
	}{
		{"openai without one", llm.OpenAI, 0, nil, []int{0}, "model"},
		{"openai with one", llm.OpenAI, 100, nil, []int{100}, `"max_completion_tokens":100`},
		{"openai of old", llm.OpenAI, 100, []llmtest.Fault{llmtest.NoMaxCompletionTokens}, []int{100, 100}, `"max_tokens":100`},
		{"openai cut off", llm.OpenAI, 100, []llmtest.Fault{llmtest.Truncated}, []int{100, 200}, `"max_completion_tokens":200`},
		{"openai cut off without a bound", llm.OpenAI, 0, []llmtest.Fault{llmtest.Truncated}, []int{0, 32768}, `"max_completion_tokens":32768`},
		{"openai cut off, and then again", llm.OpenAI, 0, []llmtest.Fault{llmtest.Truncated, llmtest.Truncated}, []int{0, 32768, 0}, "Answer more briefly."},
		{"anthropic without one", llm.Anthropic, 0, nil, []int{llm.DefaultMaxTokens}, "model"},
		{"anthropic with one", llm.Anthropic, 100, nil, []int{100}, `"max_tokens":100`},
		{"anthropic cut off", llm.Anthropic, 100, []llmtest.Fault{llmtest.Truncated}, []int{100, 200}, `"max_tokens":200`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := llmtest.New(t, right)
			s.Fail(tc.faults...)
			e := s.Endpoint(tc.p)
			e.MaxTokens = tc.max
			a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
			if got := city(t, a, err); got != "Paris" {
				t.Fatal(got)
			}
			var bounds []int
			for _, a := range s.Asked() {
				bounds = append(bounds, a.MaxTokens)
			}
			if fmt.Sprint(bounds) != fmt.Sprint(tc.bounds) {
				t.Errorf("bounds %v", bounds)
			}
			if last := s.Asked()[len(bounds)-1]; !strings.Contains(string(last.Body), tc.last) {
				t.Errorf("%s lacks %s", last.Body, tc.last)
			}
		})
	}
}

// An answer that is always cut off is an error, after all that can be tried.
func TestAlwaysCutOff(t *testing.T) {
	for p, tries := range map[llm.Provider]int{llm.OpenAI: 3, llm.Anthropic: 2} {
		s := llmtest.New(t, right)
		s.Fail(slices.Repeat([]llmtest.Fault{llmtest.Truncated}, 9)...)
		_, err := newClient(t, llm.Options{Default: s.Endpoint(p)}).Complete(t.Context(), prompt())
		var cut *llm.TruncatedError
		if !errors.As(err, &cut) || len(s.Asked()) != tries {
			t.Errorf("%s: %v after %d requests", p, err, len(s.Asked()))
		}
	}
}

// A bound that is large for a model that allows less is not an error: a shorter answer
// is asked for.
func TestLongBoundIsNotAllowed(t *testing.T) {
	var asked []string
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		asked = append(asked, string(data))
		switch len(asked) {
		case 1:
			fmt.Fprint(w, `{"choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "{"}}]}`)
		case 2:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error": {"message": "32768 is more than this model can say"}}`)
		default:
			fmt.Fprint(w, `{"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "{\"city\": \"Paris\", \"population\": 1}"}}]}`)
		}
	})
	a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
	if got := city(t, a, err); got != "Paris" || len(asked) != 3 || !strings.Contains(asked[2], "Answer more briefly.") {
		t.Errorf("%s after %q", got, asked)
	}
}

// A bound that the endpoint doesn't allow when it is doubled is reported as what it
// comes from.
func TestBoundCantBeDoubled(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, right)
		s.Fail(llmtest.Truncated)
		e := s.Endpoint(p)
		e.MaxTokens = llmtest.MostTokens
		_, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
		var cut *llm.TruncatedError
		if !errors.As(err, &cut) || cut.MaxTokens != llmtest.MostTokens {
			t.Error(err)
		}
	})
}

// An error that only sounds as if an endpoint didn't know something is not held
// against it in later prompts.
func TestNothingLearned(t *testing.T) {
	var asked []string
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		asked = append(asked, string(data))
		if len(asked) <= 2 {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error": {"message": "max_completion_tokens is too large for this request"}}`)
			return
		}
		io.WriteString(w, `{"choices": [{"message": {"content": "{\"city\": \"Paris\", \"population\": 2}"}}]}`)
	})
	e.MaxTokens = 100
	c := newClient(t, llm.Options{Default: e})
	for _, want := range []string{"status", "Paris"} {
		a, err := c.Complete(t.Context(), prompt())
		if got := city(t, a, err); got != want {
			t.Errorf("%s, not %s: %v", got, want, err)
		}
	}
	if len(asked) != 3 || !strings.Contains(asked[1], `"max_tokens"`) || !strings.Contains(asked[2], `"max_completion_tokens"`) {
		t.Errorf("%q", asked)
	}
}

// A model that erred reads its answer, what is wrong with it and what it should be.
func TestRepair(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		answers := []any{
			map[string]any{"city": "Paris"},
			capital{"Lyon", 1},
			paris,
		}
		s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply { return llmtest.Reply{JSON: answers[len(a.Messages)/2]} })
		q := prompt()
		q.Check = func(value json.RawMessage) error {
			if !strings.Contains(string(value), "Paris") {
				return fmt.Errorf("%s is not the capital", value)
			}
			return nil
		}
		a, err := newClient(t, llm.Options{Default: s.Endpoint(p)}).Complete(t.Context(), q)
		if got := city(t, a, err); got != "Paris" {
			t.Fatal(got)
		}
		if a.Usage.Calls != 3 {
			t.Errorf("usage %+v", a.Usage)
		}
		m := s.Asked()[2].Messages
		if len(m) != 5 || len(q.Messages) != 1 {
			t.Fatalf("%d messages", len(m))
		}
		for i, want := range []string{
			"What is the capital of France?",
			`{"city":"Paris"}`,
			"the answer: missing property 'population'",
			`"city":"Lyon"`,
			`"population":1} is not the capital`,
		} {
			if !strings.Contains(m[i].Text, want) {
				t.Errorf("message %d is %q", i, m[i].Text)
			}
		}
		if !strings.Contains(m[2].Text, `"additionalProperties": false`) || strings.Contains(m[4].Text, "additionalProperties") {
			t.Errorf("the schema is shown once, where the form is wrong: %q", m)
		}
	})
}

// An answer of nothing is put right like any other.
func TestEmptyAnswer(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply {
			if len(a.Messages) == 1 {
				return llmtest.Reply{Text: " "}
			}
			return llmtest.Reply{JSON: paris}
		})
		a, err := newClient(t, llm.Options{Default: s.Endpoint(p)}).Complete(t.Context(), prompt())
		if got := city(t, a, err); got != "Paris" {
			t.Error(got)
		}
	})
}

// Settings that are negative mean never.
func TestNever(t *testing.T) {
	s := llmtest.New(t, right)
	s.Fail(llmtest.WrongSchema, llmtest.Broken)
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Repairs: -1, Retries: -1})
	for _, want := range []string{"invalid", "status"} {
		if a, err := c.Complete(t.Context(), prompt()); city(t, a, err) != want {
			t.Error(err)
		}
	}
	if n := len(s.Asked()); n != 2 {
		t.Errorf("%d requests", n)
	}
}
