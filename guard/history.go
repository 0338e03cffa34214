package guard

import (
	"encoding/json"
	"time"

	"github.com/remit-project/remit/label"
)

// Principal is for whom the agent works, as the deployment or the service that
// authenticated the user says. Expressions see it as session.principal.
type Principal struct {
	ID         string            `json:"id,omitempty"`
	Groups     []string          `json:"groups,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// EntryKind is the kind of an [Entry].
type EntryKind string

// The kinds of entries.
const (
	SystemEntry     EntryKind = "system"
	UserEntry       EntryKind = "user"
	AssistantEntry  EntryKind = "assistant"
	AttachmentEntry EntryKind = "attachment"
	CallEntry       EntryKind = "call"
	// DeniedEntry is a call that was not allowed to run, or not yet.
	DeniedEntry EntryKind = "denied"
)

// Entry is one thing that was said, or one call that was made, in a session.
type Entry struct {
	Kind EntryKind
	Time time.Time
	// Text is what was said; empty for a call.
	Text string
	// Call is set for a call, allowed or denied.
	Call *Call
}

// Call is a call of a tool that was proposed.
type Call struct {
	ID, Server, Tool string
	// Arguments are one JSON object in canonical form.
	Arguments json.RawMessage
	// Message names the message that the call was in; empty where it is unknown.
	Message string
	// Result is what the call returned; nil while it runs.
	Result *Result
}

// Result is what a tool returned.
type Result struct {
	Content    string          `json:"content,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	// Failed says whether the call failed; nil if only its content tells.
	Failed *bool `json:"failed,omitempty"`
	// From says who gave the result of a look-up, as "agent" or "session:c1"; empty for
	// the tool itself.
	From string `json:"from,omitempty"`
}

// History is what rules see of a session.
type History struct {
	Principal Principal
	// Entries are what happened before the call, in order.
	Entries []Entry

	// memo returns what is kept of the history, which is not part of what it says; nil before
	// [History.Remember].
	memo func() *remembered
}

// Without returns the history without a call that was decided and has not run.
func (h *History) Without(call string) *History {
	if h == nil {
		return nil
	}
	out := &History{Principal: h.Principal, Entries: make([]Entry, 0, len(h.Entries))}
	for _, e := range h.Entries {
		if e.Kind != CallEntry || e.Call == nil || e.Call.ID != call {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// LabeledValue is one leaf of a call's arguments with its label.
type LabeledValue struct {
	Pointer     string // RFC 6901, within the arguments
	Type        string // as JSON Schema names it, such as "string" or "null"
	Text        string
	Trust       label.Trust
	Origins     []string
	Obligations []string
}
