package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Text returns the text of a JSON string, and "" for anything else.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Encode writes a value as JSON, without the escapes that are for web pages.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Quote writes a JSON string, escaping only what must be.
func Quote(s string) json.RawMessage {
	raw, err := Encode(s)
	if err != nil {
		return json.RawMessage(`""`) // a string always has a form
	}
	return raw
}

// Number writes an integer as JSON.
func Number(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// Alike returns the one of the known names that a name equals but for the case
// of its letters. Some readers of JSON take the one for the other.
func Alike(name string, known ...string) (string, bool) {
	for _, k := range known {
		if name != k && strings.EqualFold(name, k) {
			return k, true
		}
	}
	return "", false
}

// Strings are all strings in a value but those below the members that are left
// out, in their order. The nesting that [strictjson] allows bounds the depth.
func Strings(value []byte, leaveOut func(member string) bool) []string {
	return appendStrings(nil, value, leaveOut, 0)
}

func appendStrings(out []string, value []byte, leaveOut func(string) bool, depth int) []string {
	const deepest = 128
	if len(value) == 0 || depth > deepest {
		return out
	}
	switch value[0] {
	case '"':
		return append(out, Text(value))
	case '[':
		elements, err := Elements(value)
		if err != nil {
			return out
		}
		for _, at := range elements {
			out = appendStrings(out, at.Of(value), leaveOut, depth+1)
		}
	case '{':
		members, err := Members(value)
		if err != nil {
			return out
		}
		for _, m := range members {
			if !leaveOut(m.Name) {
				out = appendStrings(out, m.Value.Of(value), leaveOut, depth+1)
			}
		}
	}
	return out
}
