package llm_test

import (
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// Whatever goes wrong on the way, the client recovers from it or says what it was.
func TestFaults(t *testing.T) {
	repeat := func(f llmtest.Fault, n int) []llmtest.Fault {
		var out []llmtest.Fault
		for range n {
			out = append(out, f)
		}
		return out
	}
	for _, tc := range []struct {
		name   string
		faults []llmtest.Fault
		want   string
		steps  string
		asked  int
	}{
		{"nothing goes wrong", nil, "Paris", "started answered", 1},
		{"text that breaks off is repaired", repeat(llmtest.Malformed, 1), "Paris", "started repaired answered", 2},
		{"an answer of another schema is repaired", repeat(llmtest.WrongSchema, 1), "Paris", "started repaired answered", 2},
		{"repairs have an end", repeat(llmtest.WrongSchema, 9), "invalid", "started repaired repaired repaired failed", 4},
		{"an answer that was cut off is asked for again", repeat(llmtest.Truncated, 1), "Paris", "started repaired answered", 2},
		{"a refusal is asked again", repeat(llmtest.Refused, 1), "Paris", "started repaired answered", 2},
		{"but once", repeat(llmtest.Refused, 9), "refused", "started repaired failed", 2},
		{"a filter is a refusal", repeat(llmtest.Filtered, 9), "refused", "started repaired failed", 2},
		{"a rate limit is waited for", repeat(llmtest.RateLimited, 2), "Paris", "started retried retried answered", 3},
		{"an overloaded endpoint is asked again", repeat(llmtest.Overloaded, 1), "Paris", "started retried answered", 2},
		{"a broken endpoint is asked again", repeat(llmtest.Broken, 1), "Paris", "started retried answered", 2},
		{"retries have an end", repeat(llmtest.Broken, 9), "status", "started retried retried retried failed", 4},
		{"a connection that is cut is made again", repeat(llmtest.Cut, 1), "Paris", "started retried answered", 2},
		{"a page instead of an answer is a failure", repeat(llmtest.Unreadable, 1), "Paris", "started retried answered", 2},
		{"an endpoint that doesn't take schemas reads them", repeat(llmtest.NoSchema, 1), "Paris", "started retried answered", 2},
		{"several things at once", []llmtest.Fault{llmtest.NoSchema, llmtest.RateLimited, llmtest.Truncated, llmtest.Broken, llmtest.WrongSchema}, "Paris",
			"started retried retried repaired retried repaired answered", 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, p llm.Provider) {
				s := llmtest.New(t, right)
				s.Fail(tc.faults...)
				var told steps
				c := newClient(t, llm.Options{Default: s.Endpoint(p), Retries: 3, Progress: told.note})
				a, err := c.Complete(t.Context(), prompt())
				if got := city(t, a, err); got != tc.want {
					t.Errorf("the answer is %s: %v", got, err)
				}
				if got := told.String(); got != tc.steps {
					t.Errorf("steps: %s", got)
				}
				if got := len(s.Asked()); got != tc.asked {
					t.Errorf("%d requests", got)
				}
			})
		})
	}
}
