package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/protocol"
)

// TestDenialText holds what the model reads to what can still help: no confirmation where a
// person refused the call, or where a policy denies it whatever a person says.
func TestDenialText(t *testing.T) {
	doubt := remit.Reason{Code: remit.BelowFloor, Path: "/to", Verdict: remit.Ask, Message: "nothing vouches for it",
		Remedies: []string{"use a value that the user gave", "or have the user confirm this value"}}
	policy := remit.Reason{Code: remit.PolicyViolation, Verdict: remit.Deny, Message: "the limit is 10"}
	for name, c := range map[string]struct {
		d    remit.Decision
		want string
	}{
		"held back": {remit.Decision{Verdict: remit.Ask, Reasons: []remit.Reason{doubt}},
			"The call of send was held back until a person confirms it.\n- /to: nothing vouches for it\n  use a value that the user gave\n  or have the user confirm this value\n" +
				"Nobody has confirmed it. Don't try the same call again unless the user asks for it.\n"},
		"refused": {remit.Decision{Verdict: remit.Deny, Refused: true, Reasons: []remit.Reason{doubt}},
			"The call of send was refused by a person.\n- /to: nothing vouches for it\n" +
				"Don't make it again, nor the same by another tool, and don't ask for it again, unless the user brings it up.\n"},
		"against a policy": {remit.Decision{Verdict: remit.Deny, Reasons: []remit.Reason{policy, doubt}},
			"The call of send was denied.\n- the limit is 10\n- /to: nothing vouches for it\n  use a value that the user gave\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c.d.Tool = "send"
			if got := protocol.DenialText(&c.d); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"none":                {``, `{}`},
		"an object":           {`{"a": 1}`, `{"a": 1}`},
		"the model's text":    {`"{\"a\": 1}"`, `{"a": 1}`},
		"text that is none":   {`"{\"a\""`, `{"a"`},
		"no arguments at all": {`null`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := protocol.Arguments(json.RawMessage(c.in)); string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
