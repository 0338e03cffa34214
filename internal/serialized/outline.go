package serialized

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
)

// An outline is how people lay records out: headings, lines of a name and a value, bullets with a
// title in bold, or a table below a heading. A contract names it for a tool that begins each line
// with words of its own and writes no line end into a value. Then each line is the template's, and
// an author has a say in no line but those of their own values.

// titled is a bullet with a title in bold, and what follows it: a code in quotes or brackets, and more.
var (
	titled   = pattern.OnUse(`^ {0,8}(?:[-*•]|\d{1,6}[.)]) \*\*([^*]+)\*\*(.*)$`)
	coded    = pattern.OnUse("^(?: ?[—–:|-])? ?(?:\\(`?([\\w./@#-]{1,64})`?\\)|`([\\w./@#-]{1,64})`)(.*)$")
	heading  = pattern.OnUse(`^#{1,6} +(\S.*)$`)
	bulleted = pattern.OnUse(`^ {0,8}(?:[-*•]|\d{1,6}[.)])(?: |$)`)
	labelled = pattern.OnUse(`^( {0,8}(?:[-*•] )?)(?:\*\*([^*:]+)(?::\*\*|\*\*:)|([\p{L}_][\p{L}\p{N}_ ./()-]{0,39}):)(?:[ \t]+(\S.*))?$`)
)

// outline gathers the records of a text, line by line.
type outline struct {
	records [][2][]string
	names   []string
	values  []string
	heading string   // the one that the next fields are below
	below   []string // the headings that records are below; empty for none
	first   string   // the name that the present record begins with
	table   []string
	ended   bool // a blank line is below the table
	dashed  bool // all fields of the present record have dashes
}

// readOutline reads a text as an outline; nil for another text.
func readOutline(text string) *strictjson.Document {
	if strings.ContainsAny(text, disputed) || strings.ContainsFunc(text, isControl) {
		return nil
	}
	var o outline
	for line := range strings.SplitSeq(text, "\n") {
		if !o.line(strings.TrimRight(line, " \t\r")) || len(o.records) > maxValues {
			return nil
		}
	}
	o.end()
	if o.table != nil {
		if len(o.records) > 0 {
			return nil
		}
		return readTable(strings.Join(o.table, "\n"))
	}
	if len(o.records) == 0 {
		return nil
	}

	w := newWriter()
	w.raw("[")
	titled := !slices.Contains(o.below, "") // one heading for several records is none of theirs
	for i, r := range o.records {
		if titled {
			r[0], r[1] = append([]string{"title"}, r[0]...), append([]string{o.below[i]}, r[1]...)
		}
		if len(r[0]) < 2 || repeats(r[0]) {
			return nil
		}
		if i > 0 {
			w.raw(",")
		}
		w.record(r[0], r[1])
	}
	w.raw("]")
	return w.document()
}

// line takes in a line. It returns false where that is none of an outline.
func (o *outline) line(line string) bool {
	switch {
	case line == "":
		o.ended = o.table != nil
		o.end()
		o.heading = "" // what it is above is no single record's
		return true
	case line[0] == '|':
		o.end()
		o.table = append(o.table, line)
		return !o.ended && len(o.records) == 0
	case o.table != nil:
		return false
	}

	if m := heading().FindStringSubmatch(line); m != nil {
		o.end()
		o.heading = m[1]
		return true
	}
	if m := titled().FindStringSubmatch(line); m != nil && !isLabel(m) && (m[2] == "" || follows(m[2])) {
		o.end()
		o.heading = ""
		return o.bullet(m[1], m[2])
	}
	if m := labelled().FindStringSubmatch(line); m != nil {
		return o.field(m)
	}
	// Words of the tool's own may stand before the first record; a bullet is one that nothing reads.
	return !bulleted().MatchString(line) && len(o.records) == 0 && o.names == nil
}

// isLabel reports whether what is in bold is the name of a field.
func isLabel(m []string) bool {
	return strings.HasSuffix(m[1], ":") || strings.HasPrefix(m[2], ":")
}

// follows reports whether a text is what follows a title.
func follows(text string) bool {
	text = strings.TrimLeft(text, " ")
	return slices.ContainsFunc([]string{"(", "`", "|", "—", "–"}, func(sign string) bool { return strings.HasPrefix(text, sign) })
}

// bullet begins the record of a title, with the code and the rest that follow it.
func (o *outline) bullet(title, rest string) bool {
	o.dashed, o.first = true, ""
	o.add("title", title)
	if m := coded().FindStringSubmatch(rest); m != nil {
		o.add("id", m[1]+m[2])
		rest = m[3]
	}
	o.add("text", strings.TrimLeft(rest, " —–:|,-"))
	return !strings.Contains(rest, "**") && !strings.Contains(rest, "`")
}

// field takes in a name with its value. The first name of a record begins another one, and so does a
// dash behind lines that have none.
func (o *outline) field(m []string) bool {
	dash, name := strings.TrimSpace(m[1]) != "", m[2]+m[3]
	if isTitle := m[2] != "" && (follows(m[4]) || strings.Contains(m[4], "**")); isTitle {
		return false // one that somebody wrote so that it looks like a name
	}
	another := o.names != nil && (name == o.first || (dash && !o.dashed))
	if another {
		o.end()
	}
	if o.names == nil {
		o.dashed, o.first = dash, name
	}
	o.dashed = o.dashed && dash
	o.add(name, m[4])
	return len(o.names) <= maxCells && !slices.Contains(o.names[:len(o.names)-1], name)
}

func (o *outline) add(name, value string) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

// end ends the present record. A single line before the first record says what follows.
func (o *outline) end() {
	if o.names == nil {
		return
	}
	if isIntroduction := len(o.names) == 1 && o.records == nil && o.heading == ""; isIntroduction {
		o.names, o.values = nil, nil
		return
	}
	o.records, o.below = append(o.records, [2][]string{o.names, o.values}), append(o.below, o.heading)
	o.names, o.values, o.heading = nil, nil, ""
}
