package guard

import (
	"encoding/json"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Principal is for whom the agent works: what the deployment, or whoever
// authenticated the user, says of them. Expressions see it as session.principal.
type Principal struct {
	ID         string            `json:"id,omitempty"`
	Groups     []string          `json:"groups,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// EntryKind says what an [Entry] is.
type EntryKind string

// The kinds of events.
const (
	SystemEntry     EntryKind = "system"
	UserEntry       EntryKind = "user"
	AssistantEntry  EntryKind = "assistant"
	AttachmentEntry EntryKind = "attachment"
	CallEntry       EntryKind = "call"
)

// Entry is one thing that happened in a session before the call.
type Entry struct {
	Kind EntryKind
	Time time.Time
	// Text is what was said, of all events but calls.
	Text string
	// Call is a call that was allowed.
	Call *Call
}

// Call is a call of a tool that was allowed.
type Call struct {
	ID, Server, Tool string
	// Arguments are one JSON object in canonical form.
	Arguments json.RawMessage
	// Result is what it returned; nil while it hasn't.
	Result *Result
}

// Result is what a tool returned.
type Result struct {
	Content    string          `json:"content,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
}

// Session is what guards see of a session.
type History struct {
	Principal Principal
	// Events are what happened, in order.
	Entries []Entry
}

// LabeledValue is one scalar of the arguments with its label.
type LabeledValue struct {
	Pointer     string
	Kind        strictjson.Kind
	Text        string
	Trust       label.Trust
	Origins     []string
	Obligations []string
}
