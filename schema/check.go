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

// Mistake is a difference between a value and its schema.
type Mistake struct {
	// Pointer is the JSON pointer of the mistake.
	Pointer string
	Message string
	// Instead is the correction; empty if Message contains it.
	Instead string
	// Missing is set if a required member is absent, Unlisted if the schema doesn't
	// list the member.
	Missing, Unlisted bool
}

// String formats the place and the message.
func (m Mistake) String() string {
	if m.Pointer == "" {
		return m.Message
	}
	return m.Pointer + ": " + m.Message
}

const (
	// maxMistakes limits the mistakes that [Node.Check] returns.
	maxMistakes = 10
	// maxSteps limits the work of one check, and refuses a list of thousands of
	// values that each have to match thousands of forms. Two thousand objects with
	// fifty members each need less than half of it.
	maxSteps = 1 << 18
	// maxShown limits the members of an enumeration in a message.
	maxShown = 20
)

// Check compares a JSON value with the schema: types, required members,
// enumerations, ranges, patterns and dates. Unlisted members are mistakes if the
// source excludes them; with strict, also if the source doesn't explicitly allow
// them.
func (n *Node) Check(value json.RawMessage, strict bool) []Mistake {
	return n.check(value, rules{strict: strict, texts: true})
}

// Misfits compares the arguments of a call with the tool's input schema: types,
// enumerations, ranges of numbers and required members. It leaves patterns and
// formats of texts to the tool, because regular expressions differ between
// languages and tools accept more date formats than they declare.
func (t *Tool) Misfits(arguments json.RawMessage) []Mistake {
	return t.Input.check(arguments, rules{})
}

func (n *Node) check(value json.RawMessage, r rules) []Mistake {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []Mistake{{Message: "it is not JSON: " + err.Error()}}
	}
	steps := 0
	c := checker{rules: r, steps: &steps}
	c.value(n, v, "")
	if steps > maxSteps {
		return []Mistake{{Message: "it has too many values to hold them to all forms that the schema has", Instead: "send less at once"}}
	}
	return c.mistakes
}

// rules select optional checks.
type rules struct {
	strict bool // members that the source doesn't invite are mistakes
	texts  bool // patterns and formats are held
}

type checker struct {
	rules
	mistakes []Mistake
	// steps counts the steps of the whole check.
	steps *int
	// In a branch, beside is the surrounding schema of the same value.
	beside *Node
}

func (c *checker) fail(at, message, instead string) {
	c.add(Mistake{Pointer: at, Message: message, Instead: instead})
}

func (c *checker) add(m Mistake) {
	if len(c.mistakes) < maxMistakes {
		c.mistakes = append(c.mistakes, m)
	}
}

// step adds to the steps and reports whether they stay within the limit. If they
// don't, the check refuses the whole value.
func (c *checker) step(work int) bool {
	*c.steps += work
	return *c.steps <= maxSteps
}

