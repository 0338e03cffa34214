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

// Kind tells requests, notifications and responses apart.
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
	// ID is the id as it stands in the text; nil when there is none or it is
	// null.
	ID json.RawMessage
	// Params, Result and Error are parts of Raw; nil when absent.
	Params, Result, Error json.RawMessage

	id, params strictjson.Span
}

// Error says why a text is no acceptable message, and how to answer it.
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
	if _, err := strictjson.Parse(raw, limits); err != nil {
		e := &Error{Code: ParseError, Message: "the message is not acceptable JSON: " + err.Error()}
		e.ID = looseID(raw)
		return nil, e
	}
	m := &Message{Raw: OneLine(raw)}
	members, err := strictjson.Members(m.Raw)
	if err != nil {
		return nil, &Error{Code: InvalidRequest, Message: "the message is not a JSON object"}
	}
	version, hasMethod := "", false
	for _, x := range members {
		value := x.Value.Of(m.Raw)
		switch x.Name {
		case "jsonrpc":
			version = strictjson.Text(value)
		case "id":
			m.id = x.Value
			if !bytes.Equal(value, []byte("null")) {
				m.ID = json.RawMessage(value)
			}
		case "method":
			m.Method, hasMethod = strictjson.Text(value), true
		case "params":
			m.Params, m.params = json.RawMessage(value), x.Value
		case "result":
			m.Result = json.RawMessage(value)
		case "error":
			m.Error = json.RawMessage(value)
		default:
			if known, ok := strictjson.Alike(x.Name, "jsonrpc", "id", "method", "params", "result", "error"); ok {
				return nil, &Error{Code: InvalidRequest, Message: fmt.Sprintf("the member %q is not %q, and some readers take it for that: leave it out", x.Name, known), ID: scalarID(m.ID)}
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
		return errors.New("the message is a request and a response at once, or its method is no text")
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
	if len(id) == 0 || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	return id
}

// looseID finds the id of a message that was refused, so that whoever sent it
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

// OneLine replaces the line breaks of a JSON text, which can only stand between
// its tokens, so that it fits the framing of stdio and of event streams.
func OneLine(raw []byte) []byte {
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

// Key is the id in a form that can be compared: two ids that say the same have
// the same key, however they are escaped. Strings and numbers differ.
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
