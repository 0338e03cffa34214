// Package protocol has the forms in which decisions leave Remit: as JSON for
// enforcement points in other languages, as text for the model whose call was
// stopped, and in short for logs. Enforcement points send calls and results in the
// forms of [remit.Call] and [remit.Result].
package protocol

import (
	"encoding/json"

	"github.com/remit-project/remit"
)

// Answer is a decision with the text to give to the model instead of a result. The
// text is empty for an allowed call.
type Answer struct {
	*remit.Decision
	Explanation string `json:"explanation,omitempty"`
}

// NewAnswer returns a decision with its explanation.
func NewAnswer(d *remit.Decision) Answer { return Answer{d, d.Explain()} }

// Arguments returns the arguments of a call, which are given as an object or as
// the text that the model wrote. Such text may not be JSON; the monitor then
// denies the call and says so.
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
