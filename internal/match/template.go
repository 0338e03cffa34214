package match

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// template matches a value with a text that has holes. Holes beside each other can't be
// told apart, and are filled together.
func (m *matcher) template(c *Constraint, a Argument) (Grant, string) {
	const other = "not as the template has it"
	texts := hole().Split(c.Template, -1)
	names := hole().FindAllStringSubmatch(c.Template, -1)
	whole := strings.Join(texts, "") == ""
	if whole && len(names) == 1 {
		h := c.Holes[names[0][1]]
		return m.value(&h, a) // nothing is around the hole
	}
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
		if miss == "" && g.Way != WayIs && !m.says(filled) {
			miss = m.held(&part, around(texts, i-len(group), i), g.Way)
		}
		if miss != "" {
			return Grant{}, m.say("{%s}: %s", strings.Join(group, "}{"), miss)
		}
		if h := c.Holes[group[0]]; len(group) == 1 && h.isAll() {
			out.each += strconv.Quote(canonical(filled))
		}
		open = open || !g.Names()
		if g.Call != "" {
			out.Call = g.Call
		}
		out.Beside = strings.TrimSpace(out.Beside + "\n" + g.Beside)
	}
	if whole && open && a.Doubtful && a.authority() {
		return Grant{}, errOpen
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

// fill matches what fills holes beside each other: values of sources, in text that the scope leaves
// open.
func (m *matcher) fill(c *Constraint, group []string, part Argument) (Grant, string) {
	if len(group) == 1 {
		h := c.Holes[group[0]]
		g, miss := m.value(&h, part)                                          // also what is computed, as it is outside of a template
		isName := (miss == errOpen || len(h.Sources) == 0) && !m.irreversible // which the template holds in its place
		if h.Computed && miss != "" && (isName || m.says(part.Text)) {
			return Grant{Way: WayComputed, By: h.By}, ""
		}
		return g, miss
	}

	out := Grant{Way: WayComputed, Beside: part.Text}
	for _, name := range group {
		h := c.Holes[name]
		if h.Any || h.Computed { // beside another one nobody computes where it ends
			h = Constraint{Any: true}
			if _, miss := m.value(&h, part); miss != "" {
				return Grant{}, miss
			}
			continue
		}

		hits, miss := m.inside(&h, part)
		if miss != "" {
			return Grant{}, miss
		}
		out.Way, out.Call = WayFrom, hits[0].call
		for _, v := range hits {
			out.Beside = cutOut(out.Beside, v.text)
		}
	}
	if addresses(out.Beside) {
		out.Call = "" // a link beside that of the source goes on being checked
	}
	return out, ""
}

// inside returns the values of a hole's sources that appear in a text with other words around them,
// longer ones first, or why those that do are not meant.
func (m *matcher) inside(c *Constraint, part Argument) (meant []candidate, miss string) {
	o := m.offers(c.From, c, "")
	if !o.called {
		return nil, m.unanswered(c.From, c)
	}

	miss = "nothing of its source is in it"
	byText := map[string][]candidate{}
	for _, v := range o.values {
		if m.work(len(part.Text)+len(v.text)) && cutOut(part.Text, v.text) != part.Text {
			byText[v.text] = append(byText[v.text], v)
		}
	}
	var texts []string
	longer := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }
	for _, text := range slices.SortedFunc(maps.Keys(byText), longer) {
		one := part
		one.Text = text
		hits, why := m.picked(c, &one, o, byText[text])
		if why == "" {
			why = m.excepted(c, one)
		}
		if why != "" {
			miss = why
			continue
		}
		meant = append(meant, hits...)
		texts = append(texts, text)
	}
	if len(meant) == 0 {
		return nil, miss
	}

	// A text with one of them is of the record that the call's other values are of, and one with
	// several is of no record that another could be of.
	of := meant
	if len(texts) > 1 {
		of = []candidate{{record: recordID{pointer: ofSeveral}}}
	}
	if miss := m.bind(c, part, o, of); miss != "" {
		return nil, miss
	}
	return meant, ""
}

// syntax is what a template writes: what its characters mean decides what a hole may hold.
type syntax struct {
	link, address, path bool
	// domain is set where the hole lies in the name of a host, which a dot continues.
	domain bool
	// beside is the text that touches the hole.
	beside string
}

