package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/remit-project/remit"
)

// FromEvents returns the recording of a session's log. What recordings have no form for is
// left out, and left is how many events that are: what a person agreed to, for whom the agent
// works, and plans for delegated sources. They only raise trust: a replay never trusts more
// than the log.
func FromEvents(ctx context.Context, id string, events iter.Seq2[remit.Event, error]) (s *Session, left int, err error) {
	s = &Session{ID: id}
	for e, err := range events {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, left, fmt.Errorf("read session %q: %w", id, err)
		}
		if s.Time.IsZero() {
			s.Time = e.Time
		}
		if !s.add(&e) {
			left++
		}
	}
	return s, left, nil
}

// add adds an event to the end, and reports whether recordings have a form for it.
func (s *Session) add(e *remit.Event) bool {
	m := Message{Text: e.Text}

	switch e.Kind {
	case remit.SystemEvent:
		m.Role = System
	case remit.UserEvent:
		m.Role = User
	case remit.AssistantEvent:
		m.Role = Assistant
	case remit.AttachmentEvent:
		m.Role, m.Text = User, ""
		m.Attachments = []Attachment{{Name: e.Name, Text: e.Text}}
	case remit.CallEvent:
		m.Role = Assistant
		m.Calls = []Call{{ID: e.Call.ID, Server: e.Call.Server, Tool: e.Call.Tool, Arguments: e.Call.Arguments}}
	case remit.ResultEvent:
		m.Role, m.Text = Tool, e.Result.Content
		m.CallID, m.Structured, m.Stored = e.Result.Call, e.Result.Structured, e.Result.Stored
	case remit.ScopeEvent:
		return s.scoped(e)
	default:
		return false
	}

	s.Messages = append(s.Messages, m)
	return true
}

// scoped adds the scope of the last turn to it, and reports whether there is such a turn.
func (s *Session) scoped(e *remit.Event) bool {
	if len(s.Messages) == 0 || e.Delegated != nil || len(e.Scope) == 0 {
		return false
	}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := &s.Messages[i]
		if m.Role == User && m.Text != "" {
			m.Scope = e.Scope
			return true
		}
	}
	return false
}

// The form of a recording as it is written.
type (
	writtenSession struct {
		ID       string           `json:"id"`
		Time     string           `json:"time,omitempty"`
		Tools    json.RawMessage  `json:"tools,omitempty"`
		Messages []writtenMessage `json:"messages"`
	}
	writtenMessage struct {
		Role       Role            `json:"role"`
		Content    any             `json:"content"`
		Scope      json.RawMessage `json:"scope,omitempty"`
		Calls      []writtenCall   `json:"tool_calls,omitempty"`
		CallID     string          `json:"tool_call_id,omitempty"`
		Structured json.RawMessage `json:"structured,omitempty"`
		Stored     *remit.Stored   `json:"stored,omitempty"`
	}
	writtenCall struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Server   string          `json:"server,omitempty"`
		Function writtenFunction `json:"function"`
	}
	writtenFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	writtenPart struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"`
		Text string `json:"text"`
	}
)

// Write writes a session as one line, in the form that [Read] reads.
func Write(w io.Writer, s *Session) error {
	out := writtenSession{ID: s.ID, Tools: s.Tools, Messages: []writtenMessage{}}
	if !s.Time.IsZero() {
		out.Time = s.Time.Format("2006-01-02T15:04:05.999999999Z07:00")
	}
	for i := range s.Messages {
		out.Messages = append(out.Messages, written(&s.Messages[i]))
	}

	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write session %q: %w", s.ID, err)
	}
	return nil
}

func written(m *Message) writtenMessage {
	out := writtenMessage{Role: m.Role, Content: m.Text, Scope: m.Scope, CallID: m.CallID, Structured: m.Structured, Stored: m.Stored}
	if len(m.Attachments) > 0 {
		parts := []writtenPart{}
		if m.Text != "" {
			parts = append(parts, writtenPart{Type: "text", Text: m.Text})
		}
		for _, a := range m.Attachments {
			parts = append(parts, writtenPart{Type: "attachment", Name: a.Name, Text: a.Text})
		}
		out.Content = parts
	}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, writtenCall{ID: c.ID, Type: "function", Server: c.Server, Function: writtenFunction{c.Tool, string(c.Arguments)}})
	}
	return out
}
