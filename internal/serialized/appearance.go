package serialized

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
)

// Appearance is what a text looks like that proves no serializer: a template may have written
// it, and whoever has a value in it may have written more than that value.
//
// What such a person can't do is hide or change a record of another's: every line is one field,
// all records have the same fields in the same order and places, and no value goes on in the
// next line. They can add records, and write all of their own.
type Appearance struct {
	Format Format
	// Shape is the same for texts whose fields have the same names, order and places.
	Shape string
	// Records is how many records the text has.
	Records int
	// Document are the fields.
	Document *strictjson.Document
}

const (
	// maxAppearance is the longest text whose appearance is looked at, in bytes.
	maxAppearance = 64 << 10
	// maxName is the longest name of a field there, in bytes. A question repeats the names.
	maxName = 40
)

// Appear returns what a text looks like; nil where it looks like none of YAML, a table or
// lines, or where its records differ.
func Appear(text string) *Appearance {
	if len(text) > maxAppearance || strings.TrimSpace(text) == "" || strings.ContainsAny(text, disputed) || strings.ContainsFunc(text, isControl) {
		return nil
	}

	for _, read := range [...]func(string) *Appearance{appearsYAML, appearsTable, appearsLines} {
		if a := read(text); a != nil {
			return a
		}
	}
	return nil
}

// isControl reports whether a character is one that no template writes, and that programs read
// differently.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// appearsYAML reads YAML in blocks, with one field a line and at most one list, whose records
// are flat.
func appearsYAML(text string) *Appearance {
	out := &Appearance{Format: YAML}
	out.Document = readYAML(text, func(d *yamlDocument) bool {
		s := yamlShape{lines: map[int]bool{}}
		s.node(d.root, 0)
		lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
		out.Shape, out.Records = "yaml "+s.text.String(), max(s.records, 1)
		return !s.wrong && len(s.lines) == lines && s.fields == lines
	})
	if out.Document == nil {
		return nil
	}
	return out
}

// yamlShape goes through a document and notes the names and places of its fields.
type yamlShape struct {
	text    strings.Builder
	lines   map[int]bool // that begin with a field
	fields  int
	lists   int
	records int
	wrong   bool
}

func (s *yamlShape) node(n *yaml.Node, depth int) {
	switch {
	case n.Style&yaml.FlowStyle != 0 || depth > maxDepth:
		s.wrong = true
	case n.Kind == yaml.MappingNode:
		s.mapping(n, depth)
	case n.Kind == yaml.SequenceNode:
		s.list(n, depth)
	case n.Kind == yaml.ScalarNode:
		s.text.WriteByte('_')
	default:
		s.wrong = true
	}
}

func (s *yamlShape) mapping(n *yaml.Node, depth int) {
	s.text.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		s.lines[key.Line] = true
		s.fields++
		// A value begins in its own line; what is in blocks, in a later one.
		s.wrong = s.wrong || len(key.Value) > maxName || (value.Kind == yaml.ScalarNode && value.Line != key.Line && value.Value != "")
		fmt.Fprintf(&s.text, "%d%q:", key.Column, key.Value)
		s.node(value, depth+1)
	}
	s.text.WriteByte('}')
}

// list notes the shape of its records, which all have to have the same one.
func (s *yamlShape) list(n *yaml.Node, depth int) {
	s.lists++
	s.records = len(n.Content)
	if s.wrong = s.wrong || s.lists > 1 || len(n.Content) == 0; s.wrong {
		return
	}

	shape := ""
	for i, e := range n.Content {
		record := yamlShape{lines: s.lines, lists: s.lists}
		if e.Kind != yaml.MappingNode {
			s.wrong = true
			return
		}
		record.node(e, depth+1)
		if record.wrong || (i > 0 && record.text.String() != shape) {
			s.wrong = true
			return
		}
		shape = record.text.String()
		s.fields += record.fields
	}
	fmt.Fprintf(&s.text, "[%d%s]", n.Column, shape)
}

// appearsTable reads a Markdown table in which no bar or line end is escaped: a template
// doesn't escape them, so that a value with a backslash at its end would take the next cell in.
func appearsTable(text string) *Appearance {
	text = strings.TrimSpace(text)
	if strings.Contains(text, `\|`) || strings.Contains(text, "<br") {
		return nil
	}
	doc := readTable(text)
	if doc == nil {
		return nil
	}
	head, _, _ := strings.Cut(text, "\n")
	names, _ := cells(head)
	if repeats(names) || slices.ContainsFunc(names, func(n string) bool { return len(n) > maxName }) {
		return nil
	}

	return &Appearance{Format: Table, Shape: fmt.Sprintf("table %q", names), Records: strings.Count(text, "\n") - 1, Document: doc}
}

// appearsLines reads lines of a name and a value, with a blank line between records.
func appearsLines(text string) *Appearance {
	text = strings.TrimSpace(text)
	doc := readLines(text, Trust{Closed: true})
	if doc == nil || strings.Contains(text, "\n\n\n") {
		return nil
	}

	shape, records := "", 0
	for record := range strings.SplitSeq(text, "\n\n") {
		var names []string
		for line := range strings.SplitSeq(record, "\n") {
			m := pair().FindStringSubmatch(strings.TrimRight(line, " \t"))
			if m == nil {
				return nil
			}
			names = append(names, m[1])
		}
		this := fmt.Sprintf("lines %q", names)
		if repeats(names) || len(names) < 2 || (records > 0 && this != shape) {
			return nil
		}
		shape = this
		records++
	}
	return &Appearance{Format: Lines, Shape: shape, Records: records, Document: doc}
}

// repeats reports whether a name is in a list twice.
func repeats(names []string) bool {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}
