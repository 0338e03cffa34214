package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/trace"
)

// maxSamples is how many results of a tool are kept: their shapes rarely differ.
const maxSamples = 5

// readSamples collects what tools that rules may ask returned in recordings, by the
// tools' keys. A recording that names no servers counts for the tool of whatever
// server.
func readSamples(files []string, scope guard.Deployment) (map[string][]json.RawMessage, error) {
	found := map[string][]json.RawMessage{}
	for _, name := range files {
		f, err := inputs.Open(name, aRecording)
		if err != nil {
			return nil, err
		}
		n := 0
		for s, err := range trace.Read(f) {
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
			}
			n++
			for i := range s.Messages {
				sample(found, s, &s.Messages[i])
			}
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, noSession(name)
		}
	}

	out := map[string][]json.RawMessage{}
	for _, r := range scope.Readable() {
		key := policydoc.Key(r.Server, r.Name)
		if out[key] = found[key]; len(out[key]) == 0 {
			out[key] = found[r.Name]
		}
	}
	return out, nil
}

func sample(into map[string][]json.RawMessage, s *trace.Session, m *trace.Message) {
	if m.Role != trace.Tool {
		return
	}
	call, ok := s.Find(m.CallID)
	if !ok {
		return
	}
	result := m.Structured
	if len(result) == 0 {
		text := strings.TrimSpace(m.Text)
		composite := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
		if !composite || !json.Valid([]byte(text)) {
			return // other text shows no shape
		}
		result = json.RawMessage(text)
	}

	if key := policydoc.Key(call.Server, call.Tool); len(into[key]) < maxSamples {
		into[key] = append(into[key], result)
	}
}

// shapeless lists the tools that rules may ask and of which nobody knows what they
// return.
func shapeless(scope guard.Deployment, samples map[string][]json.RawMessage) []string {
	var out []string
	for _, r := range scope.Readable() {
		if r.Definition != nil && r.Definition.Output == nil && len(samples[policydoc.Key(r.Server, r.Name)]) == 0 {
			out = append(out, r.Name)
		}
	}
	return out
}
