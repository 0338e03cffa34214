package mcp

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/strictjson"
)

// paramHeader derives the header fields that a tool's definition asks for from
// the arguments as they are sent (SEP-2243): what the monitor checked, the body
// and the header must say the same.
func paramHeader(definition, arguments []byte) http.Header {
	h := http.Header{}
	collectParams(h, strictjson.Get(definition, "inputSchema", "properties"), arguments, 0)
	return h
}

func collectParams(h http.Header, properties, arguments []byte, depth int) {
	const deepest = 16
	members, err := strictjson.Members(properties)
	if err != nil || depth > deepest {
		return
	}
	for _, m := range members {
		value := strictjson.Get(arguments, m.Name)
		if value == nil {
			continue
		}
		property := m.Value.Of(properties)
		if name := strictjson.GetText(property, "x-mcp-header"); token(name) {
			if s, ok := paramValue(value); ok {
				h.Set(upstream.HeaderParam+name, s)
			}
		}
		collectParams(h, strictjson.Get(property, "properties"), value, depth+1)
	}
}

// token reports whether a name can be that of a header.
func token(name string) bool {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// paramValue writes a text, a truth value or an integer for a header.
func paramValue(value []byte) (string, bool) {
	switch {
	case value[0] == '"':
		return headerText(strictjson.Text(value)), true
	case string(value) == "true", string(value) == "false":
		return string(value), true
	case strings.ContainsAny(string(value), ".eE{[n"):
		return "", false
	}
	return string(value), true
}

// headerText encodes a text that a header can't hold as it is.
func headerText(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, "=?base64?")
	for _, c := range []byte(s) {
		plain = plain && c >= ' ' && c < 0x7f
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// decodeHeader reads what [headerText] writes.
func decodeHeader(s string) string {
	inner, ok := strings.CutPrefix(s, "=?base64?")
	if inner, ok2 := strings.CutSuffix(inner, "?="); ok && ok2 {
		if text, err := base64.StdEncoding.DecodeString(inner); err == nil {
			return string(text)
		}
	}
	return s
}
