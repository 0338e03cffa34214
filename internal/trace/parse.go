package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
)

// Sessions are bounded in depth and leaves as well as in bytes, so that what
// is built from them stays in proportion.
const (
	maxDepth  = 96
	maxLeaves = 1 << 20
)

// object is a JSON object with its members by their exact names. Decoding into
// structs would match names without regard to case, and let "CONTENT" win over
// "content".
type object map[string]json.RawMessage

// parser keeps the document and the line on which it starts, to give every
// error its line.
type parser struct {
	doc  []byte
	line int
	// from is where the search for the next message's place goes on.
	from int
}

// decode reads a document that starts on the given line, in its one reading.
func decode(doc []byte, line int) (object, error) {
	limits := strictjson.Limits{Size: MaxSession, Depth: maxDepth, Leaves: maxLeaves}
	if _, err := strictjson.Parse(doc, limits); err != nil {
		at, message := 0, err.Error()
		if strict := (*strictjson.Error)(nil); errors.As(err, &strict) {
			at, message = strict.Offset, strict.Message
		}
		return nil, &Error{Line: (&parser{doc: doc, line: line}).lineAt(at), Message: message}
	}

	var top object
	if err := json.Unmarshal(doc, &top); err != nil {
		return nil, &Error{Line: line, Message: err.Error()}
	}
	return top, nil
}

// parseSession reads one session from its document, which starts on the given line.
func parseSession(doc []byte, top object, line int) (*Session, error) {
	p := &parser{doc: doc, line: line}
	s := &Session{Line: line, ID: fmt.Sprintf("line-%d", line)}
	if raw, ok := present(top, "id"); ok {
		if err := json.Unmarshal(raw, &s.ID); err != nil || s.ID == "" {
			return nil, &Error{line, `"id" is not a string`, `write "id": "some-name", or leave it out`}
		}
	}

	if _, ok := present(top, "time"); ok {
		text, _ := str(top, "time")
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, &Error{line, `"time" is not a time`, `write "time": "2026-03-31T09:00:00Z", or leave it out`}
		}
		s.Time = at
	}

	if raw, ok := present(top, "tools"); ok {
		if raw[0] != '[' && raw[0] != '{' {
			return nil, &Error{line, `"tools" is not a list of tools`, `write "tools": […] in the OpenAI or the MCP form`}
		}
		s.Tools = raw
	}

	raw, ok := present(top, "messages")
	if !ok {
		return nil, &Error{line, `the session has no "messages"`, `write "messages": [{"role": "user", "content": "…"}, …]`}
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(raw, &messages); err != nil {
		return nil, &Error{line, `"messages" is not a list`, `write "messages": [{"role": "user", "content": "…"}, …]`}
	}

	seen := map[string]bool{}
	for _, m := range messages {
		message, err := parseMessage(m, p.find(m))
		if err != nil {
			return nil, err
		}
		if err := checkIDs(&message, seen); err != nil {
			return nil, err
		}
		s.Messages = append(s.Messages, message)
	}
	return s, nil
}

// checkIDs makes sure that calls have names of their own and that every result
// has a call before it: otherwise it would be a guess which call it answers.
func checkIDs(m *Message, seen map[string]bool) error {
	for _, c := range m.Calls {
		if _, again := seen[c.ID]; again {
			return &Error{m.Line, fmt.Sprintf("the call id %q is used twice", c.ID), "give every call of a session an id of its own"}
		}
		seen[c.ID] = false
	}
	if m.Role != Tool {
		return nil
	}
	answered, known := seen[m.CallID]
	switch {
	case !known:
		return &Error{m.Line, fmt.Sprintf("no call before this message has the id %q", m.CallID), "put the assistant message with that call before its result"}
	case answered:
		return &Error{m.Line, fmt.Sprintf("the call %q has two results", m.CallID), "write one tool message a call"}
	}
	seen[m.CallID] = true
	return nil
}

// find returns the line of a message. Raw messages are verbatim parts of the
// document, and they are searched for in order.
func (p *parser) find(m json.RawMessage) int {
	i := bytes.Index(p.doc[p.from:], m)
	if i < 0 {
		return p.lineAt(p.from)
	}
	at := p.from + i
	line := p.lineAt(at)
	p.line, p.doc, p.from = line, p.doc[at:], len(m)
	return line
}

func (p *parser) lineAt(offset int) int {
	return p.line + bytes.Count(p.doc[:min(offset, len(p.doc))], []byte{'\n'})
}

// present returns a member that is there and not null.
func present(o object, name string) (json.RawMessage, bool) {
	raw, ok := o[name]
	return raw, ok && string(raw) != "null"
}
