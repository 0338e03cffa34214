package schema

import (
	"slices"
	"strings"
)

// Tool returns the named tool.
func (c *Catalogue) Tool(name string) (*Tool, bool) {
	for i := range c.Tools {
		if c.Tools[i].Name == name {
			return &c.Tools[i], true
		}
	}
	return nil, false
}

// Lookup returns the description of the value at a JSON pointer into the tool's
// input, and reports whether the tool accepts a value there. See [Node.Lookup].
func (t *Tool) Lookup(pointer string) (*Node, bool) { return t.Input.Lookup(pointer) }

// Accepts reports whether the tool's input accepts a value at a JSON pointer.
func (t *Tool) Accepts(pointer string) bool {
	_, ok := t.Lookup(pointer)
	return ok
}

// Undeclared reports whether a value at a JSON pointer, or one around it, is a member that its object accepts without a
// description, beside members that it lists.
func (t *Tool) Undeclared(pointer string) bool {
	for end := strings.LastIndexByte(pointer, '/'); end >= 0; end = strings.LastIndexByte(pointer[:end], '/') {
		name, _, _ := strings.Cut(pointer[end+1:], "/")
		object, ok := t.Lookup(pointer[:end])
		if !ok {
			continue
		}
		branches := expand(nil, object)
		isListed := func(n *Node) bool {
			return n.Additional != nil || slices.ContainsFunc(n.Properties, func(p Property) bool { return p.Name == unescape(name) })
		}
		if slices.ContainsFunc(branches, func(n *Node) bool { return len(n.Properties) > 0 }) && !slices.ContainsFunc(branches, isListed) {
			return true
		}
	}
	return false
}

// Lookup follows a JSON pointer through properties, list elements, additional
// members and alternatives. A member that an object doesn't list is accepted only
// if the object is open; every value is accepted below a place without a
// description. A segment "*" matches any element or any unlisted member, so that
// patterns can be looked up as well. If several alternatives describe the place,
// the returned node merges them.
func (n *Node) Lookup(pointer string) (*Node, bool) {
	relative := pointer != "" && pointer[0] != '/'
	if n == nil || relative {
		return nil, false
	}

	nodes := expand(nil, n)
	var next []*Node
	for segment := range segments(pointer) {
		next = next[:0]

		for _, at := range nodes {
			child, ok := at.step(segment)
			if !ok {
				continue
			}
			if child == nil {
				// There is no description below this place: it accepts every value.
				return &Node{Open: true}, true
			}
			next = expand(next, child)
		}

		if len(next) == 0 {
			return nil, false
		}
		nodes, next = next, nodes
	}

	if len(nodes) == 1 {
		return nodes[0], true
	}
	return union(nodes), true
}

// union merges the nodes that describe one place: it has the types, values and
// annotations of all of them, and the nodes themselves as alternatives.
func union(nodes []*Node) *Node {
	var merged *Node
	var branches []*Node
	words := &Node{}

	for _, n := range nodes {
		words.words(n)
		words.Nullable = words.Nullable || n.Nullable
		if n.onlyBranches() {
			continue
		}

		branches = append(branches, n)
		if merged == nil {
			merged = &Node{Types: slices.Clone(n.Types), Enum: slices.Clone(n.Enum), Open: n.Open, Cut: n.Cut, Nullable: n.Nullable}
			continue
		}
		unite(merged, n)
	}

	if merged == nil {
		merged = &Node{}
	}

	merged.Nullable = merged.Nullable || words.Nullable
	words.Nullable = false
	for _, w := range merged.wordPlaces() {
		*w = ""
	}
	merged.Examples = nil
	merged.words(words)
	merged.Alternatives = branches
	return merged
}

// onlyBranches reports whether n describes values only by its alternatives.
func (n *Node) onlyBranches() bool {
	return len(n.Alternatives) > 0 && len(n.Types) == 0 && len(n.Enum) == 0 && len(n.Properties) == 0 &&
		n.Additional == nil && n.Items == nil && !n.Cut
}

// expand appends a node and all alternatives below it.
func expand(into []*Node, n *Node) []*Node {
	into = append(into, n)
	for _, a := range n.Alternatives {
		into = expand(into, a)
	}
	return into
}

// step follows one segment without looking at alternatives. It returns a nil node
// and true for a value that is accepted and not described.
func (n *Node) step(segment string) (*Node, bool) {
	name := unescape(segment)
	for i := range n.Properties {
		if n.Properties[i].Name == name && segment != "*" {
			return n.Properties[i].Node, true
		}
	}

	isIndex := segment == "*" || index(segment)
	if n.Items != nil && isIndex {
		return n.Items, true
	}

	if n.Additional != nil {
		return n.Additional, true
	}
	if n.Open {
		return nil, true
	}

	if isIndex && n.Items == nil && len(n.Alternatives) == 0 && n.acceptsArray() {
		return nil, true
	}
	return nil, false
}
