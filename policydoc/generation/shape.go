package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/schema"
)

// shape is what results of a tool look like that doesn't declare it.
type shape struct {
	node *schema.Node
	// sample is one of them, abridged.
	sample string
}

const (
	// maxSamples bounds the results that a shape is seen from; more show little new.
	maxSamples = 100
	// maxSample and maxSampleText bound what is shown of one, in bytes, and of a
	// text in it, in characters.
	maxSample, maxSampleText = 3000, 80
	// maxShown is how many elements of a list are shown.
	maxShown = 2
)

// shapeOf is what results have in common: the members that all have are required,
// and those whose names differ from one to the other make a map. A result that is
// a JSON text with an object or a list is what that says. It is nil where there
// are no results.
func shapeOf(samples []json.RawMessage) *shape {
	var values []any
	for _, raw := range samples[:min(len(samples), maxSamples)] {
		v, err := decode(raw)
		if err != nil {
			continue
		}
		if inner, err := decodeText(v); err == nil {
			v = inner
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return nil
	}
	sample, err := json.Marshal(abridged(values[0]))
	if err != nil || len(sample) > maxSample {
		sample = nil
	}
	return &shape{nodeOf(values), string(sample)}
}

// decode reads a JSON value with its numbers as they are written.
func decode(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// decodeText reads what a text says that is JSON, as rules read the text of a
// result.
func decodeText(v any) (any, error) {
	s, ok := v.(string)
	if !ok || !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return nil, errors.New("it is no object and no list")
	}
	return decode(json.RawMessage(s))
}

// nodeOf is the schema that some values have in common.
func nodeOf(values []any) *schema.Node {
	n := &schema.Node{}
	var objects []map[string]any
	var elements []any
	for _, v := range values {
		kind := ""
		switch v := v.(type) {
		case nil:
			n.Nullable = true
			continue
		case map[string]any:
			kind, objects = "object", append(objects, v)
		case []any:
			kind, elements = "array", append(elements, v...)
		case string:
			kind = "string"
		case bool:
			kind = "boolean"
		case json.Number:
			kind = "integer"
			if strings.ContainsAny(string(v), ".eE") {
				kind = "number"
			}
		}
		if !slices.Contains(n.Types, kind) {
			n.Types = append(n.Types, kind)
		}
	}
	if i := slices.Index(n.Types, "integer"); i >= 0 && slices.Contains(n.Types, "number") {
		n.Types = slices.Delete(n.Types, i, i+1)
	}
	slices.Sort(n.Types)
	if len(elements) > 0 {
		n.Items = nodeOf(elements)
	}
	members(n, objects)
	return n
}

// members are the properties of objects, or what a map of them holds.
func members(n *schema.Node, objects []map[string]any) {
	byName := map[string][]any{}
	var all []any
	for _, o := range objects {
		for _, name := range slices.Sorted(maps.Keys(o)) {
			byName[name], all = append(byName[name], o[name]), append(all, o[name])
		}
	}
	names := slices.Sorted(maps.Keys(byName))
	// Names that hardly any two objects share are keys, and no fields.
	if len(objects) > 1 && len(all) > 0 && len(names) > len(objects) && 2*len(names) > len(all) {
		n.Additional, n.Open = nodeOf(all), true
		return
	}
	for _, name := range names {
		n.Properties = append(n.Properties, schema.Property{Name: name, Required: len(byName[name]) == len(objects), Node: nodeOf(byName[name])})
	}
}

// abridged is a value with long lists and texts cut.
func abridged(v any) any {
	switch v := v.(type) {
	case string:
		if r := []rune(v); len(r) > maxSampleText {
			return string(r[:maxSampleText]) + "…"
		}
	case []any:
		var out []any
		for _, e := range v[:min(len(v), maxShown)] {
			out = append(out, abridged(e))
		}
		if len(v) > maxShown {
			out = append(out, "…")
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = abridged(member)
		}
		return out
	}
	return v
}