func (c *checker) value(n *Node, v any, at string) {
	if n == nil || !c.step(1) || !c.scalar(n, v, at) {
		return
	}

	for _, forms := range n.forms {
		c.form(n, forms, v, at)
	}

	switch v := v.(type) {
	case string:
		if c.texts {
			c.text(n, v, at)
		}
	case json.Number:
		c.number(n, v, at)
	case []any:
		for i, e := range v {
			c.inside(n.Items, e, at+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		c.object(n, v, at)
	}
}

// scalar checks types and enumerations. It reports whether the value needs further
// checks.
func (c *checker) scalar(n *Node, v any, at string) bool {
	listed := c.listed(n, v)
	ofType := len(n.Types) == 0 || slices.ContainsFunc(n.Types, func(t string) bool { return isOf(v, t) })

	switch {
	case v == nil:
		// An absent value means the default, so that with a default of null, null
		// means absent.
		described := len(n.Types) > 0 || len(n.Enum) > 0
		if described && !n.Nullable && n.Default != "null" {
			c.fail(at, fmt.Sprintf("it must be %s, not null", n.kinds()), "give it a value")
			return false
		}
		return !n.Nullable && !described
	case listed || (ofType && n.sameText(v)):
	case !ofType:
		c.fail(at, fmt.Sprintf("it must be %s, not %s", n.kinds(), kindOf(v)), n.example())
		return false
	case len(n.Enum) > 0:
		c.fail(at, "it must be one of "+n.values(), "")
		return false
	}
	return true
}

// listed reports whether a value is in the node's enumeration. It compares numbers
// by value, not by spelling.
func (c *checker) listed(n *Node, v any) bool {
	if len(n.Enum) == 0 {
		return false
	}

	text, err := json.Marshal(v)
	if err != nil || !c.step(len(n.Enum)/4+len(text)/64) {
		return false
	}
	if s, ok := v.(string); ok {
		text = appendString(nil, s) // as enumerations are kept
	}

	number, isNumber := parseNumber(string(text))
	kind := kindOf(v)

	return slices.ContainsFunc(n.Enum, func(e string) bool {
		switch {
		case e == string(text):
			return true
		case isNumber:
			other, ok := parseNumber(e)
			return ok && other == number
		case kind != typeOf(e) || (kind != "object" && kind != "array"):
			return false
		}

		// They differ in spelling or in value.
		var want any
		d := json.NewDecoder(strings.NewReader(e))
		d.UseNumber()
		if !c.step(len(e)/8) || d.Decode(&want) != nil {
			return false
		}
		other, err := json.Marshal(want)
		return err == nil && bytes.Equal(other, text)
	})
}

// typeOf returns the type of a JSON text, "number" for all numbers.
func typeOf(text string) string {
	switch text[:min(1, len(text))] {
	case `"`:
		return "string"
	case "{":
		return "object"
	case "[":
		return "array"
	case "t", "f":
		return "boolean"
	case "n":
		return "null"
	}
	return "number"
}

// sameText reports whether a value is in an enumeration that contradicts its type,
// as in {"type": "string", "enum": [1, 2]}. The source means the same values in the
// other type.
func (n *Node) sameText(v any) bool {
	consistent := func(e string) bool {
		t := typeOf(e)
		return slices.Contains(n.Types, t) || (t == "number" && slices.Contains(n.Types, "integer"))
	}
	if len(n.Types) == 0 || slices.ContainsFunc(n.Enum, consistent) {
		return false
	}
	text := fmt.Sprint(v)
	return slices.ContainsFunc(n.Enum, func(e string) bool { return strings.Trim(e, `"`) == text })
}

// kinds formats the types that a node accepts.
func (n *Node) kinds() string {
	if len(n.Types) == 0 {
		return "one of " + n.values()
	}
	return strings.Join(n.Types, " or ")
}

// values formats the first members of an enumeration.
func (n *Node) values() string {
	if len(n.Enum) > maxShown {
		return strings.Join(n.Enum[:maxShown], ", ") + fmt.Sprintf(" and %d more", len(n.Enum)-maxShown)
	}
	return strings.Join(n.Enum, ", ")
}

// example describes how to write a value of the node's type.
func (n *Node) example() string {
	how := map[string]string{
		"string": `a string in quotes`, "number": "a number without quotes", "integer": "a whole number without quotes",
		"boolean": "true or false without quotes", "array": "a list in brackets", "object": "an object in braces",
	}
	var forms []string
	for _, t := range n.Types {
		forms = append(forms, how[t])
	}
	if len(n.Enum) > 0 {
		forms = []string{"one of " + n.values()}
	}
	return "write " + strings.Join(forms, ", or ")
}

// form checks that a value matches one of the branches.
func (c *checker) form(n *Node, branches []*Node, v any, at string) {
	if v == nil && n.Nullable {
		return
	}

	var nearest []Mistake
	for _, b := range branches {
		branch := checker{rules: rules{texts: c.texts}, steps: c.steps, beside: n}
		branch.value(b, v, at)
		if len(branch.mistakes) == 0 {
			return
		}
		if nearest == nil || len(branch.mistakes) < len(nearest) {
			nearest = branch.mistakes
		}
	}

	instead := ""
	if len(nearest) > 0 {
		instead = "for the nearest of them, " + nearest[0].String()
	}
	c.fail(at, fmt.Sprintf("it is none of the %d forms that are accepted", len(branches)), instead)
}

// inside checks a value inside the checked value.
func (c *checker) inside(n *Node, v any, at string) {
	beside := c.beside
	c.beside = nil
	c.value(n, v, at)
	c.beside = beside
}

func (c *checker) text(n *Node, v, at string) {
	// Only the server can check patterns that Go can't compile.
	if p, err := regexp.Compile(n.Pattern); n.Pattern != "" && err == nil && !p.MatchString(v) {
		c.fail(at, "it must match "+n.Pattern, "")
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
			c.fail(at, "it must be written as "+example, "")
		}
	}
}

func (c *checker) number(n *Node, v json.Number, at string) {
	if n.low.text == "" && n.high.text == "" {
		return
	}
	have, ok := parseNumber(string(v))
	switch {
	case !ok:
		c.fail(at, "it is too large to be held to the range of the schema", "write a smaller number")
	case !n.low.allows(have, 1):
		c.fail(at, "it must be "+n.low.words("more than ", "at least "), "")
	case !n.high.allows(have, -1):
		c.fail(at, "it must be "+n.high.words("less than ", "at most "), "")
	}
}

func (c *checker) object(n *Node, v map[string]any, at string) {
	if !c.step(len(n.Properties) + len(n.needed) + len(v)) {
		return
	}

	listed := map[string]*Property{}
	for i := range n.Properties {
		p := &n.Properties[i]
		listed[p.Name] = p
		if _, ok := v[p.Name]; !ok && p.Required {
			c.missing(at, p.Name, p.Node)
		}
	}

	for _, name := range n.needed {
		if _, ok := v[name]; !ok && (listed[name] == nil || !listed[name].Required) {
			c.missing(at, name, nil)
		}
	}

	open := n.Open || n.Cut || len(n.Alternatives) > 0 || !n.describes() || (!c.strict && !n.closed)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := at + "/" + escape(name)
		member, ok := listed[name]
		switch {
		case ok:
			c.member(member, v[name], inner)
		case n.Additional != nil:
			c.inside(n.Additional, v[name], inner)
		case len(n.Alternatives) > 0:
			c.elsewhere(n, name, v[name], inner)
		case !open && !c.beside.lists(name):
			c.add(Mistake{Pointer: inner, Message: "there is no such member; there are " + strings.Join(slices.Sorted(maps.Keys(listed)), ", "),
				Instead: "leave it out", Unlisted: true})
		}
	}
}

