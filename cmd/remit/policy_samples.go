package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
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
	out.abridge()
	return out, nil
}

// maxAlike is how many records of one form a list or map of a sample keeps: further ones show
// nothing, and each question to a model repeats them. Those that another sample names stay.
const maxAlike = 4

// abridge leaves records out of long lists and maps in the samples.
func (o *recorded) abridge() {
	for key, s := range o.samples {
		value, err := decoded(s.Result)
		if err != nil {
			continue
		}
		named := map[string]bool{}
		for other, with := range o.samples {
			if other == key {
				continue
			}
			for _, part := range []json.RawMessage{with.Args, with.Result} {
				if v, err := decoded(part); err == nil {
					texts(v, named)
				}
			}
		}
		a := abridger{named: named}
		if short := a.value(value); a.left > 0 {
			if s.Result, err = json.Marshal(short); err == nil {
				o.samples[key] = s
			}
		}
	}
}

func decoded(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// texts collects the texts in a value, and the names of members.
func texts(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[v] = true
	case []any:
		for _, e := range v {
			texts(e, into)
		}
	case map[string]any:
		for name, m := range v {
			into[name] = true
			texts(m, into)
		}
	}
}

// abridger leaves records out, and counts them.
type abridger struct {
	named map[string]bool
	left  int
}

func (a *abridger) value(v any) any {
	switch v := v.(type) {
	case []any:
		alike := len(v) > maxAlike && oneForm(slices.Values(v))
		room, out := maxAlike, []any{}
		for _, e := range v {
			if alike && !a.keeps("", e, &room) {
				continue
			}
			out = append(out, a.value(e))
		}
		return out
	case map[string]any:
		alike := len(v) > maxAlike && oneForm(maps.Values(v))
		room, out := maxAlike, map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if alike && !a.keeps(name, v[name], &room) {
				continue
			}
			out[name] = a.value(v[name])
		}
		return out
	}
	return v
}

// keeps reports whether a record stays: another sample has its id, or there is room.
func (a *abridger) keeps(name string, record any, room *int) bool {
	ids := map[string]bool{name: true}
	members, _ := record.(map[string]any)
	for member, m := range members {
		if text, ok := m.(string); ok && isIDLike(member, text) {
			ids[text] = true
		}
	}
	for id := range ids {
		if a.named[id] {
			return true
		}
	}
	if *room > 0 {
		*room--
		return true
	}
	a.left++
	return false
}

// isIDLike reports whether a member has the id of its record.
func isIDLike(member, text string) bool {
	return strings.HasSuffix(strings.ToLower(member), "id") && text != ""
}

// oneForm reports whether values are records with the same members.
func oneForm(values iter.Seq[any]) bool {
	form := ""
	for v := range values {
		o, ok := v.(map[string]any)
		if !ok {
			return false
		}
		names := strings.Join(slices.Sorted(maps.Keys(o)), "\x00")
		if form != "" && names != form {
			return false
		}
		form = names
	}
	return form != ""
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
