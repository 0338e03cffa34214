package mcp

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit/gateway/mcp/wire"
)

// toolResult is what the result of a call brings to the model: the text of all
// its parts, and the structured form.
func toolResult(m *wire.Message) (text string, structured json.RawMessage) {
	if m.Result == nil {
		return wire.GetText(m.Error, "message"), nil
	}
	var parts []string
	for _, member := range []string{"content", "inputRequests"} {
		if v := wire.Get(m.Result, member); v != nil {
			parts = append(parts, contents(v)...)
		}
	}
	structured = wire.Get(m.Result, "structuredContent")
	if len(structured) > 0 && structured[0] != '{' && structured[0] != '[' {
		structured = nil
	}
	return strings.Join(parts, "\n"), structured
}

// contents are the texts of a list of content blocks. A block of a kind that
// isn't known gives everything that is text in it.
func contents(list []byte) []string {
	elements, err := wire.Elements(list)
	if err != nil {
		return texts(list, 0)
	}
	var out []string
	for _, at := range elements {
		block := at.Of(list)
		if wire.GetText(block, "type") == "text" {
			out = append(out, wire.GetText(block, "text"))
			continue
		}
		out = append(out, texts(block, 0)...)
	}
	return out
}

// readable is everything in a response that a model could read.
func readable(m *wire.Message) string {
	if m.Result == nil {
		return wire.GetText(m.Error, "message")
	}
	return strings.Join(texts(m.Result, 0), "\n")
}

// opaque are members that hold no text for a model to read: encoded bytes, and
// the protocol's own words.
var opaque = map[string]bool{"blob": true, "data": true, "type": true, "mimeType": true, "_meta": true, "role": true}

// texts are all strings in a value but those of opaque members.
func texts(value []byte, depth int) []string {
	const deepest = 128
	if len(value) == 0 || depth > deepest {
		return nil
	}
	var out []string
	switch value[0] {
	case '"':
		return []string{wire.Text(value)}
	case '[':
		elements, err := wire.Elements(value)
		if err != nil {
			return nil
		}
		for _, at := range elements {
			out = append(out, texts(at.Of(value), depth+1)...)
		}
	case '{':
		members, err := wire.Members(value)
		if err != nil {
			return nil
		}
		for _, m := range members {
			if !opaque[m.Name] {
				out = append(out, texts(m.Value.Of(value), depth+1)...)
			}
		}
	}
	return out
}
