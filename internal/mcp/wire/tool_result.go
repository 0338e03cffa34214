package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// ToolResult is what a call of a tool brings to the model.
type ToolResult struct {
	// Text is the text of all parts.
	Text string
	// Structured is the structured form: an object or a list, or nil.
	Structured json.RawMessage
	// Failed says whether the call failed; nil if the server doesn't say. A JSON-RPC error
	// doesn't say either: the call may have run.
	Failed *bool
}

// ToolResult reads the response to a tools/call.
func (m *Message) ToolResult() ToolResult {
	if m.Result == nil {
		return ToolResult{Text: strictjson.GetText(m.Error, "message")}
	}

	var parts []string
	for _, member := range []string{"content", "inputRequests"} {
		if v := strictjson.Get(m.Result, member); v != nil {
			parts = append(parts, contents(v)...)
		}
	}
	structured := strictjson.Get(m.Result, "structuredContent")
	if len(structured) > 0 && structured[0] != '{' && structured[0] != '[' {
		structured = nil
	}
	return ToolResult{Text: strings.Join(parts, "\n"), Structured: structured, Failed: failed(m.Result)}
}

// HasFailed reports whether the result of a tools/call says that the call failed.
func HasFailed(result json.RawMessage) bool {
	says := failed(result)
	return says != nil && *says
}

func failed(result json.RawMessage) *bool { return strictjson.GetBool(result, "isError") }

// LookUp reads the result of a tools/call that looks something up. It returns an error if the
// call failed, or if the server asks for more before it answers.
func LookUp(result json.RawMessage) (ToolResult, error) {
	r := (&Message{Result: result}).ToolResult()
	switch {
	case strictjson.Get(result, "inputRequests") != nil:
		return ToolResult{}, errors.New("the server asks for more before it answers")
	case HasFailed(result):
		return ToolResult{}, fmt.Errorf("the tool answered with an error: %q", r.Text)
	}
	return r, nil
}

// Readable returns everything in a response that a model could read.
func (m *Message) Readable() string {
	if m.Result == nil {
		return strictjson.GetText(m.Error, "message")
	}
	return strings.Join(strictjson.Strings(m.Result, opaque), "\n")
}

// contents returns the texts of a list of content blocks. A block of an unknown kind gives
// everything that is text in it.
func contents(list []byte) []string {
	elements, err := strictjson.Elements(list)
	if err != nil {
		return strictjson.Strings(list, opaque)
	}
	var out []string
	for _, at := range elements {
		block := at.Of(list)
		if strictjson.GetText(block, "type") == "text" {
			out = append(out, strictjson.GetText(block, "text"))
			continue
		}
		out = append(out, strictjson.Strings(block, opaque)...)
	}
	return out
}

// opaque reports whether a member holds no text for a model to read: encoded bytes, and the
// protocol's own words.
func opaque(member string) bool {
	switch member {
	case "blob", "data", "type", "mimeType", "_meta", "role":
		return true
	}
	return false
}
