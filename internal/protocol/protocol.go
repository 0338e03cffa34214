// Package protocol has the JSON forms in which enforcement points in other
// languages speak with Remit, line by line or over HTTP. What they send is in
// the forms of the root package: [remit.Call] and [remit.Result].
package protocol

import (
	"encoding/json"

	"github.com/remit-project/remit"
)

// Answer is a decision with what to tell the model instead of a result; that is
// empty for an allowed call.
type Answer struct {
	*remit.Decision
	Explanation string `json:"explanation,omitempty"`
}

// AnswerOf words a decision.
func AnswerOf(d *remit.Decision) Answer { return Answer{d, d.Explain()} }

// Arguments takes the arguments of a call as an object or as the text that the
// model wrote, which need not be JSON: the monitor then says so in its decision.
func Arguments(raw json.RawMessage) json.RawMessage {
	var text string
	switch {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return json.RawMessage(text)
	}
	return raw
}
