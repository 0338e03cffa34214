package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// compiler compiles one tool's JSON Schemas to nodes.
type compiler struct {
	file, tool string
	// root is the document for resolving references.
	root *value
	// path is the current place in the tool's definition. It is a stack, and
	// becomes a pointer only in errors.
	path []string
	// active counts the current nested expansions of a definition.
	active map[*value]int
	// targets caches resolved references.
	targets map[string]*value
	// nodes counts the nodes of this tool, total the nodes of the whole catalogue.
	nodes int
	total *int
}

func (c *compiler) errorf(hint, format string, args ...any) *Error {
	return &Error{File: c.file, Tool: c.tool, Pointer: pointer(c.path), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// pointer joins segments to a JSON pointer.
func pointer(segments []string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(escape(s))
	}
	return clip(b.String())
}

// node returns a new node and counts it against the limits.
func (c *compiler) node() (*Node, error) {
	c.nodes++
	if *c.total++; *c.total > maxNodes {
		return nil, c.errorf("split the catalogue, or leave out what the agent doesn't use",
			"the schemas of all tools together have more than %d nodes", maxNodes)
	}
	return &Node{}, nil
}

// charge counts the contents of a node, so that repeated expansion of a definition
// with long lists also reaches a limit.
func (c *compiler) charge(bytes, members int) error {
	more := bytes/64 + members/8
	c.nodes += more
	if *c.total += more; *c.total > maxNodes {
		_, err := c.node()
		return err
	}
	return nil
}

// cut returns an open node for a description that ends early.
func (c *compiler) cut() (*Node, error) {
	n, err := c.node()
	if err == nil {
		n.Cut, n.openness = true, explicitlyOpen
	}
	return n, err
}

// child compiles the schema at a path segment.
func (c *compiler) child(v *value, depth int, segments ...string) (n *Node, err error) {
	c.path = append(c.path, segments...)
	n, err = c.schema(v, depth)
	c.path = c.path[:len(c.path)-len(segments)]
	return n, err
}

// schema compiles v. It returns nil for the schema false, which accepts no value.
func (c *compiler) schema(v *value, depth int) (*Node, error) {
	if v.isFalse() {
		return nil, nil
	}

	if depth > MaxDepth {
		return c.cut()
	}
	n, err := c.node()
	if err != nil || v.isTrue() {
		return n, err
	}

	if v.kind != kindObject {
		return nil, c.errorf("write an object, true or false", "a schema can't be %s", v.kind)
	}

	for _, step := range [...]func(*Node, *value, int) error{
		c.annotations, c.types, c.values, c.limits, c.object, c.array, c.reference, c.allOf, c.alternatives, c.conditional,
	} {
		if err := step(n, v, depth); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// annotations reads the keywords that only describe.
func (c *compiler) annotations(n *Node, v *value, _ int) error {
	for _, a := range [...]struct {
		name string
		into *string
	}{
		{"title", &n.Title}, {"description", &n.Description}, {"format", &n.Format}, {"pattern", &n.Pattern},
	} {
		m := v.get(a.name)
		if m == nil || m.kind == kindNull {
			continue
		}

		if m.kind != kindString {
			return c.errorf("write a string", "%s is %s", a.name, m.kind)
		}
		if len(m.text) > maxText {
			return c.errorf("shorten it", "%s is longer than %d bytes", a.name, maxText)
		}
		*a.into = m.text
	}
	return nil
}

// jsonTypes are the types of JSON Schema.
var jsonTypes = [...]string{"object", "array", "string", "number", "integer", "boolean", "null"}

func (c *compiler) types(n *Node, v *value, _ int) error {
	var names []*value
	switch t := v.get("type"); {
	case t == nil:
	case t.kind == kindString:
		names = []*value{t}
	case t.kind == kindArray:
		names = t.elems
	default:
		return c.errorf("write one of "+strings.Join(jsonTypes[:], ", ")+", or a list of them", "type is %s", t.kind)
	}

	if err := c.charge(0, len(names)); err != nil {
		return err
	}

	null := false
	for _, name := range names {
		switch {
		case name.kind == kindString && name.text == "any":
			// Draft 3 writes "no constraint" like this; generators still do.
			n.Types = nil
			n.Nullable = false
			return nil
		case name.kind != kindString || !slices.Contains(jsonTypes[:], name.text):
			return c.errorf("write one of "+strings.Join(jsonTypes[:], ", "), "type %s doesn't exist", clip(jsonText(name)))
		case name.text == "null":
			null = true
		case !slices.Contains(n.Types, name.text):
			n.Types = append(n.Types, name.text)
		}
	}

	n.Nullable = null || v.get("nullable").isTrue()
	if null && len(n.Types) == 0 {
		n.Enum = []string{"null"}
	}
	return nil
}

// isNull reports whether the node accepts only null.
func (n *Node) isNull() bool {
	return n.Nullable && len(n.Types) == 0 && len(n.Enum) == 1 && n.Enum[0] == "null"
}

// values reads const, enum, default and examples.
func (c *compiler) values(n *Node, v *value, _ int) error {
	if d := v.get("default"); d != nil {
		if n.Default = jsonText(d); len(n.Default) > maxText {
			return c.errorf("shorten it", "default is longer than %d bytes", maxText)
		}
		if err := c.charge(len(n.Default), 0); err != nil {
			return err
		}
	}

	if e := v.get("examples"); e != nil {
		// OpenAPI's "examples" are named objects; only lists are values here.
		for _, x := range e.elems {
			n.Examples = append(n.Examples, jsonText(x))
		}
	} else if e := v.get("example"); e != nil {
		n.Examples = []string{jsonText(e)}
	}

	if len(n.Examples) > maxEnum {
		return c.errorf("shorten the list", "examples has more than %d members", maxEnum)
	}
	if err := c.charge(size(n.Examples), len(n.Examples)); err != nil {
		return err
	}

	var listed []*value
	if e := v.get("enum"); e != nil {
		if e.kind != kindArray {
			return c.errorf("write a list of the accepted values", "enum is %s", e.kind)
		}
		if len(e.elems) > maxEnum {
			return c.errorf("drop the enumeration and describe the values", "enum has more than %d members", maxEnum)
		}
		// A list without members is what a server sends that found no values when it
		// started: it takes any.
		listed = e.elems
	}
	if k := v.get("const"); k != nil {
		listed = []*value{k}
	}

	if len(listed) == 0 {
		return nil
	}

	n.Enum = nil
	seen := make(map[string]struct{}, len(listed))
	for _, x := range listed {
		text := jsonText(x)
		if _, dup := seen[text]; dup {
			continue
		}
		seen[text] = struct{}{}

		if x.kind == kindNull {
			n.Nullable = true
			continue
		}
		n.Enum = append(n.Enum, text)
	}

	err := c.charge(size(n.Enum), len(listed))
	if len(n.Enum) == 0 {
		n.Enum, n.Types = []string{"null"}, nil
	}
	return err
}

// limits reads the range of numbers. In draft 4 the exclusive limits are booleans
// beside the inclusive limits.
func (c *compiler) limits(n *Node, v *value, _ int) error {
	for _, end := range [...]struct {
		inclusive, exclusive string
		side                 int
		into                 *limit
	}{
		{"minimum", "exclusiveMinimum", 1, &n.low},
		{"maximum", "exclusiveMaximum", -1, &n.high},
	} {
		exclusive := v.get(end.exclusive)
		if m := v.get(end.inclusive); m != nil && m.kind == kindNumber {
			*end.into = limit{m.text, exclusive.isTrue()}
		}
		if exclusive != nil && exclusive.kind == kindNumber {
			*end.into = end.into.stricter(limit{exclusive.text, true}, end.side)
		}
	}
	return c.charge(len(n.low.text)+len(n.high.text), 0)
}

// size returns the total length of a list of strings in bytes.
func size(list []string) int {
	total := 0
	for _, s := range list {
		total += len(s)
	}
	return total
}

func (c *compiler) object(n *Node, v *value, depth int) error {
	if p := v.get("properties"); p != nil && p.kind != kindNull {
		if p.kind != kindObject {
			return c.errorf("write an object of schemas", "properties is %s", p.kind)
		}
		for _, m := range p.members {
			if len(m.name) > maxName {
				return c.errorf("shorten it", "the property name %q is longer than %d bytes", clip(m.name), maxName)
			}
			child, err := c.child(m.value, depth+1, "properties", m.name)
			if err != nil {
				return err
			}
			if child != nil {
				n.Properties = append(n.Properties, Property{Name: m.name, Node: child})
			}
		}
	}

	if r := v.get("required"); r != nil && r.kind != kindNull {
		if r.kind != kindArray {
			return c.errorf(`write a list of names beside "properties"`, "required is %s", r.kind)
		}
		if err := c.charge(0, len(r.elems)); err != nil {
			return err
		}

		names := make(map[string]struct{}, len(r.elems))
		for _, e := range r.elems {
			if e.kind != kindString {
				return c.errorf("write property names", "required has a member that is %s", e.kind)
			}
			names[e.text] = struct{}{}
		}

		for i := range n.Properties {
			name := n.Properties[i].Name
			_, n.Properties[i].Required = names[name]
			delete(names, name)
		}

		n.needed = slices.Sorted(maps.Keys(names))
		if err := c.charge(size(n.needed), len(n.needed)); err != nil {
			return err
		}
	}
	return c.unlisted(n, v, depth)
}

// unlisted reads the rules for members that an object doesn't list.
func (c *compiler) unlisted(n *Node, v *value, depth int) error {
	var described []*Node
	if p := v.get("patternProperties"); p != nil && p.kind == kindObject {
		for _, m := range p.members {
			child, err := c.child(m.value, depth+1, "patternProperties", m.name)
			if err != nil {
				return err
			}
			if child != nil {
				n.openness = explicitlyOpen
				described = append(described, child)
			}
		}
	}

	for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
		a := v.get(keyword)
		empty := a != nil && a.kind == kindObject && len(a.members) == 0
		switch {
		case a == nil || a.kind == kindNull:
		case a.isFalse():
			if n.openness == unsaid {
				n.openness = explicitlyClosed
			}
		case a.isTrue() || empty:
			n.openness = explicitlyOpen
			described = append(described, nil)
		default:
			child, err := c.child(a, depth+1, keyword)
			if err != nil {
				return err
			}
			n.openness = explicitlyOpen
			described = append(described, child)
		}
	}

	n.closed = n.openness == explicitlyClosed
	// One kind of member without a description leaves them all without one.
	if !slices.Contains(described, nil) {
		n.Additional = oneOf(described)
	}
	return nil
}

// oneOf returns one node for several that may apply, or nil for none.
func oneOf(nodes []*Node) *Node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &Node{Alternatives: nodes, forms: [][]*Node{slices.Clone(nodes)}}
}

func (c *compiler) array(n *Node, v *value, depth int) error {
	var described []*Node
	tuple := func(list *value, keyword string) error {
		for i, e := range list.elems {
			child, err := c.child(e, depth+1, keyword, strconv.Itoa(i))
			if err != nil {
				return err
			}
			if child != nil {
				described = append(described, child)
			}
		}
		return nil
	}

	if p := v.get("prefixItems"); p != nil {
		if err := tuple(p, "prefixItems"); err != nil {
			return err
		}
	}

	for _, keyword := range [...]string{"items", "additionalItems"} {
		items := v.get(keyword)
		switch {
		case items == nil || items.kind == kindNull:
			continue
		case items.kind == kindArray:
			if err := tuple(items, keyword); err != nil {
				return err
			}
			continue
		}

		child, err := c.child(items, depth+1, keyword)
		if err != nil {
			return err
		}
		if child != nil {
			described = append(described, child)
		}
	}

	n.Items = oneOf(described)
	return nil
}

// reference follows $ref. Keywords beside it apply as well (as in JSON Schema
// 2020-12), and their annotations win over the definition's.
func (c *compiler) reference(n *Node, v *value, depth int) error {
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		r := v.get(keyword)
		if r == nil {
			continue
		}

		if r.kind != kindString {
			return c.errorf(`write a reference such as "#/$defs/name"`, "%s is %s", keyword, r.kind)
		}
		target, err := c.resolve(r.text)
		if err != nil {
			return err
		}

		if c.active[target] > maxRecursion || c.nodes > maxToolNodes {
			n.Cut, n.openness = true, explicitlyOpen
			continue
		}

		c.active[target]++
		part, err := c.child(target, depth+1, keyword)
		c.active[target]--
		if err != nil {
			return err
		}

		if part != nil {
			intersect(n, part)
		}
	}
	return nil
}

