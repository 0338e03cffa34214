package validate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/validate"
)

// Each mistake has its place; the whole value is called by the name that it is given.
func TestMistakesHavePlaces(t *testing.T) {
	const schema = `{"required": ["a"], "properties": {"n": {"type": "integer"}}, "additionalProperties": false}`
	for value, want := range map[string][]string{
		`{"a": 1}`:                   {"the body: additional properties 'a' not allowed"},
		`{"n": "x", "d": 0, "c": 0}`: {"/n: got string, want integer", "the body: additional properties 'c', 'd' not allowed", "the body: missing property 'a'"},
	} {
		if got := mistakes(t, schema, value); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", value, got, want)
		}
	}
	if got := mistakes(t, `{"type": "object"}`, `{}`); got != nil {
		t.Errorf("got %q", got)
	}
}

// A value of thousands of mistakes is answered with a few of them and their number.
func TestMistakesAreBounded(t *testing.T) {
	got := mistakes(t, `{"items": {"type": "string"}}`, `[`+strings.Repeat("0,", 99_999)+`0]`)
	if want := "and 99980 more"; len(got) != 21 || got[20] != want {
		t.Errorf("%d mistakes, the last %q, want %q", len(got), got[len(got)-1], want)
	}

	long := fmt.Sprintf(`{%q: 1}`, strings.Repeat("x", 1<<20))
	if got := mistakes(t, `{"additionalProperties": {"type": "string"}}`, long); len(got) != 1 || len(got[0]) > 500 {
		t.Errorf("%d mistakes, the first of %d bytes", len(got), len(got[0]))
	}
}

// A schema refers to nothing outside.
func TestCompileReadsNoFiles(t *testing.T) {
	for _, ref := range []string{"file:///etc/passwd", "https://schemas.example/a", "other.json"} {
		if _, err := validate.Compile([]byte(fmt.Sprintf(`{"$ref": %q}`, ref))); err == nil || !strings.Contains(err.Error(), "$defs") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func mistakes(t *testing.T, schema, value string) []string {
	t.Helper()
	s, err := validate.Compile([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		t.Fatal(err)
	}
	return s.Mistakes(v, "the body")
}
