package schema

import "slices"

// intersect narrows n to values that both n and m accept; m must not be used
// afterwards. n's annotations (title, description, format, default) win. Members
// are merged, because in practice allOf expresses inheritance: a member that either
// part lists is expected to exist.
func intersect(n, m *Node) {
	wasNull := n.isNull()
	n.words(m)

	switch {
	case len(n.Types) == 0:
		n.Types = m.Types
		n.Nullable = n.Nullable || m.Nullable
	case len(m.Types) == 0:
		n.Nullable = n.Nullable || m.Nullable
	default:
		n.Nullable = n.Nullable && m.Nullable
		if both := commonTypes(n.Types, m.Types); len(both) > 0 {
			n.Types = both
		}
	}

	switch {
	case len(n.Enum) == 0 || wasNull:
		n.Enum = m.Enum
	case len(m.Enum) > 0 && !m.isNull():
		in := set(m.Enum)
		both := slices.DeleteFunc(slices.Clone(n.Enum), func(e string) bool { _, ok := in[e]; return !ok })
		if len(both) > 0 {
			n.Enum = both
		}
	}

	n.Properties = mergeProperties(n.Properties, m.Properties)
	n.openness = max(n.openness, m.openness)
	n.Cut = n.Cut || m.Cut

	if n.Additional == nil {
		n.Additional = m.Additional
	} else if m.Additional != nil {
		intersect(n.Additional, m.Additional)
	}
	if n.Items == nil {
		n.Items = m.Items
	} else if m.Items != nil {
		intersect(n.Items, m.Items)
	}

	n.Alternatives = append(n.Alternatives, m.Alternatives...)
	n.low, n.high = n.low.stricter(m.low, 1), n.high.stricter(m.high, -1)
	n.needed = append(n.needed, m.needed...)
	n.forms = append(n.forms, m.forms...)
	n.closed = n.closed || m.closed
}

// unite widens n to values that n or m accepts. It merges branches of alternatives
// that describe the same place.
func unite(n, m *Node) {
	n.words(m)
	switch {
	case len(n.Types) == 0 && !n.isNull() && len(n.Enum) == 0:
	case len(m.Types) == 0 && !m.isNull() && len(m.Enum) == 0:
		n.Types = nil
	default:
		for _, t := range m.Types {
			if !slices.Contains(n.Types, t) {
				n.Types = append(n.Types, t)
			}
		}
	}

	switch {
	case m.isNull():
	case n.isNull():
		n.Enum = m.Enum
	case len(n.Enum) == 0 || len(m.Enum) == 0:
		// One of them accepts any value, so there is no list.
		n.Enum = nil
	default:
		in := set(n.Enum)
		for _, e := range m.Enum {
			if _, ok := in[e]; !ok {
				n.Enum = append(n.Enum, e)
			}
		}
	}

	n.Nullable = n.Nullable || m.Nullable
	n.Open = n.Open || m.Open
	n.Cut = n.Cut || m.Cut
}

// words copies m's annotations that n doesn't have.
func (n *Node) words(m *Node) {
	from := m.wordPlaces()
	for i, into := range n.wordPlaces() {
		if *into == "" {
			*into = *from[i]
		}
	}
	if len(n.Examples) == 0 {
		n.Examples = m.Examples
	}
}

// wordPlaces returns the annotations that only describe.
func (n *Node) wordPlaces() [5]*string {
	return [...]*string{&n.Title, &n.Description, &n.Format, &n.Pattern, &n.Default}
}

// mergeProperties merges two lists of members by name, in the order of a and then
// b, and intersects the nodes of common members.
func mergeProperties(a, b []Property) []Property {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	at := make(map[string]int, len(a)+len(b))
	for i := range a {
		at[a[i].Name] = i
	}
	for _, p := range b {
		i, ok := at[p.Name]
		if !ok {
			at[p.Name] = len(a)
			a = append(a, p)
			continue
		}
		intersect(a[i].Node, p.Node)
		a[i].Required = a[i].Required || p.Required
	}
	return a
}

// commonTypes returns the intersection of two lists of types; every integer is a
// number.
func commonTypes(a, b []string) []string {
	var out []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t):
			out = append(out, t)
		case t == "integer" && slices.Contains(b, "number"):
			out = append(out, t)
		case t == "number" && slices.Contains(b, "integer"):
			out = append(out, "integer")
		}
	}
	return out
}

func set(list []string) map[string]struct{} {
	out := make(map[string]struct{}, len(list))
	for _, s := range list {
		out[s] = struct{}{}
	}
	return out
}

// describes reports whether n constrains the shape of a value.
func (n *Node) describes() bool {
	return len(n.Types) > 0 || len(n.Enum) > 0 || len(n.Properties) > 0 || len(n.Alternatives) > 0 ||
		n.Items != nil || n.Additional != nil || n.openness == explicitlyOpen || n.Format != "" || n.Pattern != ""
}

// seal determines, top down, the properties that depend on all merged parts: which
// objects are open, and which branches add nothing to the schema beside them (such
// as branches that only require members).
func seal(n *Node) {
	if len(n.Alternatives) > 0 {
		structured := len(n.Properties) > 0 || n.Items != nil || len(n.Types) > 0 || len(n.Enum) > 0

		kept := n.Alternatives[:0]
		for _, a := range n.Alternatives {
			if structured && !a.describes() {
				continue
			}

			if len(a.Types) == 0 && len(a.Enum) == 0 {
				a.Types = slices.Clone(n.Types)
			}

			bareObject := slices.Equal(a.Types, []string{"object"}) && len(a.Properties) == 0 &&
				len(a.Alternatives) == 0 && a.openness != explicitlyOpen
			if len(n.Properties) > 0 && bareObject {
				continue
			}

			if n.openness == explicitlyClosed {
				a.openness = explicitlyClosed
			}
			kept = append(kept, a)
		}
		n.Alternatives = kept
	}

	anyObject := n.acceptsObject() && len(n.Properties) == 0 && len(n.Alternatives) == 0
	n.Open = n.openness == explicitlyOpen || (n.openness == unsaid && anyObject)
	if n.openness == explicitlyClosed {
		n.Additional = nil
	}

	for i := range n.Properties {
		seal(n.Properties[i].Node)
	}
	if n.Additional != nil {
		seal(n.Additional)
	}
	if n.Items != nil {
		seal(n.Items)
	}
	for _, a := range n.Alternatives {
		seal(a)
	}
}

// acceptsObject reports whether a value here may be an object.
func (n *Node) acceptsObject() bool {
	untyped := len(n.Types) == 0 && len(n.Enum) == 0
	return slices.Contains(n.Types, "object") || (untyped && n.Items == nil)
}

// acceptsArray reports whether a value here may be an array.
func (n *Node) acceptsArray() bool {
	untyped := len(n.Types) == 0 && len(n.Enum) == 0
	return slices.Contains(n.Types, "array") || (untyped && len(n.Properties) == 0 && n.Additional == nil)
}
