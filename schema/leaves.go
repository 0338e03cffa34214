package schema

import (
	"maps"
	"slices"
)

// Leaves returns the leaves of the tool's input: scalars, and arrays and objects
// whose contents the schema doesn't describe. Each pattern occurs once;
// descriptions from several alternatives are merged.
func (t *Tool) Leaves() []Leaf { return places(t.Input, false) }

// Places returns the leaves and the arrays and objects above them, each container
// before its contents. It doesn't include the input itself.
func (t *Tool) Places() []Leaf { return places(t.Input, true) }

// Leaves returns the leaves below a node as [Tool.Leaves] does, including the node
// itself, with pattern "", if it is a leaf. It serves output schemas.
func (n *Node) Leaves() []Leaf {
	w := walk{at: map[string]int{}}
	w.visit(n, Leaf{Required: true})
	return w.leaves
}

func places(root *Node, containers bool) []Leaf {
	if root == nil {
		return nil
	}
	w := walk{at: map[string]int{}, containers: containers}
	w.inside(root, Leaf{Required: true, Path: []*Node{root}})
	if root.Open && root.Additional == nil && len(root.Properties) == 0 && len(root.Alternatives) == 0 {
		// The input is an object with any members: each member is a leaf.
		any := &Node{Open: true}
		w.add(Leaf{Pattern: "/*", Node: any, Path: []*Node{root, any}})
	}
	return w.leaves
}

// walk collects leaves and places.
type walk struct {
	leaves     []Leaf
	at         map[string]int
	containers bool
}

// visit adds a node and the places below it. place is the node's place, with the
// path to it.
func (w *walk) visit(n *Node, place Leaf) {
	place.Node = n
	place.Path = append(slices.Clip(place.Path), n)
	if w.lists(n) {
		w.add(place)
	}
	w.inside(n, place)
}

// lists reports whether a node is a separate place.
func (w *walk) lists(n *Node) bool {
	container := w.containers && !n.onlyBranches()
	return container || n.holdsValue()
}

// inside adds the places below a node.
func (w *walk) inside(n *Node, place Leaf) {
	below := func(segment, name string, required bool, child *Node) {
		w.visit(child, Leaf{Pattern: place.Pattern + "/" + segment, Name: name, Required: required && place.Required, Path: place.Path})
	}

	for _, p := range n.Properties {
		below(escape(p.Name), p.Name, p.Required, p.Node)
	}
	switch {
	case n.Additional != nil:
		below("*", place.Name, false, n.Additional)
	case n.Open && (len(n.Properties) > 0 || len(n.Alternatives) > 0) && !n.Cut:
		below("*", place.Name, false, &Node{Open: true})
	}

	if n.Items != nil {
		below("*", place.Name, true, n.Items)
	}

	for _, a := range n.Alternatives {
		// The description of the whole place wins over the description of one
		// branch.
		described := *a
		for i, from := range n.wordPlaces() {
			if *from != "" {
				*described.wordPlaces()[i] = *from
			}
		}

		a := &described
		branch := place
		branch.Path = append(slices.Clip(place.Path), a)
		if branch.Pattern != "" && w.lists(a) {
			branch.Node = a
			w.add(branch)
		}

		w.inside(a, branch)
	}
}

// holdsValue reports whether values of n itself are leaves: scalars, and containers
// without a description of their contents.
func (n *Node) holdsValue() bool {
	if n.Cut {
		return true
	}
	for _, t := range n.Types {
		switch t {
		case "object":
			if len(n.Properties) == 0 && n.Additional == nil && len(n.Alternatives) == 0 {
				return true
			}
		case "array":
			if n.Items == nil && len(n.Alternatives) == 0 {
				return true
			}
		default:
			return true
		}
	}
	return len(n.Types) == 0 && len(n.Properties) == 0 && n.Additional == nil && n.Items == nil && len(n.Alternatives) == 0
}

// add adds a place, or merges it with the place of the same pattern.
func (w *walk) add(place Leaf) {
	i, ok := w.at[place.Pattern]
	if !ok {
		w.at[place.Pattern] = len(w.leaves)
		w.leaves = append(w.leaves, place)
		return
	}
	have := &w.leaves[i]
	have.Required = have.Required && place.Required
	if have.Node == place.Node {
		return
	}
	// The nodes belong to the tool: merge copies.
	merged := *have.Node
	merged.Types = slices.Clip(merged.Types)
	merged.Enum = slices.Clip(merged.Enum)
	unite(&merged, place.Node)
	have.Node = &merged
	have.Path = append(have.Path[:len(have.Path)-1:len(have.Path)-1], &merged)
}

// Defaults returns the defaults in the tool's input, as JSON text.
func (t *Tool) Defaults() []string {
	found, seen := map[string]bool{}, map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Default != "" {
			found[n.Default] = true
		}

		for _, p := range n.Properties {
			visit(p.Node)
		}
		for _, a := range n.Alternatives {
			visit(a)
		}
		visit(n.Additional)
		visit(n.Items)
	}
	visit(t.Input)
	return slices.Sorted(maps.Keys(found))
}
