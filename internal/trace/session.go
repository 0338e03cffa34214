package trace

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/remit-project/remit"
)

// Session is the recording of one agent's session.
type Session struct {
	// ID names the session. A session without one is named after its line.
	ID string
	// Line is the line of the source on which the session starts, from 1.
	Line int
	// Time is when the session took place; zero when the source doesn't say.
	// "Tomorrow" in it means the day after that.
	Time time.Time
	// Tools are the tool definitions as the source has them: a list, or the
	// whole result of an MCP tools/list. Nil when the session lists none.
	Tools json.RawMessage
	// Messages are the events in order.
	Messages []Message
}

// Role says who a message is from.
type Role string

// The roles. A "developer" message is read as a system message.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one message of a session.
type Message struct {
	// Line is the line of the source on which the message starts.
	Line int
	Role Role
	// Text is the content: the text parts of it, joined by line breaks.
	Text string
	// Attachments are parts of a user message that the user passed on rather
	// than wrote: files, pictures, pasted material.
	Attachments []Attachment
	// Scope is what a user message authorises, as a planner wrote it; nil where the
	// recording doesn't say.
	Scope json.RawMessage
	// Calls are the tool calls that an assistant message proposes.
	Calls []Call
	// CallID is the call that a tool message answers.
	CallID string
	// Structured is the structured result beside a tool message's text.
	Structured json.RawMessage
	// Failed says whether the call of a tool message failed; nil where nothing but its text does.
	Failed *bool
	// Stored is the label of what other sessions left where the call of a tool message
	// read; nil where nothing is known of it.
	Stored *remit.Stored
}

// Attachment is material that came with a user message.
type Attachment struct {
	Name, Text string
}

// Call is a tool call as an assistant message proposes it.
type Call struct {
	ID     string
	Server string
	Tool   string
	// Arguments is the text that the model wrote. It need not be valid JSON.
	Arguments json.RawMessage
}

// Scoped reports whether the recording has the scope of a turn.
func (s *Session) Scoped() bool {
	return slices.ContainsFunc(s.Messages, func(m Message) bool { return m.Scope != nil })
}

// ScopeOf returns the scope of the turn that a call belongs to; nil where that has none.
func (s *Session) ScopeOf(id string) json.RawMessage {
	var scope json.RawMessage
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Role == User && (m.Text != "" || m.Scope != nil) {
			scope = m.Scope
		}
		if slices.ContainsFunc(m.Calls, func(c Call) bool { return c.ID == id }) {
			return scope
		}
	}
	return nil
}

// Find returns the call of the given id.
func (s *Session) Find(id string) (Call, bool) {
	for _, m := range s.Messages {
		for _, c := range m.Calls {
			if c.ID == id {
				return c, true
			}
		}
	}
	return Call{}, false
}
