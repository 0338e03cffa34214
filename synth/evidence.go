package synth

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// evidence is one reason to think that an argument is about a concept.
type evidence struct {
	noun
	why string
}

// reading returns the best evidence for a place. It is kept until the tool's verb,
// manner or effect changes.
func (t *tool) reading(p *place) evidence {
	if !p.isRead || p.readAt != t.current {
		p.best = evidence{}
		if es := t.evidence(p); len(es) > 0 {
			p.best = es[0]
		}
		p.isRead, p.readAt = true, t.current
	}
	return p.best
}

// evidence collects what speaks for any concept at a place, strongest first.
func (t *tool) evidence(p *place) []evidence {
	out := slices.Clone(t.own(p))
	f := &facts{t: t, p: p}
	for _, b := range t.table.evidence {
		if !all(b.head, f) {
			continue
		}
		for _, x := range b.rules {
			if all(x.conditions, f) {
				out = append(out, evidence{x.noun, x.explain(f)})
			}
		}
	}

	out = slices.DeleteFunc(out, func(e evidence) bool {
		return t.table.whens["unfit"].first(&facts{t: t, p: p, noun: e.noun}) != nil
	})
	ts := types(p.node)
	for i := range out {
		if e := &out[i]; e.concept == limit && e.weight < strong && len(ts) == 1 && ts[0] == "string" {
			e.weight -= 20 // limits are numbers
		}
	}
	slices.SortStableFunc(out, func(a, b evidence) int { return b.weight - a.weight })
	return out
}

// own collects the evidence that a place gives without a look at the tool: its format,
// its values, its name and its description. It is collected once.
func (t *tool) own(p *place) []evidence {
	if p.own == nil {
		x := t.table
		p.own = []evidence{}
		for _, find := range []func(*place) []evidence{x.byFormat, x.byEnum, x.byName, x.byDescription, x.byHead} {
			p.own = append(p.own, find(p)...)
		}
	}
	return p.own
}

func (x *table) byFormat(p *place) []evidence {
	for _, f := range []string{p.node.Format, p.itemFormat()} {
		if n, ok := x.formats[f]; ok {
			return []evidence{{n, "format " + f}}
		}
	}
	return nil
}

// byEnum reads the values that a schema lists: verbs, or three in four of a kind.
func (x *table) byEnum(p *place) []evidence {
	values := enumeration(p.node)
	if len(values) == 0 || isBoolean(p.node) {
		return nil
	}
	verbal, counts := 0, make([]int, len(x.values))
	for _, v := range values {
		words := x.split(v)
		if len(words) == 0 {
			continue
		}
		state := false
		for i := range x.values {
			if x.values[i].words[words[0]] {
				counts[i]++
				state = state || x.values[i].concept != "audience"
			}
		}
		if c, ok := x.verbOfValue(v); ok && c.pos == 0 && !state {
			verbal++
		}
	}

	var out []evidence
	most := func(n int) bool { return n*4 >= len(values)*3 }
	if most(verbal) && len(values) > 1 {
		out = append(out, evidence{noun{operation, 78}, "its values are verbs"})
	}
	for i, n := range counts {
		if most(n) && n > 0 {
			out = append(out, evidence{x.values[i].noun, "its values say " + x.values[i].name})
		}
	}
	return append(out, evidence{noun{kind, 55}, "one of a few fixed values"})
}

// byNameAlone returns the concept that an argument's name gives.
func (t *tool) byNameAlone(p *place) concept {
	if p.named == "" {
		p.named = "nothing"
		if n, ok := t.table.readName(p.words); ok {
			p.named = n.concept
		}
	}
	return p.named
}

func (x *table) byName(p *place) []evidence {
	n, ok := x.readName(p.words)
	if !ok {
		return nil
	}
	lets := p.words[0] == "include" || p.words[0] == "exclude"
	if lets && len(p.words) > 1 && p.node.Items != nil && n.concept == look {
		n.concept = pattern // a list of what is let through, not of what is shown
	}
	return []evidence{{n, fmt.Sprintf("named %q", p.name)}}
}

