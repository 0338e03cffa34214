package document

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/remit-project/remit/internal/pattern"
)

// maxTitle is the longest line, in bytes, that is taken for a heading by how it
// looks.
const maxTitle = 100

// readText reads plain text. Its structure is what people give it by hand: empty lines divide
// paragraphs, bullets and numbers begin items, and a short line by itself that is numbered,
// underlined or in capitals is a heading.
func readText(b *builder, data []byte) error {
	text, err := decode(data)
	if err != nil {
		return err
	}
	r := textReader{b: b}
	for line := range strings.SplitSeq(text, "\n") {
		r.line(line)
	}
	r.flush("")
	return nil
}

// decode returns a text as UTF-8; a byte order mark says what it is, else it is
// UTF-8 already.
func decode(data []byte) (string, error) {
	out, _, err := transform.Bytes(utf.BOMOverride(transform.Nop), data)
	if err == nil && !utf8.Valid(out) {
		err = errors.New("the text is not UTF-8: save it as UTF-8")
	}
	return string(out), err
}

// textReader gathers lines into blocks.
type textReader struct {
	b      *builder
	number int
	// lines are those of the block so far, gap how many empty lines stood before
	// it, and after how many follow it.
	lines      []piece
	gap, after int
	indent     int
	lists      indents
}

func (r *textReader) line(line string) {
	r.number++
	body := strings.TrimSpace(line)

	if body == "" {
		r.after++
		return
	}

	if len(r.lines) == 1 && r.after == 0 && underline().MatchString(body) {
		level := 1
		if body[0] != '=' {
			level = 2
		}
		r.heading(level)
		return
	}

	if r.after > 0 || len(r.lines) == 0 || marker(body) > 0 {
		r.flush(body)
		r.gap, r.after, r.indent = r.after, 0, indentation(line)
	}
	if len(r.lines) > 0 || !underline().MatchString(body) {
		r.lines = append(r.lines, piece{body + "\n", Place{Line: r.number}})
	}
}

func (r *textReader) heading(level int) {
	r.b.heading(level, r.lines...)
	r.lines, r.lists = nil, indents{}
}

// flush ends a block; next is the line that follows it.
func (r *textReader) flush(next string) {
	if len(r.lines) == 0 {
		return
	}
	first := strings.TrimSpace(r.lines[0].text)
	// The first line of all has nothing above it.
	alone := len(r.lines) == 1 && r.after > 0 && (r.gap > 0 || r.lines[0].place.Line == 1)
	if level := titleLevel(first); level > 0 && alone && r.indent == 0 && next != "" && (parts(first) == 0 || parts(next) != parts(first)) {
		r.heading(level)
		return
	}
	n := marker(first)
	r.lines[0].text = first[n:] + "\n"
	r.b.paragraph(r.lists.enter(r.indent, n > 0, r.lines[len(r.lines)-1].text), r.lines...)
	r.lines = nil
}

// indents are how far the lists that may contain a block are indented.
type indents struct {
	levels []indentLevel
	// led says that the last block led something in by a colon, and stood at at.
	led bool
	at  int
}

// indentLevel is a list; one without markers is known by what leads it in.
type indentLevel struct {
	at     int
	marked bool
}

// enter returns how many lists contain a block with this indent; an item has a marker there.
func (l *indents) enter(indent int, item bool, text string) int {
	top := func() indentLevel { return l.levels[len(l.levels)-1] }
	ended := func() bool {
		beside := top().at == indent && (item || top().marked)
		return beside || top().at > indent
	}
	for len(l.levels) > 0 && ended() {
		l.levels = l.levels[:len(l.levels)-1]
	}
	deeper := l.led && indent > l.at && (len(l.levels) == 0 || top().at <= l.at)
	if item || deeper {
		l.levels = append(l.levels, indentLevel{indent, item})
	}
	l.led, l.at = strings.HasSuffix(strings.TrimSpace(text), ":"), indent
	return len(l.levels)
}

var (
	underline = pattern.OnUse(`^(={3,}|-{3,}|~{3,})$`)
	bullet    = pattern.OnUse(`^([-*+•◦▪‣⁃∙·●○■□–—➢✓o\x{F0A7}\x{F0B7}]|\(?(\d{1,3}|[a-z]|[ivx]{1,5})\)|(\d{1,3}|[a-z])\.)\s+`)
	numbered  = pattern.OnUse(`^(?:(?i:section|article|chapter|part|annex|appendix)\s+)?(\d{1,3}(?:\.\d{1,3})*|[IVX]{1,5})[.:)]?\s+\S`)
)

// marker returns how many bytes of a line are a bullet or number of an item.
func marker(line string) int { return len(bullet().FindString(line)) }

// parts returns how many parts the number of a line has: 2 for "3.1 Refunds", 0
// for a line without one.
func parts(line string) int {
	m := numbered().FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	return 1 + strings.Count(m[1], ".")
}

// titleLevel returns the level of a line that looks like a heading, 0 for others. One in capitals
// ranks above those with numbers.
func titleLevel(line string) int {
	if len(line) > maxTitle || strings.ContainsRune(".!?;:,", rune(line[len(line)-1])) {
		return 0
	}

	if n := parts(line); n > 0 {
		return 1 + n
	}

	upper := 0
	for _, r := range line {
		switch {
		case unicode.IsLower(r):
			return 0
		case unicode.IsUpper(r):
			upper++
		}
	}

	if upper < 4 || marker(line) > 0 {
		return 0
	}
	return 1
}

// indentation returns the width of the white space that a line begins with.
func indentation(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}