// around returns the syntax of a template around the holes between two of its texts.
func around(texts []string, before, after int) syntax {
	head, all := strings.Join(texts[:before+1], "x"), strings.Join(texts, "x")
	left := texts[before][strings.LastIndexFunc(texts[before], unicode.IsSpace)+1:]
	right, _, _ := strings.Cut(texts[after], " ")
	s := syntax{beside: left + right}

	s.link = strings.Contains(all, "://") || strings.HasPrefix(fold(all), "mailto:")
	s.address = strings.Contains(all, "@")
	s.path = !s.link && !s.address && strings.ContainsAny(all, `/\`)
	_, host, authority := strings.Cut(head, "://")
	inHost := authority && !strings.ContainsAny(host, "/?#")
	s.domain = inHost || strings.Contains(left, "@")
	return s
}

// separators mean something in a path, a link, an address, a list of these or a command.
const separators = "/\\?#@,;<>%:&=\"'`$|()[]{}*!~^"

// held says why what fills a hole goes further than the name that the hole is in; empty where it
// doesn't. A template of the user's says where a call goes by the text around its holes: "../" in
// a path, "evil.example/?" in front of a host and "eve@evil.example," in front of an address take
// it somewhere else. Content is free, except for the link that a value of a source is pasted
// into.
func (m *matcher) held(part *Argument, s syntax, way string) string {
	decides := part.authority() || (part.Role == label.Selector && (m.effect || s.link || s.address || s.path))
	pasted := way == WayFrom && strings.Contains(s.beside, "://")
	if !decides && !pasted {
		return ""
	}

	const further = "goes further than one name"
	// A host and a file system may read a wide slash as a slash.
	for _, text := range []string{part.Text, fold(part.Text)} {
		if strings.Trim(text, ".") == "" || strings.Contains(text, "..") || strings.ContainsAny(text, separators) {
			return further
		}
		if s.domain && strings.ContainsAny(text, ".\u3002") {
			return further
		}
	}
	spaced := s.link || s.address || part.Role == label.Command
	for _, r := range part.Text {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) || (spaced && unicode.IsSpace(r)) {
			return further
		}
	}
	if part.Role == label.Command && strings.HasPrefix(part.Text, "-") {
		return further // an option
	}
	return ""
}

// says reports whether the user's words have a value as it is.
func (m *matcher) says(text string) bool {
	edges := []rune(text)
	if len(edges) == 0 || slices.ContainsFunc([]rune{edges[0], edges[len(edges)-1]}, isNoWord) || strings.Contains(text, "..") {
		return false // "?" and "../" appear in many texts
	}
	return m.work(len(m.said)) && appears(m.said, text)
}

func isNoWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// addresses reports whether a text has what reads as a link or an address.
func addresses(text string) bool {
	return strings.Contains(text, "//") || shapes[scope.URL]().MatchString(text) || shapes[scope.Email]().MatchString(text)
}

// cutOut returns a text without a value where it appears as a token of its own. An address ends where
// one can't go on: what follows it in the same token is a part of another address.
func cutOut(text, value string) string {
	value = strings.TrimSpace(value)
	if value == "" {
		return text
	}

	var b strings.Builder
	isAddress, done := addresses(value), 0
	for from, left := 0, maxCompared/len(value); left > 0; left-- {
		i := strings.Index(text[from:], value)
		if i < 0 {
			break
		}
		start := from + i
		end := start + len(value)
		if !isWhole(text, start, end) || (isAddress && goesOn(text[end:])) {
			from = start + 1
			continue
		}

		b.WriteString(text[done:start])
		b.WriteByte(' ')
		done, from = end, end
	}
	return b.String() + text[done:]
}

// goesOn reports whether what follows an address continues it: anything but the signs that close a
// sentence, a quotation or a bracket, and what can't appear in an address.
func goesOn(after string) bool {
	after = strings.TrimLeft(after, ".,;:!?*_)]}'`»”’…")
	first, _ := utf8.DecodeRuneInString(after)
	return after != "" && !unicode.IsSpace(first) && !strings.ContainsRune(`"<>`, first)
}
