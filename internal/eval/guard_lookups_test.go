package eval

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

// fixed is a reader that always finds the same.
type fixed string

// Read implements [guard.Reader].
func (f fixed) Read(context.Context, string, string, json.RawMessage) (*guard.Result, error) {
	if f == "" {
		return nil, errors.New("there is nothing")
	}
	return guard.ResultOf(json.RawMessage(f)), nil
}

// Tools whose definitions don't describe the result return what the data set's own
// tools do: lists and texts by themselves.
func TestBareResults(t *testing.T) {
	tools := []*schema.Catalogue{{Tools: []schema.Tool{{Name: "bare"}, {Name: "described", Output: &schema.Node{}}}}}
	for _, tt := range []struct{ name, tool, found, want string }{
		{"a list of lists of one", "bare", `{"flights":[[{"a":1}],[{"a":2}]]}`, `[{"a":1},{"a":2}]`},
		{"a list of pairs", "bare", `{"flights":[[1,2],[3,4]]}`, `[[1,2],[3,4]]`},
		{"an empty list", "bare", `{"flights":[]}`, `[]`},
		{"an object in an object", "bare", `{"cities":{"SFO":"San Francisco"}}`, `{"SFO":"San Francisco"}`},
		{"a text", "bare", `{"text":"12.00"}`, `12.00`},
		{"a record", "bare", `{"id":"r1","cabin":"economy"}`, `{"id":"r1","cabin":"economy"}`},
		{"a described result", "described", `{"flights":[[1]]}`, `{"flights":[[1]]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bareReader{fixed(tt.found), tools}.Read(t.Context(), "", tt.tool, nil)
			if err != nil || got.Content != tt.want {
				t.Errorf("%v %v, want %s", got, err, tt.want)
			}
		})
	}
	if _, err := (bareReader{fixed(""), tools}).Read(t.Context(), "", "bare", nil); err == nil {
		t.Error("an error is lost")
	}
}
