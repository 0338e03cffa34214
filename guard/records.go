package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Record is what a look-up returns, written once in a guard file, or in a file of its own
// as a sample, and referred to by its name in examples.
type Record struct {
	Name, Server, Tool string
	Args, Result       json.RawMessage
}

// maxRecords bounds the records of a file.
const maxRecords = 1000

// records reads the records of a file.
func (l *loader) records(n *strictyaml.Node) {
	l.Entries(n, "records", func(name string, k, v *strictyaml.Node) {
		r := Record{Name: name}
		var ref reference
		keys := l.referenceKeys(&ref)
		maps.Copy(keys, strictyaml.Keys{
			"tool":   l.Text("tool", &r.Tool),
			"server": l.Text("server", &r.Server),
			"args":   l.object("args", &r.Args),
			"result": l.json("result", &r.Result),
		})
		had := l.Mapping(v, "a record", keys)

		complete := had["tool"] != nil && had["result"] != nil
		switch {
		case !strictyaml.IsMapping(v):
		case l.refers(v, had, "a record"):
			of, _ := l.resolve(v, ref) // one above it, or a sample
			r.Server, r.Tool, r.Result = of.Server, of.Tool, of.Result
			if had["args"] == nil {
				r.Args = of.Args
			}
		case !complete:
			l.Fail(k, "write {tool: …, args: {…}, result: …}", "the record %q has no tool or no result", strictyaml.Clip(name))
		}
		if len(l.file.Records) == maxRecords {
			l.Fail(k, "leave some out", "a file has more than %d records", maxRecords)
		}
		if len(l.file.Records) <= maxRecords {
			l.file.Records = append(l.file.Records, r)
		}
	})
}

// reference is a use of a record: as it is, or with changes.
type reference struct {
	name    string
	changes []change
}

// change is a value at a JSON pointer, or that there is none.
type change struct {
	pointer string
	value   json.RawMessage // nil where it is left out
}

// referenceKeys are the members of a use of a record.
func (l *loader) referenceKeys(into *reference) strictyaml.Keys {
	return strictyaml.Keys{
		"record": l.Text("record", &into.name),
		"changes": func(n *strictyaml.Node) {
			l.Entries(n, "changes", func(pointer string, _, v *strictyaml.Node) {
				c := change{pointer: pointer}
				l.json(pointer, &c.value)(v)
				into.changes = append(into.changes, c)
			})
		},
		"without": func(n *strictyaml.Node) {
			var pointers []string
			l.Texts("without", &pointers)(n)
			for _, p := range pointers {
				into.changes = append(into.changes, change{pointer: p})
			}
		},
	}
}

// resolve returns the record of a reference, changed as it says.
func (l *loader) resolve(n *strictyaml.Node, ref reference) (Record, bool) {
	known := slices.Concat(l.file.Records, l.samples)
	i := slices.IndexFunc(known, func(r Record) bool { return r.Name == ref.name })
	if i < 0 {
		var names []string
		for _, r := range known {
			names = append(names, r.Name)
		}
		l.Fail(n, strictyaml.DidYouMean(ref.name, names), "there is no record %q", strictyaml.Clip(ref.name))
		return Record{}, false
	}

	r := known[i]
	for _, c := range ref.changes {
		changed, err := c.apply(r.Result)
		if err != nil {
			l.Fail(n, "write JSON pointers to what the record has, such as /items/0/price", "the record %q: %s", strictyaml.Clip(ref.name), err)
			return Record{}, false
		}
		r.Result = changed
	}
	return r, true
}

// apply makes a change in a JSON text. The order of members stays.
func (c change) apply(text json.RawMessage) (json.RawMessage, error) {
	doc, err := strictjson.Parse(text, strictjson.OutputLimits())
	if err != nil {
		return nil, err
	}
	at := doc.At(c.pointer)
	if at.Exists() && c.value != nil {
		return strictjson.Splice(text, at.Span(), c.value), nil
	}

	within, name, ok := cutLast(c.pointer)
	parent := doc.At(within)
	inObject := parent.Kind() == strictjson.Object
	next := parent.Kind() == strictjson.Array && name == strconv.Itoa(parent.Len())
	switch {
	case !ok || !parent.Exists():
		return nil, fmt.Errorf("there is nothing at %s", c.pointer)
	case c.value == nil && inObject && at.Exists():
		return strictjson.Splice(text, parent.Span(), strictjson.Remove(parent.Raw(), name)), nil
	case c.value != nil && next:
		return strictjson.Splice(text, parent.Span(), appended(parent, c.value)), nil
	case c.value != nil && inObject:
		return strictjson.Splice(text, parent.Span(), strictjson.Set(parent.Raw(), name, c.value)), nil
	}
	return nil, fmt.Errorf("there is nothing at %s", c.pointer)
}

// appended returns a list with one more element.
func appended(list strictjson.Value, element json.RawMessage) json.RawMessage {
	out := slices.Clone(bytes.TrimSuffix(list.Raw(), []byte("]")))
	if list.Len() > 0 {
		out = append(out, ',')
	}
	return append(append(out, element...), ']')
}

// cutLast divides a JSON pointer before its last name.
func cutLast(pointer string) (within, name string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", "", false
	}
	return pointer[:i], strictjson.UnescapeToken(pointer[i+1:]), true
}

// maxChanges bounds the changes with which a record is referred to, not written again.
const maxChanges = 12

// changesTo returns the changes that make one value of another, whatever the order of members.
// There are none where they differ too much.
func changesTo(from, to json.RawMessage) ([]change, bool) {
	a, err := strictjson.Parse(from, strictjson.OutputLimits())
	b, other := strictjson.Parse(to, strictjson.OutputLimits())
	if err != nil || other != nil {
		return nil, false
	}
	changes := differ(a.Root(), b.Root(), "", nil)
	size := 0
	for _, c := range changes {
		size += len(c.pointer) + len(c.value)
	}
	if len(changes) > maxChanges || 4*size > 3*len(to) {
		return nil, false
	}

	made := from
	for _, c := range changes {
		if made, err = c.apply(made); err != nil {
			return nil, false
		}
	}
	doc, err := strictjson.Parse(made, strictjson.OutputLimits())
	return changes, err == nil && len(differ(doc.Root(), b.Root(), "", nil)) == 0
}

// differ lists the places at which two values differ.
func differ(a, b strictjson.Value, at string, out []change) []change {
	if a.Kind() == strictjson.Object && b.Kind() == strictjson.Object {
		for name, x := range a.Members() {
			inner := at + "/" + strictjson.EscapeToken(name)
			if y := b.Get(name); y.Exists() {
				out = differ(x, y, inner, out)
			} else {
				out = append(out, change{pointer: inner})
			}
		}
		for name, y := range b.Members() {
			if !a.Get(name).Exists() {
				out = append(out, change{at + "/" + strictjson.EscapeToken(name), y.Raw()})
			}
		}
		return out
	}

	if a.Kind() == strictjson.Array && b.Kind() == strictjson.Array && a.Len() <= b.Len() {
		x := a.Elements()
		for i, y := range b.Elements() {
			if inner := at + "/" + strconv.Itoa(i); i < len(x) {
				out = differ(x[i], y, inner, out)
			} else {
				out = append(out, change{inner, y.Raw()})
			}
		}
		return out
	}
	if !bytes.Equal(a.Raw(), b.Raw()) {
		out = append(out, change{at, b.Raw()})
	}
	return out
}
