package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
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
	maxSample, maxSampleText = 2000, 80
	// maxShown is how many elements of a list are shown.
	maxShown = 2
)

// shapeOf returns what results have in common: the members that all have are required, and those
// whose names differ from one to the other make a map. A result that is a JSON text with an
// object or a list is what that says. It is nil where there are not results.
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
	isText := func(v any) bool { _, ok := v.(string); return ok }
	if slices.ContainsFunc(values, func(v any) bool { return !isText(v) }) {
		values = slices.DeleteFunc(values, isText) // texts beside others tell of errors
	}

	s := &shape{node: nodeOf(values)}
	for _, v := range values {
		// The longest shows the most.
		if sample, err := json.Marshal(abridged(v)); err == nil && len(sample) <= maxSample && len(sample) > len(s.sample) {
			s.sample = string(sample)
		}
	}

	return s
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
	structured := strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")
	if !ok || !structured {
		return nil, errors.New("it is neither an object nor a list")
	}
	return decode(json.RawMessage(s))
}

// nodeOf returns the schema that some values have in common.
func nodeOf(values []any) *schema.Node {
	n := &schema.Node{}
	var objects []map[string]any
	var elements []any
	var texts []string
	for _, v := range values {
		kind := kindOf(v) // that all numbers so far are whole says little
		switch v := v.(type) {
		case nil:
			n.Nullable = true
			continue
		case map[string]any:
			objects = append(objects, v)
		case []any:
			elements = append(elements, v...)
		case string:
			texts = append(texts, v)
		}

		if !slices.Contains(n.Types, kind) {
			n.Types = append(n.Types, kind)
		}
	}

	slices.Sort(n.Types)
	n.Description = seen(texts)
	if len(elements) > 0 {
		n.Items = nodeOf(elements)
	}
	members(n, objects)
	return n
}

// seenSoFar begins what is said of a member whose words results show.
const seenSoFar = "seen so far: "

// seen describes the texts of a field when they seem to be the words of a list. It is not an
// enumeration: there may be others.
func seen(texts []string) string {
	const most, longest = 8, 40
	n := len(texts)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) > most || n < 3*len(texts) || slices.ContainsFunc(texts, func(t string) bool { return len(t) > longest }) || n == 0 {
		return ""
	}
	return seenSoFar + strings.Trim(compact(texts), "[]")
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
	if areKeys(names, len(objects), all) {
		n.Additional, n.Open = nodeOf(all), true
		for i := range n.Additional.Properties {
			// What one or two have, the next may lack.
			p := &n.Additional.Properties[i]
			p.Required = p.Required && len(all) >= fewest
		}
		return
	}
	for _, name := range names {
		n.Properties = append(n.Properties, schema.Property{Name: name, Required: len(byName[name]) == len(objects), Node: nodeOf(byName[name])})
	}
}

// areKeys reports whether the names of members are keys of a map, and no fields: hardly any two
// objects share them, or they look like ids or titles, or each names a record of the same form.
// Taken for a map, a result may have more or fewer of them, so that a mistake costs little.
func areKeys(names []string, objects int, all []any) bool {
	if len(names) == 0 {
		return false
	}
	unshared := 2*len(names) > len(all)
	if objects > 1 && len(names) > objects && unshared {
		return true
	}

	form := formOf(all[0])
	alike := form != "" && !slices.ContainsFunc(all, func(v any) bool { return formOf(v) != form })
	ids := 0
	for _, name := range names {
		if keyLike().MatchString(name) {
			ids++
		}
	}
	kind := kindOf(all[0])
	oneKind := !slices.ContainsFunc(all, func(v any) bool { return kindOf(v) != kind })
	records, keys := alike && len(names) > 1, oneKind && 2*ids >= len(names)
	return records || keys
}

// keyLike finds names that no field has: with a number of several digits, a space, or a
// sign as ids have it.
var keyLike = pattern.OnUse(`[0-9]{3}|[^A-Za-z0-9_.-]|^[0-9]+$|[0-9a-f]{8}-`)

// formOf returns the names of a record's members; "" for what is not a record of several.
func formOf(v any) string {
	o, ok := v.(map[string]any)
	if !ok || len(o) < 2 {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(o)), "\x00")
}

// kindOf returns the kind of a JSON value.
func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	}
	return "null"
}

// abridged returns a value with long lists and texts cut.
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