// readName reads an argument's name: pairs of words that mean something of their own,
// words that lead or trail, and the last noun, the one that English puts the meaning
// in. One name is one piece of evidence: the heaviest part decides.
func (x *table) readName(words []string) (best noun, ok bool) {
	take := func(n noun) {
		if n.weight > best.weight {
			best = n
		}
	}
	for n := min(3, len(words)); n >= 2; n-- {
		for i := len(words) - n; i >= 0; i-- {
			if c, ok := x.pairs[strings.Join(words[i:i+n], " ")]; ok {
				take(noun{c.concept, c.weight + 4 - 6*(len(words)-n-i)})
			}
		}
	}
	if len(words) > 1 {
		take(x.readEnds(words))
	}
	take(x.readHead(words))
	return best, best.weight > 0
}

// readEnds reads the first and the last of several words.
func (x *table) readEnds(words []string) noun {
	first, end := words[0], last(words)
	n := x.leading[first]
	only := x.before[first]
	ofOther := only != nil && !slices.Contains(only, x.nouns[end].concept)
	sorts := first == "order" || first == "return" || first == "sort"
	isID := (sorts && x.has("handles", end)) || x.has("ids", end)
	if isID || ofOther {
		n = noun{} // the id of an order is not a way to sort, that of a show nothing to show
	}
	if m := x.trailing[end]; m.weight > n.weight {
		return m
	}
	return n
}

// readHead reads the last word that means something, without words like "id".
func (x *table) readHead(words []string) noun {
	handle := false
	for i, w := range slices.Backward(words) {
		if x.has("handles", w) && (i > 0 || len(words) == 1) {
			handle = true
			if len(words) > 1 {
				continue
			}
		}
		n, known := x.nouns[w]
		switch {
		case known && handle && i < len(words)-1:
			n = x.handleOf(w, n, last(words))
		case known:
			n.weight -= 8 * x.distance(words, i)
		case handle && !x.has("qualifiers", w) && !x.has("fillers", w):
			return x.handleOf(w, noun{}, last(words))
		default:
			continue
		}

		n.weight = max(n.weight, faint)
		return n
	}
	if handle {
		return noun{object, 40}
	}
	return noun{}
}

// handleOf returns what the id, key, number or name of a noun is about.
func (x *table) handleOf(w string, n noun, end string) noun {
	named := end == "name"

	switch n.concept {
	case path:
		if named {
			return noun{path, max(n.weight, fair)}
		}
		return noun{object, 74}
	case "person", "account", "place", "secret", "host":
		return noun{n.concept, max(n.weight, fair)}
	case "part", kind:
		return noun{n.concept, fair}
	case look:
		if x.has("looks", w) {
			return noun{look, fair}
		}
		return noun{object, 74} // "order_id" is not a sort order, "position_id" not a place on a screen
	case object:
		return noun{object, 74}
	case "":
		if named {
			return noun{object, 50}
		}
		return noun{object, fair}
	case "tagging":
		if named {
			return noun{n.concept, fair}
		}
	default:
		if end == "number" || end == "code" {
			return n
		}
	}
	return noun{object, fair}
}

// distance returns how many telling words come after word i.
func (x *table) distance(words []string, i int) int {
	d := 0
	for _, w := range words[i+1:] {
		if !x.has("handles", w) && !x.has("fillers", w) {
			d++
		}
	}
	return d
}

// How far a description is read for phrases. The first sentence or two say what an
// argument is; examples and warnings follow.
const (
	descriptionRead = 260
	asideFrom       = 90 // a phrase that begins further on is an aside
	lateFrom        = 45
)

func (x *table) byDescription(p *place) []evidence {
	d := strings.TrimSpace(fold(p.node.Description + " " + p.node.Title))
	if d == "" && p.element && len(p.parents) > 0 {
		d = parentOf(p).desc
	}
	d = d[:min(len(d), descriptionRead)]
	if d == "" {
		return nil
	}

	named := x.namesID(p) // which a path may stand in for, in the service's own tree
	var out []evidence
	for _, c := range x.cues {
		for _, ph := range c.phrases {
			i := strings.Index(d, ph)
			byID := named && (c.concept == path || (c.concept == "locator" && !contains(d, "or url")))
			if i < 0 || !contains(d, ph) || byID {
				continue
			}
			w := c.weight
			if i > asideFrom {
				w -= 22
			} else if i > lateFrom {
				w -= 8
			}
			out = append(out, evidence{noun{c.concept, w}, fmt.Sprintf("described as %q", ph)})
			break
		}
	}
	return out
}

