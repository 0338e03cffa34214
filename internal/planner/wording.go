package planner

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/scope"
)

// Says says in words which values a constraint allows. Text of others in it is quoted, in
// one line, and bounded.
func Says(c *scope.Constraint) string {
	switch {
	case c.Absent:
		return "left out"
	case c.Any:
		return "anything"
	case c.Unchanged:
		return "left as it is"
	case c.Is != nil && c.From != nil:
		other := *c
		other.Is = nil
		return alternatives(c.Is) + ", or " + Says(&other)
	case c.Is != nil:
		return alternatives(c.Is)
	case c.Date != nil:
		return "any time of " + strings.ReplaceAll(alternatives(c.Date), "/", " to ")
	case c.Template != "":
		return template(c)
	case c.Computed:
		return "computed" + sourcesOf(" from ", c.Sources) + by(c)
	}

	from := kind(c) + sourcesOf(" in ", c.From) + sourcesOf(", but not ", c.Except)
	switch c.Pick {
	case scope.All:
		return "ANY " + from
	case scope.Choice:
		return "one " + from + by(c)
	}
	return "the only " + from + by(c)
}

func kind(c *scope.Constraint) string {
	if c.Kind == "" {
		return "value"
	}
	return display.Name(string(c.Kind))
}

func by(c *scope.Constraint) string {
	if c.By == "" {
		return ""
	}
	return " (" + quote(c.By) + ")"
}

// maxShownValues bounds the alternatives that are written out.
const maxShownValues = 8

func alternatives(values []scope.Value) string {
	var out []string
	for _, v := range values[:min(len(values), maxShownValues)] {
		out = append(out, quote(string(v)))
	}
	if more := len(values) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, " or ")
}

func template(c *scope.Constraint) string {
	var holes []string
	for _, name := range slices.Sorted(maps.Keys(c.Holes)) {
		h := c.Holes[name]
		holes = append(holes, display.Name(name)+" is "+Says(&h))
	}
	return quote(c.Template) + ", where " + strings.Join(holes, " and ")
}

func sourcesOf(lead string, all []scope.Source) string {
	if len(all) == 0 {
		return ""
	}
	var out []string
	for i := range all {
		out = append(out, Source(&all[i]))
	}
	return lead + strings.Join(out, " or ")
}

// Source says in words what a source is.
func Source(s *scope.Source) string {
	text := "the result of " + display.Name(s.Tool)
	if args := argsOf(s.Args); args != "" {
		text += " (" + args + ")"
	}
	if s.Field != "" {
		fields := []scope.Value{scope.Value(s.Field)}
		for _, other := range s.Or {
			fields = append(fields, scope.Value(other))
		}
		text = alternatives(fields) + " of " + text
	}
	if s.By != "" {
		text = "the one that is " + quote(s.By) + ", by " + text
	}

	var where []string
	for i := range s.Where {
		where = append(where, matches(&s.Where[i])...)
	}
	if len(where) > 0 {
		text += ", where " + strings.Join(where, " and ")
	}
	return text
}

// matches says in words what a condition asks of a field.
func matches(m *scope.Match) []string {
	name := display.Name(m.Field)
	for _, other := range m.Or {
		name += " or " + display.Name(other)
	}

	var out []string
	if len(m.Is) > 0 {
		out = append(out, name+" is "+alternatives(m.Is))
	}
	if len(m.From) > 0 {
		out = append(out, name+" is the only value"+sourcesOf(" in ", m.From))
	}
	if len(m.Contains) > 0 {
		var words []scope.Value
		for _, w := range m.Contains {
			words = append(words, scope.Value(w))
		}
		out = append(out, name+" contains "+alternatives(words))
	}
	for _, c := range []struct{ words, value string }{
		{"begins with", m.Prefix},
		{"ends with", m.Ends},
		{"is before", string(m.Before)},
		{"is after", string(m.After)},
		{"is below", string(m.Below)},
		{"is above", string(m.Above)},
	} {
		if c.value != "" {
			out = append(out, name+" "+c.words+" "+quote(c.value))
		}
	}
	return out
}

// Conditions says in words on what an entry depends; nil for one that depends on nothing.
func Conditions(e *scope.Call) []string {
	var out []string
	for i := range e.If {
		out = append(out, "if there is something in "+Source(&e.If[i]))
	}
	for i := range e.Unless {
		out = append(out, "unless there is something in "+Source(&e.Unless[i]))
	}
	for _, text := range e.OnlyIf {
		out = append(out, "a person tells whether "+quote(text))
	}
	if e.Group != "" {
		out = append(out, "one count with the other calls of "+quote(e.Group))
	}
	return out
}

// argsOf names the arguments that a source's call must have.
func argsOf(args []scope.Arg) string {
	var out []string
	for _, a := range args {
		if a.Is != nil && a.From == nil {
			out = append(out, display.Name(strings.TrimPrefix(a.Pointer, "/"))+" "+alternatives(a.Is))
		}
	}
	return strings.Join(out, ", ")
}

// longestQuote bounds text of a model or a user in a line.
const longestQuote = 120

func quote(s string) string { return strconv.Quote(display.Clip(display.OneLine(s), longestQuote)) }

// many is how often a call with an effect may be made before that is wide.
const many = 10

// Wide says in which respects an entry reaches far: what to look at before a scope like it
// is trusted. It is nil for a call that only reads.
func Wide(e *scope.Call, t *scope.Tool) []string {
	if t != nil && t.Effect == "read" {
		return nil
	}
	var out []string
	if e.Times.Each {
		out = append(out, "as often as its sources have values")
	} else if e.Times.N > many {
		out = append(out, fmt.Sprintf("up to %d times", e.Times.N))
	}
	for i := range e.Args {
		a := &e.Args[i]
		if w := wideArg(&a.Constraint, roleOf(t, a.Pointer)); w != "" {
			out = append(out, display.Name(a.Pointer)+" "+w)
		}
	}
	return out
}

// wideArg says how a constraint leaves open who gets something or what is changed; empty
// where it doesn't.
func wideArg(c *scope.Constraint, role string) string {
	decides := role != "content" && role != "control"
	switch {
	case c.Any && decides:
		return "may be anything"
	case c.Pick == scope.All && !slices.ContainsFunc(c.From, func(s scope.Source) bool { return len(s.Where) > 0 }):
		return "may be ANY of a whole listing"
	case c.Pick == scope.Choice && len(c.By) == 0:
		return "may be any of a listing: no criterion is given"
	case c.Template != "" && decides:
		for _, h := range c.Holes {
			if h.Any || (h.Computed && len(h.Sources) == 0) {
				return "is open in part"
			}
		}
	}
	return ""
}

func roleOf(t *scope.Tool, pointer string) string {
	if p := parameterAt(t, pointer); p != nil {
		return p.Role
	}
	return ""
}

// parameterAt returns the argument at a pointer, or the first within; nil for none.
func parameterAt(t *scope.Tool, pointer string) *scope.Parameter {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.Args, func(p scope.Parameter) bool {
		return p.Pointer == pointer || strings.HasPrefix(p.Pointer, pointer+"/")
	})
	if i < 0 {
		return nil
	}
	return &t.Args[i]
}

// Find returns the tool of a request that an entry means; nil for none.
func Find(tools []scope.Tool, server, name string) *scope.Tool {
	i := slices.IndexFunc(tools, func(t scope.Tool) bool { return t.Name == name && (server == "" || t.Server == server) })
	if i < 0 {
		return nil
	}
	return &tools[i]
}
