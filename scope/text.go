package scope

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
)

// maxText bounds the text of a result that is read as a document.
const maxText = 1 << 20

// textDocument reads the text of a result as fields where that is sound: the whole
// text is one JSON document, or one YAML document that a serializer has written. In a
// template that pastes values between names, the text of an outsider could forge a
// field; a serializer shows by quoting what a plain scalar could not hold.
func textDocument(text string) *strictjson.Document {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || len(trimmed) > maxText {
		return nil
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		doc, err := strictjson.Parse([]byte(trimmed), strictjson.OutputLimits())
		if err != nil {
			return nil
		}
		return doc
	}
	return yamlDocument(trimmed)
}

func yamlDocument(text string) *strictjson.Document {
	if !strings.Contains(text, ": ") && !strings.HasPrefix(text, "- ") {
		return nil
	}
	var root yaml.Node
	d := yaml.NewDecoder(strings.NewReader(text))
	if d.Decode(&root) != nil || len(root.Content) != 1 {
		return nil
	}
	if d.Decode(&yaml.Node{}) == nil {
		return nil // several documents
	}

	w := yamlWriter{left: maxFields}
	node := root.Content[0]
	if node.Kind == yaml.ScalarNode || !w.write(node) || !w.quoted {
		return nil
	}
	doc, err := strictjson.Parse(w.out.Bytes(), strictjson.OutputLimits())
	if err != nil {
		return nil
	}
	return doc
}

// yamlWriter writes a YAML document as JSON, as long as a serializer may have
// written it.
type yamlWriter struct {
	out    bytes.Buffer
	left   int
	quoted bool // a scalar is quoted that needs it
}

// write writes a node. It reports false for what serializers of plain data don't
// write: anchors, aliases, tags, comments, scalars that are quoted without need.
func (w *yamlWriter) write(n *yaml.Node) bool {
	w.left--
	commented := n.HeadComment != "" || n.LineComment != "" || n.FootComment != ""
	if w.left < 0 || n.Anchor != "" || commented {
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		return w.mapping(n)
	case yaml.SequenceNode:
		return w.sequence(n)
	case yaml.ScalarNode:
		return w.scalar(n)
	}
	return false
}

func (w *yamlWriter) mapping(n *yaml.Node) bool {
	w.out.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			w.out.WriteByte(',')
		}
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || strings.ContainsAny(key.Value, "\n\r") {
			return false
		}
		w.text(key.Value)
		w.out.WriteByte(':')
		if !w.write(n.Content[i+1]) {
			return false
		}
	}
	w.out.WriteByte('}')
	return true
}

func (w *yamlWriter) sequence(n *yaml.Node) bool {
	w.out.WriteByte('[')
	for i, e := range n.Content {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if !w.write(e) {
			return false
		}
	}
	w.out.WriteByte(']')
	return true
}

func (w *yamlWriter) scalar(n *yaml.Node) bool {
	plain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if !plain {
		w.quoted = w.quoted || needsQuotes(n.Value)
		w.text(n.Value)
		return true
	}

	switch n.Tag {
	case "!!int", "!!float":
		if _, ok := number(n.Value); ok && json.Valid([]byte(n.Value)) {
			w.out.WriteString(n.Value)
			return true
		}
	case "!!bool":
		w.out.WriteString(strings.ToLower(n.Value))
		return n.Value == "true" || n.Value == "false"
	case "!!null":
		w.out.WriteString("null")
		return true
	}
	w.text(n.Value)
	return true
}

func (w *yamlWriter) text(s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		quoted = []byte(`""`)
	}
	w.out.Write(quoted)
}

// needsQuotes reports whether a text would be read as something else without quotes.
func needsQuotes(s string) bool {
	var n yaml.Node
	if yaml.Unmarshal([]byte(s), &n) != nil || len(n.Content) != 1 {
		return true
	}
	c := n.Content[0]
	return c.Kind != yaml.ScalarNode || c.Tag != "!!str" || c.Value != s
}
