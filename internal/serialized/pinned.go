package serialized

import (
	"errors"
	"strings"
)

// Pinned is a shape that a contract keeps: how a template writes, and who writes each field. It
// says nothing about a record that a result has, nor who wrote that.
type Pinned struct {
	format Format
	shape  string
	own    map[string]bool // by the place of the field
	whole  bool            // nothing stands behind a value of others
}

// What a pinned shape has in the place of a value: who writes it.
const (
	ByService = "service"
	ByOthers  = "others"
)

// errShape says how a pinned shape is written.
var errShape = errors.New(`not how a template writes: write one record as the tool does, each value as "service" or as "others"`)

// Pin reads a shape as a contract writes it: a result with one record, in which each value says
// who writes it.
func Pin(text string) (*Pinned, error) {
	a := Appear(text)
	if a == nil || a.Records != 1 {
		return nil, errShape
	}

	out := &Pinned{format: a.Format, shape: a.Shape, own: map[string]bool{}, whole: true}
	theirs := false
	for _, leaf := range a.Document.Leaves() {
		if leaf.Text != ByService && leaf.Text != ByOthers {
			return nil, errShape
		}
		at := placeOf(leaf.Pointer)
		before, known := out.own[at]
		out.own[at] = leaf.Text == ByService && (before || !known)
		out.whole = out.whole && !theirs
		theirs = theirs || leaf.Text == ByOthers
	}
	return out, nil
}

// Fits reports whether a text looks exactly so.
func (p *Pinned) Fits(a *Appearance) bool { return a.Format == p.format && a.Shape == p.shape }

// Proves reports whether a text that looks so has the fields that its tool wrote, where this is the
// only shape of the tool's results: with one record, whoever ends a line in a value makes one too
// many. Behind a value of others that isn't enough: a template may leave out a line that has no
// value, a result may be cut off, and a stranger writes the line that is missing then.
func (p *Pinned) Proves(a *Appearance) bool { return p.whole && a.Records == 1 && p.Fits(a) }

// Owns reports whether the service itself writes the field at a JSON pointer.
func (p *Pinned) Owns(pointer string) bool { return p.own[placeOf(pointer)] }

// placeOf returns the pointer of a field without the place of its record: one record of lines is
// an object, and several are a list.
func placeOf(pointer string) string {
	segments := strings.Split(pointer, "/")
	for i, s := range segments {
		if strings.Trim(s, "0123456789") == "" {
			segments[i] = ""
		}
	}
	return strings.TrimLeft(strings.Join(segments, "/"), "/")
}

// Marked writes a shape of [Appear] as a contract does, with who writes each field; empty for a
// text that is not a shape.
func Marked(shape string, trust Trust) string {
	a := Appear(shape + "\n")
	if a == nil || a.Shape != shape {
		return ""
	}
	leaves := a.Document.Leaves()
	mark := func() string {
		pointer := leaves[0].Pointer
		if leaves = leaves[1:]; trust.Owns(pointer) {
			return ByService
		}
		return ByOthers
	}

	lines := strings.Split(shape, "\n")
	if a.Format == Table {
		row := "|"
		for len(leaves) > 0 {
			row += " " + mark() + " |"
		}
		lines[len(lines)-1] = row
		return strings.Join(lines, "\n")
	}
	for i := range lines {
		if a.valued[i] && len(leaves) > 0 {
			lines[i] += " " + mark()
		}
	}
	return strings.Join(lines, "\n")
}
