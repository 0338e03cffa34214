package serialized

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
)

// yamlDocument is a YAML document of plain data.
type yamlDocument struct {
	root *yaml.Node
}

// disputed are the characters that end a line in one version of YAML and not in another: a
// serializer of the one writes them into a value, where a parser of the other goes on with the
// next field.
const disputed = "\r\u0085\u2028\u2029\ufeff"

// readYAML reads a text that is one YAML document, if it passes a check; nil for none.
func readYAML(text string, check func(*yamlDocument) bool) *strictjson.Document {
	mapping := strings.Contains(text, ": ") || strings.Contains(text, ":\n")
	if !mapping && !strings.HasPrefix(text, "- ") {
		return nil
	}
	if strings.ContainsAny(text, disputed) || nests(text) {
		return nil
	}
	var document yaml.Node
	d := yaml.NewDecoder(strings.NewReader(text))
	if d.Decode(&document) != nil || len(document.Content) != 1 {
		return nil
	}
	if d.Decode(&yaml.Node{}) == nil {
		return nil // several documents
	}

	root := document.Content[0]
	if root.Kind == yaml.ScalarNode || !isPlainData(&document) {
		return nil
	}
	w := newWriter()
	w.yaml(root, 0)
	doc := w.document()
	if doc == nil || (check != nil && !check(&yamlDocument{root})) {
		return nil
	}
	return doc
}

// nests reports whether a text may nest deeper than is read, before a parser has to
// find out: by its indentation, by its brackets, or by dashes in one line.
func nests(text string) bool {
	brackets := strings.Count(text, "[") + strings.Count(text, "{")
	if brackets <= maxDepth && !strings.Contains(text, strings.Repeat("- ", maxDepth)) {
		return false
	}
	deepest, depth := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest > maxDepth || strings.Contains(text, strings.Repeat("- ", maxDepth))
}

// yaml writes a node. What serializers of plain data don't write is refused: anchors,
// aliases, tags, comments, names that are not scalars.
func (w *writer) yaml(n *yaml.Node, depth int) {
	if !isPlainData(n) || depth > maxDepth || w.left < 0 {
		w.wrong = true
		return
	}

	switch n.Kind {
	case yaml.MappingNode:
		w.raw("{")
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				w.raw(",")
			}
			key := n.Content[i]
			oneLine := key.Kind == yaml.ScalarNode && !strings.ContainsAny(key.Value, "\n\r")
			if !oneLine || key.Tag == "!!merge" || !isPlainData(key) {
				w.wrong = true
				return
			}
			w.text(key.Value)
			w.raw(":")
			w.yaml(n.Content[i+1], depth+1)
		}
		w.raw("}")
	case yaml.SequenceNode:
		w.raw("[")
		for i, e := range n.Content {
			if i > 0 {
				w.raw(",")
			}
			w.yaml(e, depth+1)
		}
		w.raw("]")
	case yaml.ScalarNode:
		w.yamlScalar(n)
	default:
		w.wrong = true
	}
	w.value()
}

