package strictyaml

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Parse returns the root of a text that [Read] accepted, for edits by place.
func Parse(data []byte) (*Node, error) {
	var doc Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return doc.Content[0], nil
	}
	return &doc, nil
}

// Member returns a member of a mapping, nil where there is none.
func Member(n *Node, name string) (key, value *Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Offset returns the byte at which a node begins in the text that it was read
// from, false when that is not in the text.
func Offset(data []byte, n *Node) (int, bool) {
	at := 0
	for range n.Line - 1 {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	for range n.Column - 1 { // in characters
		if at >= len(data) {
			return 0, false
		}
		_, size := utf8.DecodeRune(data[at:])
		at += size
	}
	return at, at < len(data)
}
