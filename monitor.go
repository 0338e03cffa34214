package remit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Options configure a [Monitor]. The zero value is the strictest sensible
// monitor, which knows no tool and denies every call.
type Options struct {
	// Contracts are the contracts of the tools, one file a server.
	Contracts []*contract.File
	// Tools are the tool definitions that are in force. With them, an argument
	// that the schema doesn't list is denied and a definition that changed
	// since its contract was made is fenced off. Without them, the contracts'
	// own patterns are all that is known.
	Tools []*schema.Catalogue
	// Precision is for contracts that don't say; L3 when unset.
	Precision label.Precision
	// Sinks and Unprovoked are the global rules' modes for contracts that don't
	// say; Ask when unset.
	Sinks, Unprovoked contract.Mode
	// Confirm asks a person. When nil, nobody is there and Ask stays Ask.
	Confirm Confirmer
	// Now is the clock for relative dates and expiries; [time.Now] when nil.
	Now func() time.Time
}

// Confirmer brings a question to a person. Enforcement points implement it.
// It must return false, or an error, whenever the person did not clearly agree.
type Confirmer interface {
	Confirm(ctx context.Context, d *Decision) (bool, error)
}

// Call is a tool call that a model proposes.
type Call struct {
	// ID identifies the call within the session; results refer to it. When
	// empty, the session numbers calls itself: "c1", "c2" and so on.
	ID string `json:"id,omitempty"`
	// Server is needed only when two servers offer a tool of the same name.
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Result is what a call returned.
type Result struct {
	// Call is the id of the call that was allowed.
	Call string `json:"call"`
	// Content is the text that the model sees.
	Content string `json:"content,omitempty"`
	// Structured is the same as JSON, where the tool gives it (MCP's
	// structuredContent).
	Structured json.RawMessage `json:"structured,omitempty"`
}
