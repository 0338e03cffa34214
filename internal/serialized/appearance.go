package serialized

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/strictjson"
)

// Appearance is what a text looks like that proves no serializer: a template may have written it,
// and the author of a value in it may have written more than that value.
//
// Such an author can't hide or change a record of another's: every line is one field, all records
// have the same fields in the same order and places, and no value goes on in the next line. They
// can add records, and write all of their own.
type Appearance struct {
	Format Format
	// Shape is the text with one record and without its values: the same for texts whose fields
	// have the same names, order and places.
	Shape string
	// Records is how many records the text has.
	Records int
	// Document are the fields.
	Document *strictjson.Document

	valued []bool // which lines of the shape have a value
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

	y, flat := appearsYAML(text)
	if y != nil && !flat {
		return y
	}
	for _, read := range [...]func(string) *Appearance{appearsTable, appearsLines} {
		if a := read(text); a != nil {
			return a
		}
	}
	return y
}

// isControl reports whether a character is one that no template writes, and that programs read
// differently.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// isName reports whether a text may be the name of a field: short, and without invisible characters.
// A person is asked about names, and looks for them in what others wrote.
func isName(s string) bool {
	return len(s) <= maxName && !strings.ContainsFunc(s, character.IsInvisible)
}

// appearsYAML reads YAML in blocks, with one field a line and at most one list, whose records
// are flat. It reports whether all of it is one record without quotes, which is the same in lines.
func appearsYAML(text string) (a *Appearance, flat bool) {
	out := &Appearance{Format: YAML}
	out.Document = readYAML(text, func(d *yamlDocument) bool {
		s := yamlShape{text: strings.Split(strings.TrimRight(text, "\n"), "\n"), taken: map[int]bool{}}
		s.node(d.root, 0)
		out.Shape, out.Records, out.valued = strings.Join(s.shape, "\n"), max(s.records, 1), s.valued
		flat = s.lists == 0 && s.plain == len(s.text)
		return !s.wrong && len(s.taken) == len(s.text) && s.fields == len(s.text)
	})
	if out.Document == nil {
		return nil, false
	}
	return out, flat
}

// yamlShape goes through a document and notes how the lines of its fields begin.
type yamlShape struct {
	text   []string     // the lines of the document
	taken  map[int]bool // those that begin with a field
	fields int
	// shape has the beginnings of lines up to the value, and valued which have one.
	shape  []string
	valued []bool

	lists   int
	records int
	plain   int // fields of the root whose value has no quotes
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
	default:
		s.wrong = s.wrong || n.Kind != yaml.ScalarNode
	}
}

func (s *yamlShape) mapping(n *yaml.Node, depth int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		begin, ok := s.beginning(key)
		scalar := value.Kind == yaml.ScalarNode
		// A value begins in its own line; what is in blocks, in a later one.
		if !ok || (scalar && value.Line != key.Line && value.Value != "") {
			s.wrong = true
			return
		}
		s.taken[key.Line] = true
		s.fields++
		s.shape, s.valued = append(s.shape, begin), append(s.valued, scalar)
		if scalar && depth == 0 && !isQuoted(value) {
			s.plain++
		}
		s.node(value, depth+1)
	}
}

// beginning returns a line up to the colon after the name of its field. A template quotes no
// name.
func (s *yamlShape) beginning(key *yaml.Node) (string, bool) {
	if key.Line > len(s.text) || !isName(key.Value) {
		return "", false
	}
	line := s.text[key.Line-1]
	at := min(key.Column-1, len(line))
	begin := line[:at] + key.Value + ":"
	return begin, strings.Trim(line[:at], " -") == "" && strings.HasPrefix(line, begin)
}

// list notes the shape of its records, which all have to have the same one.
func (s *yamlShape) list(n *yaml.Node, depth int) {
	s.lists++
	s.records = len(n.Content)
	if s.wrong = s.wrong || s.lists > 1 || len(n.Content) == 0; s.wrong {
		return
	}

	var first []string
	for i, e := range n.Content {
		record := yamlShape{text: s.text, taken: s.taken, lists: s.lists}
		if e.Kind != yaml.MappingNode {
			s.wrong = true
			return
		}
		record.node(e, depth+1)
		if record.wrong || (i > 0 && !slices.Equal(record.shape, first)) {
			s.wrong = true
			return
		}
		if i == 0 {
			first = record.shape
			s.shape, s.valued = append(s.shape, record.shape...), append(s.valued, record.valued...)
		}
		s.fields += record.fields
	}
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
	if repeats(names) || slices.ContainsFunc(names, func(n string) bool { return !isName(n) || strings.Contains(n, `\`) }) {
		return nil
	}

	out := &Appearance{Format: Table, Records: strings.Count(text, "\n") - 1, Document: doc}
	rule, row := strings.Repeat("|---", len(names)), strings.Repeat("|  ", len(names))
	out.Shape = "| " + strings.Join(names, " | ") + " |\n" + rule + "|\n" + row + "|"
	return out
}

// appearsLines reads lines of a name and a value, with a blank line between records.
func appearsLines(text string) *Appearance {
	text = strings.TrimSpace(text)
	doc := readLines(text, Trust{Closed: true})
	if doc == nil || strings.Contains(text, "\n\n\n") {
		return nil
	}

	out := &Appearance{Format: Lines, Document: doc}
	for record := range strings.SplitSeq(text, "\n\n") {
		var names []string
		for line := range strings.SplitSeq(record, "\n") {
			m := pair().FindStringSubmatch(strings.TrimRight(line, " \t"))
			if m == nil {
				return nil
			}
			names = append(names, m[1])
		}
		shape := strings.Join(names, ":\n") + ":"
		if repeats(names) || len(names) < 2 || (out.Records > 0 && shape != out.Shape) {
			return nil
		}
		out.Shape, out.valued = shape, slices.Repeat([]bool{true}, len(names))
		out.Records++
	}
	return out
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
