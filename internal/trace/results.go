package trace

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/remit-project/remit/guard"
)

// ErrNotInRecording is returned for look-ups that the session did not make.
var ErrNotInRecording = errors.New("the recording has no result of this call so far")

// Results are what tools returned in a session as far as it was played. Guards look things up in
// them, as a recording has no tools to call.
type Results struct {
	calls   map[string]Call
	results map[string]recorded // by call
	order   []string
}

type recorded struct {
	call   Call
	result guard.Result
}

// NewResults returns no results yet; a [Player] adds those that it plays.
func NewResults() *Results {
	return &Results{calls: map[string]Call{}, results: map[string]recorded{}}
}

func (r *Results) add(m *Message) {
	for _, c := range m.Calls {
		r.calls[c.ID] = c
	}
	if c, ok := r.calls[m.CallID]; ok && m.Role == Tool {
		r.results[m.CallID] = recorded{c, guard.Result{Content: m.Text, Structured: m.Structured}}
		r.order = append(r.order, m.CallID)
	}
}

// Read implements [guard.Reader]: the last result of the same call counts.
func (r *Results) Read(_ context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	for i := len(r.order) - 1; i >= 0; i-- {
		had := r.results[r.order[i]]
		if had.call.Tool == tool && (had.call.Server == "" || had.call.Server == server) && guard.SameArguments(had.call.Arguments, arguments) {
			return &had.result, nil
		}
	}
	return nil, ErrNotInRecording
}
