package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/strictjson"
)

// The error codes of JSON-RPC that a relay answers with itself.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

// DefaultLimits bound a message: 16 MiB hold the largest results that agents
// have any use for, images included.
func DefaultLimits() strictjson.Limits {
	return strictjson.Limits{Size: 16 << 20, Depth: 96, Leaves: 400_000}
}

// Kind distinguishes requests, notifications and responses.
type Kind uint8

// The kinds of messages.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message. It is read-only; edits make new texts.
type Message struct {
	// Raw is the whole text, on one line.
	Raw  []byte
	Kind Kind
	// Method is that of a request or a notification.
	Method string
	// ID is the id as the text has it; nil when there is none or it is
	// null.
	ID json.RawMessage
	// Params, Result and Error are parts of Raw; nil when absent.
	Params, Result, Error json.RawMessage

	doc        *strictjson.Document // of Raw
	id, params strictjson.Span
}

// Param returns a member of the params, or a member of its members; nil where there
// is none. It reads nothing again.
func (m *Message) Param(path ...string) json.RawMessage { return m.param(path).Raw() }

// ParamText is [Message.Param] for a text; "" where it is none.
func (m *Message) ParamText(path ...string) string { return m.param(path).Text() }

// ParamNames returns the names of the params' members.
func (m *Message) ParamNames() []string {
	var out []string
	for name := range m.param(nil).Members() {
		out = append(out, name)
	}
	return out
}

// ReplaceParams returns the params with other values for some of their members. A
// member that they don't have is not added.
func (m *Message) ReplaceParams(values map[string]json.RawMessage) json.RawMessage {
	var edits []strictjson.Edit
	for name, value := range values {
		if v := m.param([]string{name}); v.Exists() {
			at := v.Span()
			edits = append(edits, strictjson.Replacement(at.Start-m.params.Start, at.End-m.params.Start, string(value)))
		}
	}
	return strictjson.Apply(m.Params, edits)
}

func (m *Message) param(path []string) strictjson.Value {
	return m.doc.Root().Get("params").Get(path...)
}

// Error says why a text is not an acceptable message, and how to answer it.
type Error struct {
	Code    int
	Message string
	// ID is that of the refused message where it could be made out.
	ID json.RawMessage
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Parse reads one message. The error is always an [*Error]. The message refers
// to raw afterwards.
func Parse(raw []byte, limits strictjson.Limits) (*Message, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		return nil, &Error{Code: InvalidRequest, Message: "batches are not supported: send each message by itself"}
	}
	m := &Message{Raw: oneLine(raw)}
	doc, err := strictjson.Parse(raw, limits)
	if err == nil && &m.Raw[0] != &raw[0] { // on one line only when it is known to be sound
		doc, err = strictjson.Parse(m.Raw, limits)
	}
	if err != nil {
		return nil, &Error{Code: ParseError, Message: "the message is not acceptable JSON: " + err.Error(), ID: looseID(raw)}
	}
	if doc.Root().Kind() != strictjson.Object {
		return nil, &Error{Code: InvalidRequest, Message: "the message is not a JSON object"}
	}

	m.doc = doc
	version, hasMethod := "", false
	for name, value := range doc.Root().Members() {
		switch name {
		case "jsonrpc":
			version = value.Text()
		case "id":
			m.id = value.Span()
			if id := value.Raw(); string(id) != "null" {
				m.ID = id
			}
		case "method":
			m.Method, hasMethod = value.Text(), true
		case "params":
			m.Params, m.params = value.Raw(), value.Span()
		case "result":
			m.Result = value.Raw()
		case "error":
			m.Error = value.Raw()
		default:
			if known, ok := strictjson.Alike(name, "jsonrpc", "id", "method", "params", "result", "error"); ok {
				return nil, &Error{Code: InvalidRequest, Message: fmt.Sprintf("the member %q is not %q, and some readers take it for that: leave it out", name, known), ID: scalarID(m.ID)}
			}
		}
	}

	if err := m.classify(version, hasMethod); err != nil {
		return nil, &Error{Code: InvalidRequest, Message: err.Error(), ID: scalarID(m.ID)}
	}
	return m, nil
}

