package strictjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Text returns the content of a JSON string, and "" for anything else.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return unquote(raw)
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

// Quotes writes texts as JSON strings, with commas between them.
func Quotes(list ...string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, string(Quote(s)))
	}
	return strings.Join(out, ", ")
}

// Int writes an integer as JSON.
func Int(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// Alike returns the one of the known names that a name equals except for the case of its letters.
// Some readers of JSON take the one for the other.
func Alike(name string, known ...string) (string, bool) {
	for _, k := range known {
		if name != k && strings.EqualFold(name, k) {
			return k, true
		}
	}
	return "", false
}

// Strings returns all strings in a value in their order, except those below the
// members that are left out.
func Strings(value []byte, leaveOut func(member string) bool) []string {
	var out []string
	d := decoder(value)
	for {
		within, length := d.StackIndex(d.StackDepth())
		isName := within == jsontext.KindBeginObject && length%2 == 0
		kind := d.PeekKind()
		if kind == jsontext.KindInvalid {
			return out
		}
		if kind != jsontext.KindString {
			if _, err := d.ReadToken(); err != nil {
				return out
			}
			continue
		}

		raw, err := d.ReadValue()
		if err != nil {
			return out
		}
		text := unquote(raw)
		if !isName {
			out = append(out, text)
		} else if leaveOut(text) {
			if err := d.SkipValue(); err != nil {
				return out
			}
		}
	}
}