// resolve returns the target of a reference.
func (c *compiler) resolve(ref string) (*value, error) {
	if target, ok := c.targets[ref]; ok {
		return target, nil
	}

	fragment := strings.TrimPrefix(ref, c.root.str("$id"))
	local, ok := strings.CutPrefix(fragment, "#")
	if !ok {
		return nil, c.errorf(`put the definition into the document's "$defs" and refer to it there`,
			"the reference %q leaves the document, and nothing outside is fetched", clip(ref))
	}

	local, err := url.PathUnescape(local)
	if err != nil {
		return nil, c.errorf(`write a reference such as "#/$defs/name"`, "the reference %q isn't a URL fragment", clip(ref))
	}
	if local != "" && local[0] != '/' {
		return nil, c.errorf(`write it as a JSON pointer, such as "#/$defs/name"`, "the anchor %q is not supported", clip(ref))
	}

	target := c.root.lookup(split(local))
	if target == nil {
		return nil, c.errorf("add the definition, or correct the name", "the reference %q points to nothing", clip(ref))
	}

	c.targets[ref] = target
	return target, nil
}

func (c *compiler) allOf(n *Node, v *value, depth int) error {
	all := v.get("allOf")
	if all == nil || all.kind == kindNull {
		return nil
	}
	if all.kind != kindArray {
		return c.errorf("write a list of schemas", "allOf is %s", all.kind)
	}
	for i, e := range all.elems {
		part, err := c.child(e, depth+1, "allOf", strconv.Itoa(i))
		if err != nil {
			return err
		}
		if part != nil {
			intersect(n, part)
		}
	}
	return nil
}

