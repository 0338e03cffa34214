package tryout_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/tryout"
	"github.com/remit-project/remit/schema"
)

// library are look-ups: who there is, what a member has borrowed, and a copy.
const library = `{"tools": [
  {"name": "list_members", "inputSchema": {"type": "object", "properties": {"page": {"type": "integer"}}}},
  {"name": "get_member", "inputSchema": {"type": "object", "properties": {"member_id": {"type": "string", "pattern": "^M-"}}, "required": ["member_id"]}},
  {"name": "get_copy", "inputSchema": {"type": "object", "properties": {"copy_id": {"type": "string"}}, "required": ["copy_id"]}},
  {"name": "get_shelf", "inputSchema": {"type": "object", "properties": {"shelf": {"type": "integer"}}, "required": ["shelf"]}}]}`

var errNone = errors.New("there is none")

// shelves answers the look-ups of the library, and counts them.
type shelves struct{ calls map[string]int }

func (s *shelves) Read(_ context.Context, _, tool string, arguments json.RawMessage) (*guard.Result, error) {
	s.calls[tool]++
	switch tool + string(arguments) {
	case `list_members{}`:
		return &guard.Result{Content: `[{"name": "Ada", "member_id": "7"}, {"name": "Bob", "member_id": "M-8"}]`}, nil
	case `get_member{"member_id":"M-8"}`:
		return &guard.Result{Structured: json.RawMessage(`{"member_id":"M-8","copies":{"C-1":{"due":"2031-03-01"}}}`)}, nil
	case `get_copy{"copy_id":"C-1"}`:
		return &guard.Result{Content: "On loan."}, nil
	}
	return nil, errNone
}

func lookups(t *testing.T) []guard.Readable {
	t.Helper()
	c, err := schema.Parse("library.json", []byte(library))
	if err != nil {
		t.Fatal(err)
	}
	var out []guard.Readable
	for i := range c.Tools {
		out = append(out, guard.Readable{Name: c.Tools[i].Name, Definition: &c.Tools[i]})
	}
	return out
}

// TestAskTakesArgumentsFromResults finds a member in the list of all, and a copy by the
// names of a map, and asks each look-up once.
func TestAskTakesArgumentsFromResults(t *testing.T) {
	s := &shelves{map[string]int{}}
	got := tryout.Ask(t.Context(), s, lookups(t), nil, nil)
	for tool, want := range map[string]string{
		"list_members": `[{"member_id":"7","name":"Ada"},{"member_id":"M-8","name":"Bob"}]`,
		"get_member":   `{"copies":{"C-1":{"due":"2031-03-01"}},"member_id":"M-8"}`,
		"get_copy":     `"On loan."`,
	} {
		a := got[tool]
		if a.Why != nil || a.Source != policydoc.Live || !guard.SameArguments(wrap(a.Result), wrap(json.RawMessage(want))) || s.calls[tool] != 1 {
			t.Errorf("%s: %s, %v, asked %d times", tool, a.Result, a.Why, s.calls[tool])
		}
	}
	if a := got["get_shelf"]; a.Why == nil || s.calls["get_shelf"] != 0 {
		t.Errorf("a shelf is asked for: %+v", a)
	}
}

func wrap(value json.RawMessage) json.RawMessage {
	return json.RawMessage(`{"it":` + string(value) + `}`)
}

// TestAskKnowsNothingFromGuesses holds that made up samples give no arguments, and that
// what was returned or given does.
func TestAskKnowsNothingFromGuesses(t *testing.T) {
	sample := func(source policydoc.SampleSource) map[string]policydoc.Sample {
		return map[string]policydoc.Sample{"get_copy": {Tool: "get_copy", Source: source, Args: json.RawMessage(`{"copy_id":"C-1"}`), Result: json.RawMessage(`{}`)}}
	}
	only := lookups(t)[2:3]
	if got := tryout.Ask(t.Context(), &shelves{map[string]int{}}, only, nil, sample(policydoc.Guessed)); got["get_copy"].Why == nil {
		t.Errorf("a guess was asked for: %+v", got)
	}
	if got := tryout.Ask(t.Context(), &shelves{map[string]int{}}, only, nil, sample(policydoc.Recorded)); got["get_copy"].Why != nil {
		t.Errorf("what was recorded isn't asked for: %+v", got)
	}
	given := map[string]json.RawMessage{"get_copy": json.RawMessage(`{"copy_id":"C-9"}`)}
	if got := tryout.Ask(t.Context(), &shelves{map[string]int{}}, only, given, nil); !errors.Is(got["get_copy"].Why, errNone) {
		t.Errorf("got %+v", got)
	}
}