func (m *Message) classify(version string, hasMethod bool) error {
	answers := 0
	if m.Result != nil {
		answers++
	}
	if m.Error != nil {
		answers++
	}

	switch {
	case version != "2.0":
		return errors.New(`the message is not JSON-RPC 2.0: write "jsonrpc": "2.0"`)
	case m.ID != nil && scalarID(m.ID) == nil:
		return errors.New("the id is neither a string nor a number")
	case hasMethod && (m.Method == "" || answers > 0):
		return errors.New("the message is a request and a response at once, or its method is not text")
	case hasMethod && m.Params != nil && m.Params[0] != '{' && m.Params[0] != '[':
		return errors.New("the params are neither an object nor a list")
	case hasMethod && m.id.End > 0 && m.ID == nil:
		return errors.New("the id of the request is null")
	case hasMethod && m.ID != nil:
		m.Kind = Request
	case hasMethod:
		m.Kind = Notification
	case answers != 1:
		return errors.New("the message has no method, and not exactly one of result and error")
	case m.Error != nil && m.Error[0] != '{':
		return errors.New("the error is not an object")
	default:
		m.Kind = Response
	}
	return nil
}

// scalarID returns an id that is a string or a number, and nil otherwise.
func scalarID(id json.RawMessage) json.RawMessage {
	if len(id) == 0 {
		return nil
	}
	number := id[0] == '-' || (id[0] >= '0' && id[0] <= '9')
	if id[0] != '"' && !number {
		return nil
	}
	return id
}

// looseID finds the id of a message that was refused, so that its sender
// learns which one it was. It is taken from nothing but well-formed JSON.
func looseID(raw []byte) json.RawMessage {
	if len(raw) > 1<<20 {
		return nil
	}
	var v struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return scalarID(v.ID)
}

// Number returns the number that a member of a message is, "" where it is none. It
// looks at brackets and strings alone, and so finds one in a message that is nested
// deeper than anything reads.
func Number(raw []byte, name string) string {
	key, depth := strictjson.Quote(name), 0

	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(raw, i)
			value, ok := bytes.CutPrefix(bytes.TrimLeft(raw[end:], " \t"), []byte(":"))
			if ok && depth == 1 && bytes.Equal(raw[i:end], key) {
				value = bytes.TrimLeft(value, " \t")
				digits := len(value) - len(bytes.TrimLeft(value, "0123456789"))
				return string(value[:digits])
			}
			i = end - 1
		}
	}
	return ""
}

// stringEnd returns where the string that begins at a place ends.
func stringEnd(raw []byte, at int) int {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// oneLine replaces the line breaks of a JSON text, which can only appear between
// its tokens, so that it fits the framing of stdio and of event streams.
func oneLine(raw []byte) []byte {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	out := bytes.Clone(raw)
	for i, c := range out {
		if c == '\n' || c == '\r' {
			out[i] = ' '
		}
	}
	return out
}

// Key returns the id in a form that can be compared: two ids that say the same have the same key,
// however they are escaped. Strings and numbers differ.
func Key(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		return "s" + strictjson.Text(id)
	}
	return "n" + string(id)
}

// WithID returns the text with another id.
func (m *Message) WithID(id json.RawMessage) []byte {
	if m.id.End == 0 {
		return m.Raw
	}
	return strictjson.Splice(m.Raw, m.id, id)
}

// With returns the text with another id and other params; nil params stay as
// they are.
func (m *Message) With(id, params json.RawMessage) []byte {
	switch {
	case params == nil || m.params.End == 0:
		return m.WithID(id)
	case id == nil || m.id.End == 0:
		return strictjson.Splice(m.Raw, m.params, params)
	case m.id.Start < m.params.Start:
		return strictjson.Splice(strictjson.Splice(m.Raw, m.params, params), m.id, id)
	}
	return strictjson.Splice(strictjson.Splice(m.Raw, m.id, id), m.params, params)
}

// NewRequest writes a request.
func NewRequest(id json.RawMessage, method string, params json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, strictjson.Quote(method), params)
}

// NewNotification writes a notification.
func NewNotification(method string, params json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":%s}`, strictjson.Quote(method), params)
}

// NewResult writes a response with a result.
func NewResult(id, result json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, orNull(id), result)
}

// NewError writes a response with an error; data may be nil.
func NewError(id json.RawMessage, code int, message string, data json.RawMessage) []byte {
	if data != nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s,"data":%s}}`, orNull(id), code, strictjson.Quote(message), data)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, orNull(id), code, strictjson.Quote(message))
}

func orNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}
