package scope_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/scope"
)

// TestConfirmable keeps the entries of a plan that a person can understand by reading them, with
// names that are shown whole.
func TestConfirmable(t *testing.T) {
	long := strings.Repeat("x", 257)
	for name, c := range map[string]struct {
		entry string
		want  bool
	}{
		"stated values":                 {`{"tool":"send","args":{"/to":{"is":["a","b"]},"/day":{"date":"2026-01-31"},"/cc":{"absent":true},"/body":{"any":true}}}`, true},
		"the only value of a field":     {`{"tool":"send","args":{"/to":{"from":[{"tool":"look_up","args":{"/name":{"is":"Dora"}},"field":"mail"}],"kind":"email","pick":"only"}}}`, true},
		"what the object has":           {`{"tool":"send","args":{"/to":{"unchanged":true}}}`, false},
		"what the object of a call has": {`{"tool":"send","args":{"/to":{"from":[{"tool":"look_up","args":{"/name":{"unchanged":true}}}],"kind":"email","pick":"only"}}}`, false},
		"a tool with a long name":       {`{"tool":"` + long + `"}`, false},
		"a server with a long name":     {`{"tool":"send","server":"` + long + `"}`, false},
		"a long name of an argument":    {`{"tool":"send","args":{"/` + long + `":{"is":"a"}}}`, false},
		"a long name in a source":       {`{"tool":"send","args":{"/to":{"from":[{"tool":"` + long + `"}],"kind":"email","pick":"only"}}}`, false},
		"a long value":                  {`{"tool":"send","args":{"/to":{"is":"` + long + `"}}}`, false},
	} {
		plan, refused, err := scope.Parse([]byte(`{"calls":[`+c.entry+`]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatalf("%s: %v, %v", name, refused, err)
		}
		shown, left := plan.Confirmable()
		if got := len(shown.Calls) == 1; got != c.want || len(left) == len(shown.Calls) {
			t.Errorf("%s: %t, %v", name, got, left)
		}
	}
}