// byHead reads the first noun phrase of the description.
func (x *table) byHead(p *place) []evidence {
	if w, ok := counted(p.desc); ok && isNumber(p.node) {
		return []evidence{{noun{quantity, 70}, fmt.Sprintf("described as a number of %s", w)}}
	}
	h := x.headOf(p.desc)
	if len(h.head) == 0 || len(h.head) > 4 || isForeign(last(h.head)) {
		return nil
	}
	n, ok := x.readName(h.head)
	if len(h.of) > 0 && x.has("handles", last(h.head)) && x.distance(h.head, -1) == 0 {
		n, ok = x.readName(append(slices.Clone(h.of), last(h.head)))
	}
	if isOther := n.concept == path || n.concept == "code"; !ok || (isOther && x.namesID(p)) {
		return nil // an id is no path and nothing that runs, whatever it identifies
	}

	n.weight = min(n.weight-6, 68)
	own, _ := x.readName(p.words)
	if n.concept == object && own.concept != object && len(h.of) > 0 && len(h.head) == 1 && h.head[0] == "id" {
		n.weight = 84 // "the ID of the price" is not a price
	}
	said := strings.Join(h.head, " ")
	if len(h.of) > 0 {
		said += " of " + strings.Join(h.of, " ")
	}
	return []evidence{{n, fmt.Sprintf("described as %q", said)}}
}

// isForeign reports whether a word is of another script, so that what stands before it ("URL 슬러그") says little.
func isForeign(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin) })
}

// namesID reports whether an argument's name says that it is an identifier.
func (x *table) namesID(p *place) bool {
	return slices.Contains([]string{"id", "uuid", "key"}, last(p.words))
}

// phrase is the head of a description: its first noun phrase, cut into what
// is named and what it belongs to ("ID of the channel" is id, of channel).
type phrase struct {
	head []string
	of   []string
}

// headOf finds the first noun phrase of a folded description.
func (x *table) headOf(desc string) phrase {
	s := strings.TrimSpace(desc)
	for again := true; again; {
		again = false
		for _, l := range x.phrases["leads"] {
			if rest, ok := strings.CutPrefix(s, l); ok && (rest == "" || rest[0] == ' ') {
				s, again = strings.TrimSpace(rest), true
			}
		}
	}
	if i := strings.IndexAny(s, ".,;:(\n"); i >= 0 {
		s = s[:i]
	}

	var p phrase
	if x.orders(s) {
		return p
	}
	into := &p.head
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, "'\"`")
		switch {
		case x.has("links", w) && into == &p.of, x.has("clauses", w):
			return p
		case x.has("links", w):
			into = &p.of
			continue
		case x.has("articles", w):
			continue
		}
		*into = append(*into, x.split(w)...)
		if len(*into) > 4 {
			return p
		}
	}
	return p
}

// orders reports whether a description begins with what to do to something, as in
// "Filter the tests by result", and so names nothing.
func (x *table) orders(desc string) bool {
	f := strings.Fields(desc)
	if len(f) < 3 || !x.has("articles", f[1]) {
		return false
	}
	_, _, ok := x.verbOf(f[0])
	return ok
}

// counted reads "number of keys" in a description: several things, so that
// the number counts them and doesn't name one.
func counted(desc string) (string, bool) {
	_, rest, ok := strings.Cut(desc, "number of ")
	if !ok {
		return "", false
	}
	for i, w := range strings.Fields(rest) {
		w = strings.Trim(w, ".,;:()")
		if i < 3 && len(w) > 3 && singular(w) != w {
			return w, true
		}
	}
	return "", false
}

// exampleOfPath reports whether a description quotes something that looks like
// a path in a file system.
func exampleOfPath(description string) bool {
	return slices.ContainsFunc(quoted(description), func(q string) bool {
		return slices.ContainsFunc([]string{"/", "~/", "./", "../", `C:\`}, func(root string) bool {
			rest, ok := strings.CutPrefix(q, root)
			return ok && rest != "" && !strings.ContainsAny(rest, " \t")
		})
	})
}
