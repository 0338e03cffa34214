package eval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/schema"
)

// bareReader answers as the data set's own tools do. Those of the example put a
// text or a list into an object, since that is what structured results are, and
// their definitions say so. Definitions without a schema of the result are of the
// tools that return it bare.
type bareReader struct {
	guard.Reader
	tools []*schema.Catalogue
}

// Read implements [guard.Reader].
func (b bareReader) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	found, err := b.Reader.Read(ctx, server, tool, arguments)
	if err != nil || b.described(tool) {
		return found, err
	}
	var wrapped map[string]json.RawMessage
	if json.Unmarshal(found.Structured, &wrapped) != nil || len(wrapped) != 1 {
		return found, nil
	}
	for _, value := range wrapped {
		found = guard.ResultOf(bareList(value))
	}
	return found, nil
}

// described reports whether a tool's definition has an output schema.
func (b bareReader) described(tool string) bool {
	for _, c := range b.tools {
		if slices.ContainsFunc(c.Tools, func(t schema.Tool) bool { return t.Name == tool && t.Output != nil }) {
			return true
		}
	}
	return false
}

// bareList takes the lists away around elements that are each the only one in
// theirs: a way to travel of one flight is the flight.
func bareList(value json.RawMessage) json.RawMessage {
	var lists [][]json.RawMessage
	if json.Unmarshal(value, &lists) != nil {
		return value
	}
	flat := []json.RawMessage{}
	for _, l := range lists {
		if len(l) != 1 {
			return value
		}
		flat = append(flat, l[0])
	}
	out, err := json.Marshal(flat)
	if err != nil {
		return value
	}
	return out
}

// lookups answers from the case first, and then from what is known.
type lookups struct{ given, known guard.Reader }

// Read implements [guard.Reader].
func (l lookups) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	found, err := l.given.Read(ctx, server, tool, arguments)
	if errors.Is(err, guardtest.ErrNotGiven) || errors.Is(err, trace.ErrNotInRecording) {
		return l.known.Read(ctx, server, tool, arguments)
	}
	return found, err
}
