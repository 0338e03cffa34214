package trace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/remit-project/remit"
)

// FromEvents returns the recording of a session's log. It leaves out events that recordings
// have no form for, and counts them in left: what a person agreed to, for whom the agent works,
// plans for delegated sources, and what a planner said later of names. They only raise trust. A call that a person agreed to
// is held back in a replay, which drops its result, unless [Options].Recorded keeps it.
//
// A call that was decided again under its id is a call of its own in the recording.
func FromEvents(ctx context.Context, id string, events iter.Seq2[remit.Event, error]) (s *Session, left int, err error) {
	s = &Session{ID: id}
	r := recorder{to: s, ids: map[string]string{}, used: map[string]bool{}}
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
		if !r.add(&e) {
			left++
		}
	}
	return s, left, nil
}

// recorder adds events to a recording.
type recorder struct {
	to *Session
	// ids are what calls are called in the recording, by their ids in the log: the latest
	// under an id. Used are those that are taken.
	ids  map[string]string
	used map[string]bool
}

// add adds an event to the end, and reports whether recordings have a form for it.
func (r *recorder) add(e *remit.Event) bool {
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
		m.Calls = []Call{{ID: r.id(e.Call.ID), Server: e.Call.Server, Tool: e.Call.Tool, Arguments: e.Call.Arguments}}
	case remit.ResultEvent:
		if e.Result.Suspended {
			return false // the model has seen nothing
		}
		m.Role, m.Text = Tool, e.Result.Content
		m.Failed = e.Result.Failed
		m.CallID, m.Structured, m.Stored = cmp.Or(r.ids[e.Result.Call], e.Result.Call), e.Result.Structured, e.Result.Stored
	case remit.ScopeEvent:
		return r.scope(e)
	default:
		return false
	}

	r.to.Messages = append(r.to.Messages, m)
	return true
}

// id returns the id of a call that is added. Ids are unique in a recording.
func (r *recorder) id(logged string) string {
	id := logged
	for n := 2; r.used[id]; n++ {
		id = logged + "~" + strconv.Itoa(n)
	}
	r.ids[logged], r.used[id] = id, true
	return id
}

// scope adds a scope where it came: on the user's message before it, or, where other things
// came between, in a message without words. Earlier calls are not covered by it.
func (r *recorder) scope(e *remit.Event) bool {
	if e.Delegated != nil || len(e.Scope) == 0 {
		return false
	}
	if n := len(r.to.Messages); n > 0 {
		last := &r.to.Messages[n-1]
		if last.Role == User && last.Text != "" && last.Scope == nil {
			last.Scope = e.Scope
			return true
		}
	}
	r.to.Messages = append(r.to.Messages, Message{Role: User, Scope: e.Scope})
	return true
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
		Failed     *bool           `json:"failed,omitempty"`
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
	out := writtenMessage{Role: m.Role, Content: m.Text, Scope: m.Scope, CallID: m.CallID, Structured: m.Structured, Failed: m.Failed, Stored: m.Stored}
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
