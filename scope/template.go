package scope

import (
	"strings"
)

// template matches a value with a text that has holes. Holes beside each other can't be
// told apart, and are filled together.
func (m *matcher) template(c *Constraint, a Argument) (Grant, string) {
	const other = "not as the template has it"
	texts := hole().Split(c.Template, -1)
	names := hole().FindAllStringSubmatch(c.Template, -1)
	rest, ok := strings.CutPrefix(a.Text, texts[0])
	if !ok {
		return Grant{}, other
	}

	out, open := Grant{Way: WayTemplate}, false
	for i := 0; i < len(names); {
		group := []string{names[i][1]}
		for i++; i < len(names) && texts[i] == ""; i++ {
			group = append(group, names[i][1])
		}
		filled, after, ok := cut(rest, texts[i], i == len(names))
		if !ok {
			return Grant{}, other
		}
		part := a
		part.Text, rest = filled, after
		g, miss := m.fill(c, group, part)
		if miss != "" {
			return Grant{}, m.say("{%s}: %s", strings.Join(group, "}{"), miss)
		}
		open = open || !g.Names()
		if g.Call != "" {
			out.Call = g.Call
		}
	}
	if open {
		out.Call = "" // a part of the text comes from no source
	}
	return out, ""
}

// cut parts a text at what follows a hole; at its end for the last one.
func cut(text, follow string, last bool) (filled, after string, ok bool) {
	if last {
		filled, ok = strings.CutSuffix(text, follow)
		return filled, "", ok
	}
	return strings.Cut(text, follow)
}

// fill matches what fills holes beside each other.
func (m *matcher) fill(c *Constraint, group []string, part Argument) (Grant, string) {
	if len(group) == 1 {
		h := c.Holes[group[0]]
		if !h.Computed {
			return m.value(&h, part)
		}
	}
	// What is made up extends nothing: it stays within one name.
	parent := part.Text == "." || part.Text == ".."
	if part.authority() && (parent || strings.ContainsAny(part.Text, "/\\\n\r")) {
		return Grant{}, "goes further than one name"
	}

	out, rest := Grant{Way: WayComputed}, part.Text
	for _, name := range group {
		h := c.Holes[name]
		if h.Computed {
			continue
		}
		found, ok := m.offered(&h, part.Text)
		if !ok {
			return Grant{}, "nothing of its source is in it"
		}
		out = Grant{Way: WayFrom, Call: found.call}
		rest = strings.ReplaceAll(rest, found.text, " ")
	}
	if addresses(rest) {
		out.Call = "" // a link beside that of the source goes on being checked
	}
	return out, ""
}

// addresses reports whether a text has what reads as a link or an address.
func addresses(text string) bool {
	return strings.Contains(text, "//") || shapes[URL].MatchString(text) || shapes[Email].MatchString(text)
}

// offered returns the value of a constraint's sources that appears in a text.
func (m *matcher) offered(c *Constraint, text string) (candidate, bool) {
	for _, v := range m.offers(c.From, c, "").values {
		if m.work(len(text)) && appears(text, v.text) {
			return v, true
		}
	}
	return candidate{}, false
}
