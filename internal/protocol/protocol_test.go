package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/internal/protocol"
)

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