// isPlainData reports whether a node has nothing that serializers of plain data don't write:
// no comment, anchor or tag.
func isPlainData(n *yaml.Node) bool {
	return n.HeadComment+n.LineComment+n.FootComment+n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

func (w *writer) yamlScalar(n *yaml.Node) {
	if isQuoted(n) {
		w.text(n.Value)
		return
	}
	switch n.Tag {
	case "!!int", "!!float":
		w.scalar(n.Value)
	case "!!bool":
		w.raw(strings.ToLower(n.Value))
	case "!!null":
		w.raw("null")
	default:
		w.text(n.Value)
	}
}

// isQuoted reports whether a scalar is written in a style that can hold anything.
func isQuoted(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// The proof. A template that pastes values between names lets the author of one value write the
// fields after it, quotes included. The author of a value can't write what comes before it, nor
// what the template itself writes after it. So the text shows that a serializer wrote it where
//
//   - its first value is the service's own and is in quotes only since it would be
//     read as a number, a date or nothing without them: no template writes that, and no
//     stranger wrote before it; or
//   - every record has such a value of the service's own, all records have the same
//     members of the same types, and the members are sorted by name, as serializers of
//     dictionaries do and templates don't. What a stranger adds to one record is missing in
//     the others, appears twice, or breaks the order or the types.

// proves reports whether the text itself shows that a serializer wrote it.
func (d *yamlDocument) proves(trust Trust) bool {
	if quotesWithoutNeed(d.root) {
		return false // as a template with quotes of its own does
	}
	pointer, first := firstScalar(d.root)
	if first != nil && needsQuotes(first) && trust.Owns(pointer) {
		return true
	}

	base, records := d.records()
	if len(records) == 0 || !isSorted(d.root) {
		return false
	}
	kinds := map[string]string{}
	for i, r := range records {
		at := base + "/" + strconv.Itoa(i)
		if r == d.root {
			at = ""
		}
		if len(r.Content) != len(records[0].Content) || len(r.Content) < 2*minMembers || !shows(r, at, trust) {
			return false
		}
		if !sameMembers(r, records[0], kinds) {
			return false
		}
	}
	return true
}

// minMembers is how many members a record has at least, so that their order tells
// something: three stand sorted by chance in one template of six, four in one of
// twenty-four.
const minMembers = 4

// records returns the records of a document with the pointer of their list: the elements
// of its outermost list, or of the only list of objects in its outermost object, or else
// that object.
func (d *yamlDocument) records() (base string, out []*yaml.Node) {
	list := d.root
	if d.root.Kind == yaml.MappingNode {
		list = nil
		for i := 1; i < len(d.root.Content); i += 2 {
			if n := d.root.Content[i]; isRecordList(n) {
				if list != nil {
					return "", nil // several lists of records
				}
				list, base = n, "/"+escape(d.root.Content[i-1].Value)
			}
		}
		if list == nil {
			return "", []*yaml.Node{d.root}
		}
	}

	if !isRecordList(list) {
		return "", nil
	}
	return base, list.Content
}

func isRecordList(n *yaml.Node) bool {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return false
	}
	for _, e := range n.Content {
		if e.Kind != yaml.MappingNode {
			return false
		}
	}
	return true
}

// shows reports whether a record has a value of the service's own that is quoted only for its
// type.
func shows(record *yaml.Node, at string, trust Trust) bool {
	for i := 0; i+1 < len(record.Content); i += 2 {
		if needsQuotes(record.Content[i+1]) && trust.Owns(at+"/"+escape(record.Content[i].Value)) {
			return true
		}
	}
	return false
}

// sameMembers reports whether a record has the members of the first one, each of the
// same type wherever it is not null or empty.
func sameMembers(record, first *yaml.Node, kinds map[string]string) bool {
	for i := 0; i+1 < len(record.Content); i += 2 {
		name := record.Content[i].Value
		if name != first.Content[i].Value {
			return false
		}
		kind := kindOf(record.Content[i+1])
		if kind == "" {
			continue
		}
		if known := kinds[name]; known != "" && known != kind {
			return false
		}
		kinds[name] = kind
	}
	return true
}

// kindOf returns the type of a value; empty for one that any type may have.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode && len(n.Content) == 0:
		return ""
	case n.Kind == yaml.MappingNode:
		return "object"
	case n.Kind == yaml.SequenceNode:
		return "array"
	case isQuoted(n):
		return "!!str"
	case n.Tag == "!!null":
		return ""
	case n.Tag == "!!float":
		return "!!int"
	}
	return n.Tag
}

// isSorted reports whether the members of all objects are sorted by name.
func isSorted(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode {
		for i := 2; i+1 < len(n.Content); i += 2 {
			if n.Content[i-2].Value >= n.Content[i].Value {
				return false
			}
		}
	}
	for _, e := range n.Content {
		if !isSorted(e) {
			return false
		}
	}
	return true
}

// firstScalar returns the first value of a document with its pointer.
func firstScalar(n *yaml.Node) (string, *yaml.Node) {
	pointer := ""
	for n.Kind != yaml.ScalarNode {
		if len(n.Content) == 0 {
			return "", nil
		}
		if n.Kind == yaml.MappingNode {
			pointer += "/" + escape(n.Content[0].Value)
			n = n.Content[1]
			continue
		}
		pointer += "/0"
		n = n.Content[0]
	}
	return pointer, n
}

// needsQuotes reports whether a value is quoted, and would be of another type without quotes:
// "24", "2024-05-01", "yes".
func needsQuotes(n *yaml.Node) bool {
	flow := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if n.Kind != yaml.ScalarNode || !flow || n.Value == "" || len(n.Value) > maxNumber {
		return false
	}
	if wordsOfTypes[strings.ToLower(n.Value)] {
		return true
	}
	var plain yaml.Node
	if yaml.Unmarshal([]byte(n.Value), &plain) != nil || len(plain.Content) != 1 {
		return false
	}
	c := plain.Content[0]
	return c.Kind == yaml.ScalarNode && c.Value == n.Value && c.Tag != "!!str"
}

// quotesWithoutNeed reports whether a value is in quotes that any serializer would leave out.
func quotesWithoutNeed(n *yaml.Node) bool {
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if n.Kind == yaml.ScalarNode && quoted && isPlain(n.Value) {
		return true
	}
	return slices.ContainsFunc(n.Content, quotesWithoutNeed)
}

// isPlain reports whether a text is letters and single blanks alone, and no word of a
// type: no serializer quotes it, unless it quotes everything.
func isPlain(s string) bool {
	if s == "" || wordsOfTypes[strings.ToLower(s)] || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && (r >= utf8.RuneSelf || !isLetter(byte(r)) || r == '_') })
}

// wordsOfTypes are the words that YAML 1.1 reads as booleans or nothing.
var wordsOfTypes = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true, "~": true,
}

// escape writes a member's name as a segment of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
