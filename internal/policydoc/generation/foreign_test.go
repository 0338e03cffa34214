package generation

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// TestForeign makes calls of tests with an id that no record has, also deep in their arguments.
func TestForeign(t *testing.T) {
	const found = `[{"flight":"HAT001","date":"2031-05-20","seats":4},{"flight":"HAT002"}]`
	for name, c := range map[string]struct {
		args, want, where string
		expect            label.Verdict
	}{
		"of the call":               {`{"flight":"HAT001"}`, `{"flight":"HAT778"}`, `args/flight is "HAT778", which no record has`, label.Allow},
		"of an element":             {`{"flights":[{"date":"2031-05-20","flight":"HAT002"}]}`, `{"flights":[{"date":"2031-05-20","flight":"HAT779"}]}`, `args/flights/*/flight is "HAT779", which no record has`, label.Allow},
		"the first of several":      {`{"flights":["HAT001","HAT002"],"amount":1.50}`, `{"amount":1.50,"flights":["HAT778","HAT002"]}`, `args/flights/* is "HAT778", which no record has`, label.Allow},
		"the call's own goes first": {`{"among":["HAT001"],"flight":"HAT002"}`, `{"among":["HAT001"],"flight":"HAT779"}`, `args/flight is "HAT779", which no record has`, label.Allow},
		"a day":                     {`{"date":"2031-05-20"}`, "", "", label.Allow},
		"one that nothing returns":  {`{"flight":"HAT009"}`, "", "", label.Allow},
		"one that is asked for":     {`{"user":"u7"}`, "", "", label.Allow},
		"a call to deny":            {`{"flight":"HAT001"}`, "", "", label.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			e := &guard.Example{Expect: c.expect, Args: json.RawMessage(c.args), Given: []guard.Fixture{
				{Tool: "search", Args: json.RawMessage(`{"by":"u7"}`), Result: json.RawMessage(found)}, {Tool: "whose", Result: json.RawMessage(`"u7"`)}}}
			got, where, ok := foreign(e)
			if ok != (c.want != "") || where != c.where || ok && string(got.Args) != c.want {
				t.Errorf("got %s: %s, %v", got.Args, where, ok)
			}
			if string(e.Args) != c.args {
				t.Errorf("the test itself became %s", e.Args)
			}
		})
	}
}
