package serialized

import (
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
)

// readTable reads a text that is one Markdown table: a line of names, a line of dashes,
// and a line for each record, all with the same number of cells. A bar in a cell is
// written as \|, a line end as <br>.
func readTable(text string) *strictjson.Document {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(lines) < 2 {
		return nil
	}
	names, ok := cells(lines[0])
	dashes, ruled := cells(lines[1])
	if !ok || !ruled || len(dashes) != len(names) {
		return nil
	}
	for i := range dashes {
		if names[i] == "" || strings.Trim(dashes[i], "-:") != "" || !strings.Contains(dashes[i], "-") {
			return nil
		}
	}

	w := newWriter()
	w.raw("[")
	for i, line := range lines[2:] {
		row, ok := cells(line)
		if !ok || len(row) != len(names) {
			return nil
		}
		if i > 0 {
			w.raw(",")
		}
		w.record(names, row)
	}
	w.raw("]")
	return w.document()
}

// record writes an object of plain values.
func (w *writer) record(names, values []string) {
	w.raw("{")
	for i, name := range names {
		if i > 0 {
			w.raw(",")
		}
		w.text(name)
		w.raw(":")
		w.scalar(values[i])
	}
	w.raw("}")
}

// maxCells bounds the cells of a line, and the lines of a record in an outline.
const maxCells = 256

// cells parts a line of a table, which has bars around it.
func cells(line string) ([]string, bool) {
	line = strings.TrimRight(line, " \t")
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil, false
	}

	var out []string
	var cell strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && strings.IndexByte(`\|`, line[i+1]) >= 0:
			i++
			cell.WriteByte(line[i])
		case c == '|':
			out = append(out, unbroken(strings.TrimSpace(cell.String())))
			cell.Reset()
		default:
			cell.WriteByte(c)
		}
	}
	// What is left follows the last bar, which was escaped.
	return out, cell.Len() == 0 && len(out) > 0 && len(out) <= maxCells
}

// unbroken reads the line ends of a cell.
func unbroken(cell string) string {
	return strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n").Replace(cell)
}

// item is the beginning of a line in a list.
var item = pattern.OnUse(`^(?:(\d{1,6})[.)]|[-*•]) +(\S.*)$`)

// readList reads a text whose every line is an item of one list, numbered from 1 or with
// the same mark. Items of "key: value" are not a list of plain texts.
func readList(text string) *strictjson.Document {
	w := newWriter()
	w.raw("[")
	mark := ""

	for i, line := range strings.Split(text, "\n") {
		m := item().FindStringSubmatch(strings.TrimRight(line, " \r"))
		if m == nil || pair().MatchString(m[2]) {
			return nil
		}
		this := line[:1]
		if m[1] != "" {
			if m[1] != strconv.Itoa(i+1) {
				return nil
			}
			this = "1"
		}
		if i > 0 && this != mark {
			return nil
		}
		mark = this
		if i > 0 {
			w.raw(",")
		}
		w.text(m[2])
	}
	w.raw("]")
	return w.document()
}

// pair is a line of a name and its value.
var pair = pattern.OnUse(`^([\p{L}_][\p{L}\p{N}_ ./()-]{0,39}):(?:[ \t]+(\S.*))?$`)

// readLines reads a text of "key: value" lines, with a blank line between records.
//
// Where strangers write values, the lines after the first such value may be theirs. Only what
// comes before it is read, which is in the first record.
func readLines(text string, trust Trust) *strictjson.Document {
	var records [][2][]string
	var names, values []string
	end := func() {
		if len(names) > 0 {
			records = append(records, [2][]string{names, values})
			names, values = nil, nil
		}
	}

	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			if !trust.Closed {
				break
			}
			end()
			continue
		}
		m := pair().FindStringSubmatch(line)
		if m == nil && trust.Closed {
			return nil
		}
		if m == nil || !trust.Owns("/"+escape(m[1])) {
			break
		}
		names, values = append(names, m[1]), append(values, m[2])
	}
	end()

	w := newWriter()
	switch len(records) {
	case 0:
		return nil
	case 1:
		w.record(records[0][0], records[0][1])
		return w.document()
	}
	w.raw("[")
	for i, r := range records {
		if i > 0 {
			w.raw(",")
		}
		w.record(r[0], r[1])
	}
	w.raw("]")
	return w.document()
}
