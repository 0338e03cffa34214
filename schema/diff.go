package schema

import "slices"

// Changes are the differences between two catalogues, by tool name.
type Changes struct {
	// Added lists the tools that only the new catalogue has, in its order.
	Added []string
	// Removed lists the tools that only the old catalogue has, in its order.
	Removed []string
	// Changed lists the tools with different definitions, in the order of the new
	// catalogue.
	Changed []Changed
}

// Changed is a tool with a different definition in two catalogues.
type Changed struct {
	Name string
	// Old and New are the fingerprints.
	Old, New string
	// Parts lists the differing parts: "description", "title", "annotations",
	// "input", "output", or "definition" for a part that nodes don't represent
	// (such as a length limit).
	Parts []string
	// Added and Removed are the patterns of input places that only the new or the
	// old definition has.
	Added, Removed []string
}

// None reports whether there are no changes.
func (c Changes) None() bool { return len(c.Added) == 0 && len(c.Removed) == 0 && len(c.Changed) == 0 }

// Diff compares two catalogues by the names and fingerprints of their tools.
func Diff(was, now *Catalogue) Changes {
	var out Changes
	before, after := was.byName(), now.byName()
	for i := range was.Tools {
		if _, ok := after[was.Tools[i].Name]; !ok {
			out.Removed = append(out.Removed, was.Tools[i].Name)
		}
	}
	for i := range now.Tools {
		t := &now.Tools[i]
		earlier, ok := before[t.Name]
		switch {
		case !ok:
			out.Added = append(out.Added, t.Name)
		case earlier.Fingerprint != t.Fingerprint:
			out.Changed = append(out.Changed, changed(earlier, t))
		}
	}
	return out
}

func (c *Catalogue) byName() map[string]*Tool {
	m := make(map[string]*Tool, len(c.Tools))
	for i := range c.Tools {
		m[c.Tools[i].Name] = &c.Tools[i]
	}
	return m
}

func changed(was, now *Tool) Changed {
	c := Changed{Name: now.Name, Old: was.Fingerprint, New: now.Fingerprint}
	part := func(name string, same bool) {
		if !same {
			c.Parts = append(c.Parts, name)
		}
	}

	part("title", was.Title == now.Title)
	part("description", was.Description == now.Description)
	part("annotations", was.Annotations.equal(now.Annotations))
	part("input", was.Input.equal(now.Input))
	part("output", was.Output.equal(now.Output))

	if len(c.Parts) == 0 {
		c.Parts = []string{"definition"}
	}

	before, after := patterns(was), patterns(now)
	for _, p := range after {
		if !slices.Contains(before, p) {
			c.Added = append(c.Added, p)
		}
	}
	for _, p := range before {
		if !slices.Contains(after, p) {
			c.Removed = append(c.Removed, p)
		}
	}
	return c
}

func patterns(t *Tool) []string {
	var out []string
	for _, p := range t.Places() {
		out = append(out, p.Pattern)
	}
	return out
}

func (a Annotations) equal(b Annotations) bool {
	same := func(x, y *bool) bool {
		if x == nil || y == nil {
			return x == y
		}
		return *x == *y
	}
	return same(a.ReadOnly, b.ReadOnly) && same(a.Destructive, b.Destructive) &&
		same(a.Idempotent, b.Idempotent) && same(a.OpenWorld, b.OpenWorld)
}

// equal reports whether two trees of nodes are equal.
func (n *Node) equal(m *Node) bool {
	if n == nil || m == nil {
		return n == m
	}
	if n.Title != m.Title || n.Description != m.Description || n.Format != m.Format || n.Pattern != m.Pattern ||
		n.Default != m.Default || n.Nullable != m.Nullable || n.Open != m.Open || n.Cut != m.Cut ||
		!slices.Equal(n.Types, m.Types) || !slices.Equal(n.Enum, m.Enum) || !slices.Equal(n.Examples, m.Examples) {
		return false
	}
	return n.Additional.equal(m.Additional) && n.Items.equal(m.Items) &&
		slices.EqualFunc(n.Alternatives, m.Alternatives, (*Node).equal) &&
		slices.EqualFunc(n.Properties, m.Properties, func(p, q Property) bool {
			return p.Name == q.Name && p.Required == q.Required && p.Node.equal(q.Node)
		})
}
