package synth

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/schema"
)

// place is one position in a tool's input that can have a value: a leaf, or a list or object that
// holds some.
type place struct {
	pattern  string
	name     string
	words    []string
	required bool
	node     *schema.Node
	parents  []*place
	// element is set for a list's elements, which share the list's name.
	element bool
	// opaque objects take members that the schema doesn't describe.
	opaque bool
	// depth counts list and object steps.
	depth int

	desc string // folded description

	// What was found out about the place: the evidence that needs no look at the tool,
	// the concept that its name gives, and the best evidence at a version of the tool.
	own    []evidence
	named  concept
	best   evidence
	isRead bool
	readAt int
}

// places lists every position in a tool's input, containers before members,
// in the schema's own order.
func (x *table) places(t *schema.Tool) []*place {
	var out []*place
	at := map[string]*place{}
	leaves := t.Places()
	around := x.envelopes(leaves)

	for _, l := range leaves {
		p := &place{pattern: l.Pattern, name: l.Name, words: x.withoutTurn(x.split(l.Name)), desc: fold(l.Node.Description), required: l.Required, node: l.Node, depth: 1}
		if len(p.words) == 0 {
			p.words = []string{"unnamed"} // rules may look at a word
		}
		i := strings.LastIndexByte(l.Pattern, '/')
		p.element = l.Pattern[i+1:] == "*"
		if up, ok := at[l.Pattern[:i]]; ok {
			p.parents, p.depth = up.parents, up.depth
			if !around[up.pattern] {
				p.parents = append(slices.Clone(up.parents), up)
				p.depth++
			}
		}
		p.opaque = isOpaque(p.node)
		at[p.pattern] = p
		out = append(out, p)
	}
	return out
}

// withoutTurn takes the letter or number off that tells one id from another of its kind ("user_id_a").
func (x *table) withoutTurn(words []string) []string {
	n := len(words) - 1
	if n > 0 && x.has("ids", words[n-1]) && (len(words[n]) == 1 || strings.Trim(words[n], "0123456789") == "") {
		return words[:n]
	}
	return words
}

// envelopes returns the patterns of arguments that only hold others: the one argument that a tool
// has, such as "params" or the record that is written, and the parts of an HTTP request. What they
// hold is read as if the tool took it directly.
func (x *table) envelopes(leaves []schema.Leaf) map[string]bool {
	var first []schema.Leaf
	isRequest := false
	for _, l := range leaves {
		if strings.Count(l.Pattern, "/") == 1 {
			first = append(first, l)
			isRequest = isRequest || (requestParts[fold(l.Name)] && len(l.Node.Properties) > 0)
		}
	}

	out := map[string]bool{}
	for _, l := range first {
		named, _ := x.readName(x.split(l.Name))
		plain := slices.Contains([]concept{"", "data", object}, named.concept) || requestBodies[fold(l.Name)]
		alone := len(first) == 1 && plain
		part := isRequest && (requestParts[fold(l.Name)] || requestBodies[fold(l.Name)])
		if len(l.Node.Properties) > 0 && (alone || part) {
			out[l.Pattern] = true
		}
	}
	return out
}

// requestParts are arguments, as records, that show that a tool takes an HTTP request in its
// parts, and requestBodies those that hold the rest of it then.
var (
	requestParts  = map[string]bool{"path": true, "params": true, "pathparams": true, "path_params": true, "query_params": true, "queryparams": true, "requestbody": true, "request_body": true}
	requestBodies = map[string]bool{"body": true, "data": true, "query": true}
)

// isOpaque reports whether values below a node can't be named by patterns: an
// object without listed members, a list whose elements aren't described, or
// a node that accepts anything.
func isOpaque(n *schema.Node) bool {
	if len(n.Alternatives) > 0 && len(n.Types) == 0 {
		return slices.ContainsFunc(n.Alternatives, isOpaque)
	}
	switch {
	case n.Cut:
		return true
	case len(n.Types) == 0:
		return len(n.Properties) == 0 && n.Items == nil && len(n.Enum) == 0
	case slices.Contains(n.Types, "object"):
		return (n.Additional == nil || isOpaque(n.Additional)) && len(n.Properties) == 0
	case slices.Contains(n.Types, "array"):
		return n.Items == nil
	}
	return false
}

func parentOf(p *place) *place {
	if len(p.parents) == 0 {
		return nil
	}
	return p.parents[len(p.parents)-1]
}

// itemFormat returns the format of a list's elements.
func (p *place) itemFormat() string {
	if p.node.Items == nil {
		return ""
	}
	return p.node.Items.Format
}

// types returns the JSON types that a node or its alternatives accept.
func types(n *schema.Node) []string {
	out := slices.Clone(n.Types)
	for _, a := range n.Alternatives {
		for _, t := range types(a) {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// enumeration returns a node's own enumeration, or that of its list elements, as plain strings.
func enumeration(n *schema.Node) []string {
	var out []string
	for _, e := range n.Enum {
		out = append(out, plain(e))
	}
	if len(out) == 0 && n.Items != nil {
		return enumeration(n.Items)
	}
	if len(out) == 0 {
		for _, a := range n.Alternatives {
			out = append(out, enumeration(a)...)
		}
	}
	return out
}

// plain takes the quotes off a JSON string; other JSON stays as it is.
func plain(text string) string {
	if len(text) >= 2 && text[0] == '"' && !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	return text
}

// escape writes a member name as a segment of a pattern.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "*", "~2").Replace(name)
}

// described returns the members that an opaque object's description speaks of, by quoting their
// names: `must have a field "file_id"`.
func (x *table) described(p *place) []*place {
	if !p.opaque || !isRecord(p.node) {
		return nil
	}
	text := p.node.Description
	if text == "" && p.element {
		text = parentOf(p).node.Description
	}
	var out []*place

	parts := atQuotes(text)
	for i := 1; i < len(parts) && len(out) < maxDescribed; i++ {
		name, before := parts[i], parts[i-1]
		isName := isIdentifier(name) && (name[0] < 'A' || name[0] > 'Z')
		if !isName || !strings.HasSuffix(before, " ") || strings.TrimSpace(before) == "" {
			continue // running text, or a value that follows its field
		}
		if slices.ContainsFunc(out, func(q *place) bool { return q.name == name }) {
			continue
		}
		words := x.split(name)
		if _, ok := x.readName(words); len(words) == 0 || !ok {
			continue
		}
		out = append(out, &place{
			pattern: p.pattern + "/" + escape(name), name: name, words: words, node: &schema.Node{},
			parents: append(slices.Clone(p.parents), p), depth: p.depth + 1,
		})
	}
	return out
}

// maxDescribed bounds how many members are taken from one description.
const maxDescribed = 20

func isIdentifier(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return strings.Trim(s, letters+"0123456789") == "" && strings.IndexByte(letters, s[0]) >= 0
}
