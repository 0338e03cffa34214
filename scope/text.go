package scope

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
)

// maxText bounds the text of a result that is read as a document.
const maxText = 1 << 20

// textDocument reads the text of a result as fields where that is sound: the whole
// text is one JSON document, or one YAML document that a serializer has written. In a
// template that pastes values between names, the text of an outsider could forge a
// field. A serializer shows by the quotes around what the service itself wrote, in every
// record: an outsider can bring quotes, but not into the id of another's record.
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
	if node.Kind == yaml.ScalarNode || !w.write(node) || !serialized(node, allQuoted(node)) {
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
	out  bytes.Buffer
	left int
}

// byService are words of the members that a service writes itself: ids and moments.
var byService = strings.Fields("id ids uuid key code number no version date day time timestamp created updated modified start end due at")

// serialized reports whether a mapping shows by a member of the service's own that it was
// serialized, or every element of a list does.
func serialized(n *yaml.Node, all bool) bool {
	if n.Kind == yaml.SequenceNode {
		return len(n.Content) > 0 && !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return !serialized(e, all) })
	}
	if n.Kind != yaml.MappingNode {
		return false
	}

	lists := 0
	shown := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := words(n.Content[i].Value), n.Content[i+1]
		own := slices.ContainsFunc(name, func(w string) bool { return slices.Contains(byService, w) })
		if own && quoted(value) && (all || needsQuotes(value.Value)) {
			return true
		}
		if value.Kind == yaml.SequenceNode {
			lists++
			shown = shown && serialized(value, all)
		}
	}
	return lists > 0 && lists == len(n.Content)/2 && shown // an object around lists of records
}

// allQuoted reports whether every text in a document is quoted, as some serializers do.
func allQuoted(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return quoted(n) || n.Tag != "!!str"
	}
	for i, e := range n.Content {
		name := n.Kind == yaml.MappingNode && i%2 == 0
		if !name && !allQuoted(e) {
			return false
		}
	}
	return true
}

// quoted reports whether a scalar is written in quotes or as a block.
func quoted(n *yaml.Node) bool {
	const styles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Style&styles != 0
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
	if quoted(n) {
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