func (c *checker) missing(at, name string, n *Node) {
	instead := "add it"
	if n != nil && len(n.Types) > 0 {
		instead += ": " + n.example()
	}
	c.add(Mistake{Pointer: at, Message: fmt.Sprintf("the member %q is missing", name), Instead: instead, Missing: true})
}

// member checks a listed member. An optional member can be left out.
func (c *checker) member(p *Property, v any, at string) {
	before := len(c.mistakes)
	c.inside(p.Node, v, at)
	if p.Required || len(c.mistakes) == before {
		return
	}
	m := &c.mistakes[before]
	if m.Pointer != at || m.Missing {
		return
	}
	switch {
	case v == nil:
		m.Instead = "leave it out"
	case m.Instead == "":
		m.Instead = "correct it, or leave it out"
	default:
		m.Instead += ", or leave it out"
	}
}

// elsewhere checks a member that only branches list against one of their
// descriptions: the branch that matches the object may not describe it.
func (c *checker) elsewhere(n *Node, name string, v any, at string) {
	var described []*Node
	for _, branch := range expand(nil, n)[1:] {
		switch child, ok := branch.step(escape(name)); {
		case ok && child == nil:
			return
		case ok:
			described = append(described, child)
		}
	}
	if len(described) > 0 {
		beside := c.beside
		c.beside = nil
		c.form(&Node{}, described, v, at)
		c.beside = beside
	}
}

// lists reports whether the node lists a member of that name.
func (n *Node) lists(name string) bool {
	return n != nil && slices.ContainsFunc(n.Properties, func(p Property) bool { return p.Name == name })
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
		return kind == "number" || (kind == "integer" && isWhole(v))
	}
	return false
}

// isWhole reports whether a number has no fraction, in any notation.
func isWhole(n json.Number) bool {
	v, ok := parseNumber(string(n))
	return ok && v.whole()
}

func kindOf(v any) string {
	for _, kind := range []string{"object", "array", "string", "boolean", "integer", "number"} {
		if isOf(v, kind) {
			return kind
		}
	}
	return "null"
}
