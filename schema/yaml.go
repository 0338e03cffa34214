package schema

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readYAML parses a YAML document as JSON. It follows aliases and counts their
// targets again, so that a document that expands without end reaches the limit of
// values.
func readYAML(data []byte) (*value, error) {
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, fmt.Errorf("not readable as YAML or JSON: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var y yamlReader
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return y.value(doc.Content[0], 0)
	}
	return y.value(&doc, 0)
}

type yamlReader struct{ values int }

func fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %s", n.Line, n.Column, fmt.Sprintf(format, args...))
}

func (y *yamlReader) value(n *yaml.Node, depth int) (*value, error) {
	if depth > maxNesting {
		return nil, fault(n, "nested more than %d levels deep", maxNesting)
	}
	if y.values++; y.values > maxValues {
		return nil, fault(n, "more than %d values, aliases followed", maxValues)
	}

	switch n.Kind {
	case yaml.AliasNode:
		return y.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		v := &value{kind: kindArray}
		for _, e := range n.Content {
			x, err := y.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			v.elems = append(v.elems, x)
		}
		return v, nil
	case yaml.MappingNode:
		return y.mapping(n, depth)
	case yaml.ScalarNode:
		return scalar(n), nil
	}
	return nil, fault(n, "a value is expected here")
}

func (y *yamlReader) mapping(n *yaml.Node, depth int) (*value, error) {
	v := &value{kind: kindObject}
	seen := make(map[string]struct{}, len(n.Content)/2)

	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, fault(key, "a key must be plain text")
		}

		if key.ShortTag() == "!!merge" {
			return nil, fault(key, "merge keys (<<) are not supported; write the members out")
		}
		if _, dup := seen[key.Value]; dup {
			return nil, fault(key, "key %q stands twice in one mapping", clip(key.Value))
		}
		seen[key.Value] = struct{}{}

		x, err := y.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, member{key.Value, x})
	}
	return v, nil
}

// scalar converts a YAML scalar to JSON. A value without a JSON type, such as a
// date, is text.
func scalar(n *yaml.Node) *value {
	switch n.ShortTag() {
	case "!!null":
		return &value{kind: kindNull, text: "null"}
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			if b {
				return &value{kind: kindBool, text: "true"}
			}
			return &value{kind: kindBool, text: "false"}
		}
	case "!!int", "!!float":
		if validNumber(n.Value) {
			return &value{kind: kindNumber, text: n.Value}
		}
		var i int64
		if n.Decode(&i) == nil {
			return &value{kind: kindNumber, text: fmt.Sprint(i)}
		}
	}

	return stringValue(n.Value)
}
