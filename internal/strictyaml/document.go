package strictyaml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Document is a file that a program edits. What it doesn't touch stays as people wrote it:
// comments, order, and the way in which texts are written, except for where folded lines break.
type Document struct {
	// Name appears in errors and positions.
	Name string
	// Root is the mapping that the file is.
	Root *Node
}

// Open parses a file that its own reader accepted, to be edited.
func Open(name string, data []byte) (*Document, error) {
	var doc Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root := &doc
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		root = doc.Content[0]
		root.HeadComment = joined(doc.HeadComment, root.HeadComment)
		root.FootComment = joined(root.FootComment, doc.FootComment)
	}
	return &Document{name, root}, nil
}

func joined(a, b string) string { return strings.TrimSpace(a + "\n\n" + b) }

// Marshal writes the document.
func (d *Document) Marshal() ([]byte, error) {
	data, err := Dump(d.Root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return data, nil
}

// Copy returns a document of its own that is the same.
func (d *Document) Copy() *Document { return &Document{d.Name, copyOf(d.Root)} }

// Dump writes a node.
func Dump(n *Node) ([]byte, error) {
	// Writing takes away what plain texts were read as, so that a copy is written.
	return yaml.Dump(copyOf(n), yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
}

func copyOf(n *Node) *Node {
	c := *n
	c.Content = make([]*Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyOf(child)
	}
	return &c
}

// Entry returns the entry of a list that has a value of a key; nil where there
// is none.
func (d *Document) Entry(list, key, value string) *Node {
	_, entries := Member(d.Root, list)
	if entries == nil {
		return nil
	}
	for _, n := range entries.Content {
		if _, had := Member(n, key); had != nil && had.Value == value {
			return n
		}
	}
	return nil
}

// Put adds an entry to the end of a list, or changes the one that has its value
// of a key. Of that, only the members are touched whose values differ.
func (d *Document) Put(list, key string, entry *Node) {
	_, value := Member(entry, key)
	if old := d.Entry(list, key, value.Value); old != nil {
		merge(old, entry)
		return
	}
	_, entries := Member(d.Root, list)
	if entries == nil {
		entries = NewList()
		Set(d.Root, list, entries)
	}
	if entries.Kind != yaml.SequenceNode { // nothing was written
		entries.Kind, entries.Tag, entries.Value = yaml.SequenceNode, "", ""
	}
	entries.Style &^= yaml.FlowStyle // [] has entries from now on
	entries.Content = append(entries.Content, entry)
}

// Remove takes the entry with a value of a key out of a list; false when there
// is none.
func (d *Document) Remove(list, key, value string) bool {
	old := d.Entry(list, key, value)
	if old == nil {
		return false
	}
	_, entries := Member(d.Root, list)
	entries.Content = slices.DeleteFunc(entries.Content, func(n *Node) bool { return n == old })
	return true
}

// Replace makes the document say what a root says, and leaves alone what says so
// already.
func (d *Document) Replace(root *Node) { merge(d.Root, root) }

// merge makes a mapping say what another does, and leaves alone what says so
// already.
func merge(old, fresh *Node) {
	var kept []*Node
	for i := 0; i+1 < len(old.Content); i += 2 {
		k, v := old.Content[i], old.Content[i+1]
		_, now := Member(fresh, k.Value)
		if now == nil {
			continue
		}
		if !alike(v, now) {
			mergeList(v, now)
			now.HeadComment, now.LineComment, now.FootComment = v.HeadComment, v.LineComment, v.FootComment
			v = now
		}
		kept = append(kept, k, v)
	}

	// What is new comes after what it would be after in a new file.
	at := 0
	for i := 0; i+1 < len(fresh.Content); i += 2 {
		k, v := fresh.Content[i], fresh.Content[i+1]
		if _, had := Member(old, k.Value); had == nil {
			kept = slices.Insert(kept, at, k, v)
			at += 2
		} else {
			was := 0
			for kept[was].Value != k.Value {
				was += 2
			}
			at = max(at, was+2)
		}
	}

	old.Content = kept
}

// mergeList takes the entries of an old list over into a fresh one where they mean the same: they
// say the same, or begin with the same member, such as a name.
func mergeList(old, fresh *Node) {
	if old.Kind != yaml.SequenceNode || fresh.Kind != yaml.SequenceNode {
		return
	}

	// Of entries that say the same, the first comes first.
	whole, begun := map[string][]*Node{}, map[string][]*Node{}
	for _, n := range old.Content {
		whole[Meaning(n)] = append(whole[Meaning(n)], n)
	}
	taken := map[*Node]bool{}
	take := func(from map[string][]*Node, key string) *Node {
		for len(from[key]) > 0 {
			n := from[key][0]
			from[key] = from[key][1:]
			if !taken[n] {
				taken[n] = true
				return n
			}
		}
		return nil
	}

	var changed []int
	keys := map[string]bool{} // by which the old entries were looked through
	for i, now := range fresh.Content {
		if had := take(whole, Meaning(now)); had != nil {
			fresh.Content[i] = had
		} else if now.Kind == yaml.MappingNode && len(now.Content) > 0 {
			changed = append(changed, i)
		}
	}

	for _, i := range changed {
		now := fresh.Content[i]
		key := now.Content[0].Value
		if !keys[key] {
			keys[key] = true
			for _, n := range old.Content {
				if _, v := Member(n, key); v != nil {
					begun[key+" "+Meaning(v)] = append(begun[key+" "+Meaning(v)], n)
				}
			}
		}

		if had := take(begun, key+" "+Meaning(now.Content[1])); had != nil {
			merge(had, now)
			fresh.Content[i] = had
		}
	}
}

// alike reports whether two nodes say the same, however they are written.
func alike(a, b *Node) bool { return Meaning(a) == Meaning(b) }

// Meaning returns the same for nodes that say the same, however they are written.
func Meaning(n *Node) string {
	if n.Kind == yaml.ScalarNode {
		text := strconv.Quote(strings.TrimSpace(n.Value))
		if n.ShortTag() != "!!str" {
			return "plain " + text
		}
		return text
	}

	parts := make([]string, 0, len(n.Content))
	if n.Kind != yaml.MappingNode {
		for _, entry := range n.Content {
			parts = append(parts, Meaning(entry))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}

	for i := 0; i+1 < len(n.Content); i += 2 {
		parts = append(parts, strconv.Quote(n.Content[i].Value)+":"+Meaning(n.Content[i+1]))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// NewMapping makes a mapping without members.
func NewMapping() *Node { return &Node{Kind: yaml.MappingNode} }

// NewList makes a list of entries.
func NewList(entries ...*Node) *Node { return &Node{Kind: yaml.SequenceNode, Content: entries} }

// NewText makes a text; one of several lines becomes a block.
func NewText(text string) *Node {
	n := &Node{}
	n.SetString(text)
	return n
}

// NewTexts makes a list of texts.
func NewTexts(texts []string) *Node {
	list := NewList()
	for _, t := range texts {
		list.Content = append(list.Content, NewText(t))
	}
	return list
}

// Set adds a member to a mapping that has none of the name.
func Set(mapping *Node, name string, value *Node) {
	mapping.Content = append(mapping.Content, NewText(name), value)
}
