// Package tryout tries a compiled policy on the real tools before it is enforced: it asks
// look-ups what they return, and decides the rules' own examples with that.
package tryout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictjson"
)

// Bounds on what is asked.
const (
	// maxCalls bounds the look-ups of one run.
	maxCalls = 200
	// maxRounds bounds how far arguments are taken from results of results.
	maxRounds = 6
	// maxResult bounds a result that becomes a sample, in bytes.
	maxResult = 256 << 10
)

// Asked is what came of asking one look-up.
type Asked struct {
	policydoc.Sample
	// Why says why there is no result.
	Why error
}

// errNoArguments is why a look-up was not asked.
var errNoArguments = errors.New("nobody knows arguments that it answers to")

// Ask asks each look-up once. Its arguments are those that are given for it, by name, else
// those of a sample that really was returned, else values that other results have under
// the same names: an order's id from the list of a user's orders. Only tools that only
// read are look-ups.
func Ask(ctx context.Context, reader guard.Reader, lookups []guard.Readable, given map[string]json.RawMessage, known map[string]policydoc.Sample) map[string]Asked {
	out := map[string]Asked{}
	values := newValues()
	for _, s := range known {
		if returned(s.Source) {
			values.add(s.Args)
			values.add(s.Result)
		}
	}
	for _, args := range given {
		values.add(args)
	}

	for range maxRounds {
		asked := false
		for _, l := range lookups {
			key := policydoc.Key(l.Server, l.Name)
			if _, done := out[key]; done || len(out) >= maxCalls {
				continue
			}
			args := argumentsOf(l, given, known, values)
			if args == nil {
				continue
			}
			one := ask(ctx, reader, l, args)
			out[key], asked = one, true
			if one.Why == nil {
				values.add(one.Result)
			}
		}
		if !asked {
			break
		}
	}

	for _, l := range lookups {
		if key := policydoc.Key(l.Server, l.Name); out[key].Tool == "" {
			out[key] = Asked{policydoc.Sample{Server: l.Server, Tool: l.Name}, errNoArguments}
		}
	}
	return out
}

// returned reports whether a sample was returned by the tool, or checked by a person.
func returned(source policydoc.SampleSource) bool {
	return source == policydoc.Recorded || source == policydoc.Live || source == policydoc.Checked
}

// argumentsOf returns the arguments to ask a look-up with; nil while none are known.
func argumentsOf(l guard.Readable, given map[string]json.RawMessage, known map[string]policydoc.Sample, values *values) json.RawMessage {
	key := policydoc.Key(l.Server, l.Name)
	for _, name := range []string{key, l.Name} {
		if args, ok := given[name]; ok {
			return args
		}
		if s, ok := known[name]; ok && returned(s.Source) {
			return s.Args
		}
	}
	if l.Definition == nil {
		return nil
	}

	args := json.RawMessage("{}")
	for _, p := range l.Definition.Input.Properties {
		if !p.Required {
			continue
		}
		value := values.find(p.Name, func(v json.RawMessage) bool { return len(p.Node.Check(v, true)) == 0 })
		if value == nil {
			return nil
		}
		args = strictjson.Set(args, p.Name, value)
	}
	return args
}

// ask makes one look-up.
func ask(ctx context.Context, reader guard.Reader, l guard.Readable, args json.RawMessage) Asked {
	ctx, cancel := context.WithTimeout(ctx, guard.FactsTimeout)
	defer cancel()
	out := Asked{Sample: policydoc.Sample{Server: l.Server, Tool: l.Name, Source: policydoc.Live, Args: args}}
	r, err := reader.Read(ctx, l.Server, l.Name, args)
	if err == nil && len(r.Structured)+len(r.Content) > maxResult {
		err = fmt.Errorf("the result has more than %d bytes: ask for a smaller one", maxResult)
	}
	if err != nil {
		out.Why = err
		return out
	}
	out.Result, out.Why = valueOf(r)
	return out
}

// valueOf returns a result as JSON: text that is not an object or list is a text.
func valueOf(r *guard.Result) (json.RawMessage, error) {
	raw := r.Structured
	if len(raw) == 0 {
		raw = json.RawMessage(r.Content)
	}
	doc, err := strictjson.Parse(raw, strictjson.OutputLimits())
	if err != nil && len(r.Structured) > 0 {
		return nil, err
	}
	text := err != nil
	if !text {
		kind := doc.Root().Kind()
		text = len(r.Structured) == 0 && kind != strictjson.Object && kind != strictjson.Array
	}
	if text {
		return strictjson.Quote(r.Content), nil
	}
	return doc.Canonical(), nil
}

// values are what results have, by the names of their members.
type values struct{ byName map[string][]json.RawMessage }

func newValues() *values { return &values{map[string][]json.RawMessage{}} }

// maxValues bounds the values of one name.
const maxValues = 8

// add takes the scalars of a JSON value: each under the name of its member, the elements
// of a list under the list's, and the names of a map's members under the map's.
func (v *values) add(raw json.RawMessage) {
	doc, err := strictjson.Parse(raw, strictjson.OutputLimits())
	if err != nil {
		return
	}
	v.collect(doc.Root(), "")
}

func (v *values) collect(at strictjson.Value, name string) {
	switch at.Kind() {
	case strictjson.Object:
		for member, inner := range at.Members() {
			if inner.Kind() == strictjson.Object {
				v.note(name, strictjson.Quote(member)) // a map by ids
			}
			v.collect(inner, member)
		}
	case strictjson.Array:
		for _, e := range at.Elements() {
			v.collect(e, name)
		}
	case strictjson.String, strictjson.Number:
		v.note(name, at.Raw())
	}
}

func (v *values) note(name string, value json.RawMessage) {
	had := v.byName[name]
	if name == "" || len(had) >= maxValues || slices.ContainsFunc(had, func(h json.RawMessage) bool { return string(h) == string(value) }) {
		return
	}
	v.byName[name] = append(had, value)
}

// find returns a value for an argument that fits: of a member of its name, or of one that
// it is the id of ("order_id" of "order" or "orders").
func (v *values) find(argument string, fits func(json.RawMessage) bool) json.RawMessage {
	names := []string{argument}
	for _, ending := range [...]string{"_id", "Id", "ID", "-id"} {
		if of, ok := strings.CutSuffix(argument, ending); ok {
			names = append(names, of, of+"s", strings.TrimSuffix(of, "y")+"ies", of+"_ids", of+"Ids")
		}
	}
	for _, name := range names {
		for _, value := range v.byName[name] {
			if fits(value) {
				return value
			}
		}
	}
	return nil
}
