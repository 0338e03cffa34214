package schema

import "slices"

// Tool returns the named tool.
func (c *Catalogue) Tool(name string) (*Tool, bool) {
	for i := range c.Tools {
		if c.Tools[i].Name == name {
			return &c.Tools[i], true
		}
	}
	return nil, false
}

// Lookup returns what the tool's input says about the value at a JSON pointer,
// and whether it accepts a value there at all. See [Node.Lookup].
func (t *Tool) Lookup(pointer string) (*Node, bool) { return t.Input.Lookup(pointer) }

// Accepts reports whether the tool's input accepts a value at a JSON pointer.
func (t *Tool) Accepts(pointer string) bool {
	_, ok := t.Lookup(pointer)
	return ok
}

// Lookup follows a JSON pointer through properties, list elements, additional
// members and alternatives. A member that an object doesn't list is accepted
// only where the object is open, and everything is accepted below a place that
// the schema doesn't describe. A segment "*" stands for any element or any
// unlisted member, so that patterns can be looked up as well. Where several
// alternatives describe the place, the node returned unites them.
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
				// Nothing describes what lies here: whatever follows is accepted.
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

// union describes a place that several nodes describe: the types, values and
// words of all of them, and they themselves as alternatives.
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

// onlyBranches tells whether all that n says stands in its alternatives.
func (n *Node) onlyBranches() bool {
	return len(n.Alternatives) > 0 && len(n.Types) == 0 && len(n.Enum) == 0 && len(n.Properties) == 0 &&
		n.Additional == nil && n.Items == nil && !n.Cut
}

// expand appends a node and its alternatives, those below them included.
func expand(into []*Node, n *Node) []*Node {
	into = append(into, n)
	for _, a := range n.Alternatives {
		into = expand(into, a)
	}
	return into
}

// step goes one segment down without looking at alternatives. A nil node with
// true means that the value is accepted and nothing is known about it.
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
