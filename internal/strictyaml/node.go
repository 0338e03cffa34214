package strictyaml

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"
)

// Keys are what may be written in a mapping, each with what reads its value.
type Keys map[string]func(value *Node)

// Mapping reads a mapping with known keys and returns the values that it had.
// An empty one has none. What names the mapping in messages.
func (r *Reader) Mapping(n *Node, what string, known Keys) map[string]*Node {
	had := make(map[string]*Node, len(known))
	r.Entries(n, what, func(name string, k, v *Node) {
		readValue, ok := known[name]
		if !ok {
			r.Fail(k, DidYouMean(name, slices.Sorted(maps.Keys(known))), "%s has no key %q", what, Clip(name))
			return
		}
		had[name] = v
		readValue(v)
	})
	return had
}

// Entries reads a mapping with free keys. Keys that appear twice are mistakes.
func (r *Reader) Entries(n *Node, what string, read func(name string, k, v *Node)) {
	if Null(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "write 'key: value' lines", "%s must be a mapping, not %s", what, kindOf(n))
		return
	}

	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !Scalar(k) {
			r.Fail(k, "write plain or quoted text before the colon", "a key of %s must be text, not %s", what, kindOf(k))
			continue
		}
		if k.ShortTag() == "!!merge" {
			r.Fail(k, "write the members out", "merge keys are not supported")
			continue
		}

		if line, dup := first[k.Value]; dup {
			r.Fail(k, fmt.Sprintf("remove one; the first is in line %d", line), "%q stands twice in %s", Clip(k.Value), what)
			continue
		}
		first[k.Value] = k.Line
		if !r.alias(v) {
			read(k.Value, k, v)
		}
	}
}

// List reads a list; an empty one has no members.
func (r *Reader) List(n *Node, what string, read func(*Node)) {
	switch {
	case Null(n):
		return
	case n.Kind == yaml.ScalarNode:
		r.Fail(n, fmt.Sprintf("write [%s]", Clip(n.Value)), "%s must be a list", what)
		return
	case n.Kind != yaml.SequenceNode:
		r.Fail(n, "write [one, two]", "%s must be a list, not %s", what, kindOf(n))
		return
	case len(n.Content) > r.list:
		r.Fail(n, "shorten it", "%s has more than %d members", what, r.list)
		return
	}
	for _, e := range n.Content {
		if !r.alias(e) {
			read(e)
		}
	}
}

// alias records the mistake of an alias.
func (r *Reader) alias(n *Node) bool {
	if n.Kind != yaml.AliasNode {
		return false
	}
	r.Fail(n, "write the value out", "aliases are not supported")
	return true
}

// Null reports whether a node is empty.
func Null(n *Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// Scalar reports whether a node is text.
func Scalar(n *Node) bool { return n.Kind == yaml.ScalarNode && !Null(n) }

// IsMapping reports whether a node is a mapping, or empty, which may be one without members.
func IsMapping(n *Node) bool { return n.Kind == yaml.MappingNode || Null(n) }

// kindOf names what a node is, for messages.
func kindOf(n *Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if Null(n) {
		return "empty"
	}
	return "text"
}

// Text reads a scalar.
func (r *Reader) Text(what string, into *string) func(*Node) {
	return func(n *Node) {
		if !Scalar(n) {
			r.Fail(n, "write text, in quotes if need be", "%s must be text, not %s", what, kindOf(n))
			return
		}
		*into = n.Value
	}
}

// Texts reads a list of texts.
func (r *Reader) Texts(what string, into *[]string) func(*Node) {
	return func(n *Node) {
		r.List(n, what, func(e *Node) {
			var s string
			r.Text("a member of "+what, &s)(e)
			*into = append(*into, s)
		})
	}
}

// Boolean reads true or false.
func (r *Reader) Boolean(what string, into *bool) func(*Node) {
	return func(n *Node) {
		is := n.Value == "true" || n.Value == "false"
		if n.Kind != yaml.ScalarNode || !is {
			r.Fail(n, "write true or false", "%s must be true or false", what)
			return
		}
		*into = n.Value == "true"
	}
}

// Word reads one of a few words.
func (r *Reader) Word(what string, known []string, into encoding.TextUnmarshaler) func(*Node) {
	return func(n *Node) {
		if !Scalar(n) {
			r.Fail(n, "write "+Listing(known, " or "), "%s must be one word, not %s", what, kindOf(n))
			return
		}
		if into.UnmarshalText([]byte(n.Value)) != nil {
			r.Fail(n, DidYouMean(n.Value, known), "unknown %s %q", what, Clip(n.Value))
		}
	}
}

// Number reads a whole number within bounds.
func (r *Reader) Number(what string, least, most int, into *int) func(*Node) {
	return func(n *Node) {
		v, err := strconv.Atoi(n.Value)
		if !Scalar(n) || err != nil || v < least || v > most {
			r.Fail(n, fmt.Sprintf("write a number from %d to %d", least, most), "%s is out of bounds", what)
			return
		}
		*into = v
	}
}

// Duration reads a time that is more than nothing.
func (r *Reader) Duration(what string, into *time.Duration) func(*Node) {
	return func(n *Node) {
		d, err := time.ParseDuration(n.Value)
		if !Scalar(n) || err != nil || d <= 0 {
			r.Fail(n, "write it as 30s, 5m or 1h", "%s must be a time", what)
			return
		}
		*into = d
	}
}