func (c *compiler) alternatives(n *Node, v *value, depth int) error {
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		list := v.get(keyword)
		if list == nil || list.kind == kindNull {
			continue
		}

		if list.kind != kindArray || len(list.elems) == 0 {
			return c.errorf("write a list of schemas", "%s is %s without members", keyword, list.kind)
		}

		var branches []*Node
		for i, e := range list.elems {
			branch, err := c.child(e, depth+1, keyword, strconv.Itoa(i))
			switch {
			case err != nil:
				return err
			case branch == nil:
			case branch.isNull():
				n.Nullable = true
			default:
				branches = append(branches, branch)
			}
		}

		switch len(branches) {
		case 0:
			if n.Nullable && len(n.Types) == 0 && len(n.Enum) == 0 {
				n.Enum = []string{"null"}
			}
		case 1:
			nullable := n.Nullable
			intersect(n, branches[0])
			n.Nullable = n.Nullable || nullable
		default:
			n.Alternatives = append(n.Alternatives, branches...)
			n.forms = append(n.forms, branches)
		}
	}
	return nil
}

// conditional reads schemas that apply under a condition. The condition is not
// evaluated: each schema becomes an alternative.
func (c *compiler) conditional(n *Node, v *value, depth int) error {
	for _, keyword := range [...]string{"then", "else"} {
		if s := v.get(keyword); s != nil {
			branch, err := c.child(s, depth+1, keyword)
			if err != nil {
				return err
			}
			if branch != nil && branch.describes() {
				n.Alternatives = append(n.Alternatives, branch)
			}
		}
	}

	if d := v.get("dependentSchemas"); d != nil && d.kind == kindObject {
		for _, m := range d.members {
			branch, err := c.child(m.value, depth+1, "dependentSchemas", m.name)
			if err != nil {
				return err
			}
			if branch != nil && branch.describes() {
				n.Alternatives = append(n.Alternatives, branch)
			}
		}
	}
	return nil
}
