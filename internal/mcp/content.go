package mcp

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// toolResult returns what the result of a call brings to the model: the text of all its parts,
// and the structured form.
func toolResult(m *wire.Message) (text string, structured json.RawMessage) {
	if m.Result == nil {
		return strictjson.GetText(m.Error, "message"), nil
	}
	var parts []string
	for _, member := range []string{"content", "inputRequests"} {
		if v := strictjson.Get(m.Result, member); v != nil {
			parts = append(parts, contents(v)...)
		}
	}
	structured = strictjson.Get(m.Result, "structuredContent")
	if len(structured) > 0 && structured[0] != '{' && structured[0] != '[' {
		structured = nil
	}
	return strings.Join(parts, "\n"), structured
}

// failed returns the isError of a tool result, or nil if the server sent none. It is nil for a JSON-RPC error:
// the call may have run.
func failed(m *wire.Message) *bool {
	if m.Result == nil {
		return nil
	}
	return strictjson.GetBool(m.Result, "isError")
}

// contents returns the texts of a list of content blocks. A block of a kind that isn't known
// gives everything that is text in it.
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

// readable is everything in a response that a model could read.
func readable(m *wire.Message) string {
	if m.Result == nil {
		return strictjson.GetText(m.Error, "message")
	}
	return strings.Join(strictjson.Strings(m.Result, opaque), "\n")
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
