package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Mistake is what a value has that its schema doesn't accept.
type Mistake struct {
	// Pointer is the JSON pointer of the place.
	Pointer string
	Message string
}

// String is the place and what is wrong with it.
func (m Mistake) String() string {
	if m.Pointer == "" {
		return m.Message
	}
	return m.Pointer + ": " + m.Message
}

// maxMistakes bounds what [Node.Check] returns: whoever made so many looks at the
// schema again.
const maxMistakes = 10

// Check holds a JSON value to what the schema describes: types, required members,
// enumerations, patterns, dates. Members that it doesn't list are mistakes where
// the source excludes them, and with strict wherever it doesn't invite them.
func (n *Node) Check(value json.RawMessage, strict bool) []Mistake {
	c := checker{strict: strict}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []Mistake{{"", "it is no JSON: " + err.Error()}}
	}
	c.value(n, v, "")
	return c.mistakes
}

type checker struct {
	strict   bool
	mistakes []Mistake
}

func (c *checker) fail(at, format string, args ...any) {
	if len(c.mistakes) < maxMistakes {
		c.mistakes = append(c.mistakes, Mistake{at, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) value(n *Node, v any, at string) {
	if n == nil || v == nil && (n.Nullable || len(n.Types) == 0 && len(n.Alternatives) == 0) {
		return
	}
	if len(n.Types) > 0 && !slices.ContainsFunc(n.Types, func(t string) bool { return isOf(v, t) }) {
		c.fail(at, "it must be %s, not %s", strings.Join(n.Types, " or "), kindOf(v))
		return
	}
	if len(n.Enum) > 0 && !slices.ContainsFunc(n.Enum, func(e string) bool { return sameValue(e, v) }) {
		c.fail(at, "it must be one of %s", strings.Join(n.Enum, ", "))
	}
	if len(n.Alternatives) > 0 && !slices.ContainsFunc(n.Alternatives, func(a *Node) bool {
		branch := checker{strict: false}
		branch.value(a, v, at)
		return len(branch.mistakes) == 0
	}) {
		c.fail(at, "it is none of the %d forms that are accepted", len(n.Alternatives))
	}
	switch v := v.(type) {
	case string:
		c.text(n, v, at)
	case []any:
		for i, e := range v {
			c.value(n.Items, e, at+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		c.object(n, v, at)
	}
}

func (c *checker) text(n *Node, v, at string) {
	// Patterns that Go can't read are the server's own affair.
	if p, err := regexp.Compile(n.Pattern); n.Pattern != "" && err == nil && !p.MatchString(v) {
		c.fail(at, "it must match %s", n.Pattern)
	}
	layout, example := "", ""
	switch n.Format {
	case "date":
		layout, example = time.DateOnly, "2031-03-01"
	case "date-time":
		layout, example = time.RFC3339, "2031-03-01T09:30:00Z"
	}
	if layout != "" {
		if _, err := time.Parse(layout, v); err != nil {
			c.fail(at, "it must be written as %s", example)
		}
	}
}

func (c *checker) object(n *Node, v map[string]any, at string) {
	listed := map[string]*Node{}
	for _, p := range n.Properties {
		listed[p.Name] = p.Node
		if _, ok := v[p.Name]; !ok && p.Required {
			c.fail(at, "the member %q is missing", p.Name)
		}
	}
	open := n.Open || n.Cut || len(n.Alternatives) > 0 || !n.describes() || !c.strict && n.openness != explicitlyClosed
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		member, ok := listed[name]
		switch {
		case ok:
			c.value(member, v[name], inner)
		case n.Additional != nil:
			c.value(n.Additional, v[name], inner)
		case !open:
			c.fail(inner, "there is no such member; there are %s", strings.Join(slices.Sorted(maps.Keys(listed)), ", "))
		}
	}
}

func isOf(v any, kind string) bool {
	switch v := v.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		return kind == "number" || kind == "integer" && isWhole(v)
	}
	return false
}

// isWhole tells whether a number has no fraction, however it is written.
func isWhole(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	f, err := n.Float64()
	return err == nil && f == float64(int64(f))
}

func kindOf(v any) string {
	for _, kind := range []string{"object", "array", "string", "boolean", "integer", "number"} {
		if isOf(v, kind) {
			return kind
		}
	}
	return "null"
}

// sameValue tells whether a JSON text is the value.
func sameValue(text string, v any) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var want any
	if d.Decode(&want) != nil {
		return false
	}
	a, err := json.Marshal(want)
	b, other := json.Marshal(v)
	return err == nil && other == nil && bytes.Equal(a, b)
}
