package policydoc

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
)

// maxAlike is how many records of one form a list or map of a sample keeps: further ones show
// nothing, and each question to a model repeats them. Those that another sample names stay.
const maxAlike = 4

// Abridge leaves records out of long lists and maps in samples, by [Key].
func Abridge(samples map[string]Sample) {
	naming := map[string]int{} // how many samples name a text
	count := func(own map[string]bool, by int) {
		for text := range own {
			naming[text] += by
		}
	}
	owned := map[string]map[string]bool{}
	for key, s := range samples {
		owned[key] = s.texts()
		count(owned[key], 1)
	}

	for _, key := range slices.Sorted(maps.Keys(samples)) {
		s := samples[key]
		value, err := decoded(s.Result)
		if err != nil {
			continue
		}

		count(owned[key], -1) // what is left in naming is the others'
		a := abridger{naming: naming}
		if short := a.value(value); a.left > 0 {
			if s.Result, err = json.Marshal(short); err == nil {
				samples[key], owned[key] = s, s.texts()
			}
		}
		count(owned[key], 1)
	}
}

// texts returns the texts in a sample's arguments and result.
func (s Sample) texts() map[string]bool {
	all := map[string]bool{}
	for _, part := range []json.RawMessage{s.Args, s.Result} {
		if v, err := decoded(part); err == nil {
			texts(v, all)
		}
	}
	return all
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
	naming map[string]int // how many other samples name a text
	left   int
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
		if a.naming[id] > 0 {
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
