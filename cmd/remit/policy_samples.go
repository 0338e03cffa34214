package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/trace"
)

const (
	// maxResults is how many results of a tool are kept: their shapes rarely differ.
	maxResults = 40
	// maxSampleSize bounds an agreed sample, in bytes, where a smaller one was recorded.
	maxSampleSize = 4 << 10
)

// recorded are the results of tools that rules may ask, from recordings, by the tools'
// keys. A recording that names no servers counts for the tool of whatever server.
type recorded struct {
	results map[string][]json.RawMessage
	samples map[string]policydoc.Sample
}

// readRecorded collects the results of tools in recordings.
func readRecorded(files []string, scope guard.Deployment) (*recorded, error) {
	var sessions []map[string][]policydoc.Sample // of each session, by key
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
			found := map[string][]policydoc.Sample{}
			for i := range s.Messages {
				sample(found, s, &s.Messages[i])
			}
			sessions = append(sessions, found)
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, noSession(name)
		}
	}

	out := &recorded{results: map[string][]json.RawMessage{}, samples: map[string]policydoc.Sample{}}
	// Samples of one session fit each other: the order is that of the customer.
	slices.SortStableFunc(sessions, func(a, b map[string][]policydoc.Sample) int { return len(b) - len(a) })
	for _, r := range scope.Readable() {
		out.add(sessions, r)
	}
	policydoc.Abridge(out.samples)
	return out, nil
}

// add takes what a tool returned in the sessions, and the sample of the first one that
// has one that isn't too large.
func (o *recorded) add(sessions []map[string][]policydoc.Sample, r guard.Readable) {
	key := policydoc.Key(r.Server, r.Name)
	for _, found := range sessions {
		all := found[key]
		if len(all) == 0 {
			all = found[r.Name]
		}

		for _, s := range all {
			if len(o.results[key]) < maxResults {
				o.results[key] = append(o.results[key], s.Result)
			}
			had, ok := o.samples[key]
			smaller := len(had.Result) > maxSampleSize && len(s.Result) < len(had.Result)
			composite := ok && isText(had.Result) && !isText(s.Result)
			fuller := ok && isEmpty(had.Result) && !isEmpty(s.Result) && len(s.Result) <= maxSampleSize
			if !ok || smaller || composite || fuller {
				s.Server, s.Tool, s.Source = r.Server, r.Name, policydoc.Recorded
				o.samples[key] = s
			}
		}
	}
}

// isEmpty reports whether a result shows nothing: no elements, no members, no text.
func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"[]", "{}", `""`, "null"}, string(value))
}

func isText(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }

func sample(into map[string][]policydoc.Sample, s *trace.Session, m *trace.Message) {
	if m.Role != trace.Tool {
		return
	}
	call, ok := s.Find(m.CallID)
	if !ok {
		return
	}
	args, err := strictjson.Parse(call.Arguments, strictjson.DefaultLimits())
	if err != nil || args.Root().Kind() != strictjson.Object {
		return
	}

	result := m.Structured
	if len(result) == 0 {
		text := strings.TrimSpace(m.Text)
		composite := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
		if result = json.RawMessage(text); !composite || !json.Valid(result) {
			if result, err = json.Marshal(m.Text); err != nil {
				return
			}
		}
	}
	key := policydoc.Key(call.Server, call.Tool)
	into[key] = append(into[key], policydoc.Sample{Args: args.Canonical(), Result: result})
}

// shapeless lists the tools that rules may ask and whose result shape is unknown.
func shapeless(scope guard.Deployment, results map[string][]json.RawMessage) []string {
	var out []string
	for _, r := range scope.Readable() {
		if r.Definition != nil && r.Definition.Output == nil && len(results[policydoc.Key(r.Server, r.Name)]) == 0 {
			out = append(out, r.Name)
		}
	}
	return out
}
