package generation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// replace sets the value at a pointer in a JSON document, or removes it if there is no
// value. A pointer after the last element of a list adds one.
func replace(doc json.RawMessage, pointer string, value json.RawMessage) (json.RawMessage, error) {
	if pointer == "" {
		if value == nil {
			return nil, errors.New("the whole result can't be left out: leave out the record")
		}
		return value, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("%q is not a JSON pointer: write it as /fines/0/amount", pointer)
	}
	root, err := decode(doc)
	if err != nil {
		return nil, err
	}

	var fresh any
	if value != nil {
		if fresh, err = decode(value); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, name := range strings.Split(pointer[1:], "/") {
		names = append(names, strictjson.UnescapeToken(name))
	}
	changed, err := put(root, names, fresh, value == nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pointer, err)
	}
	return json.Marshal(changed)
}

func put(at any, names []string, value any, remove bool) (any, error) {
	if len(names) == 0 {
		return value, nil
	}

	name, last := names[0], len(names) == 1
	switch at := at.(type) {
	case map[string]any:
		member, ok := at[name]
		switch {
		case last && remove:
			if !ok {
				return nil, fmt.Errorf("there is no %q to leave out", name)
			}
			delete(at, name)
			return at, nil
		case !last && !ok:
			return nil, fmt.Errorf("there is no %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(at)), ", "))
		}
		inner, err := put(member, names[1:], value, remove)
		at[name] = inner
		return at, err
	case []any:
		i, err := strconv.Atoi(name)
		if name == "-" {
			i, err = len(at), nil
		}
		within, next := 0 <= i && i < len(at), i == len(at)
		adds := next && last && !remove
		found := err == nil && (within || adds)
		switch {
		case !found:
			return nil, fmt.Errorf("there is no element %q; there are %d", name, len(at))
		case last && remove:
			return slices.Delete(at, i, i+1), nil
		case next:
			return append(at, value), nil
		}
		at[i], err = put(at[i], names[1:], value, remove)
		return at, err
	}

	return nil, fmt.Errorf("there is nothing within what stands before %q", name)
}

// difference is a place at which two JSON values differ.
type difference struct {
	pointer string
	// value is what the second has there, as JSON; empty where it has nothing.
	value string
}

// differences lists where the second value differs from the first; false where they
// are of different kinds altogether.
func differences(a, b any, at string) []difference {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		var out []difference
		for _, name := range slices.Sorted(maps.Keys(x)) {
			inner := at + "/" + strictjson.EscapeToken(name)
			if member, ok := y[name]; ok {
				out = append(out, differences(x[name], member, inner)...)
			} else {
				out = append(out, difference{pointer: inner})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[name]; !ok {
				out = append(out, difference{at + "/" + strictjson.EscapeToken(name), compact(y[name])})
			}
		}
		return out
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		var out []difference
		for i := range x {
			out = append(out, differences(x[i], y[i], at+"/"+strconv.Itoa(i))...)
		}
		return out
	}

	if compact(a) == compact(b) {
		return nil
	}
	return []difference{{at, compact(b)}}
}
