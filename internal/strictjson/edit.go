package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Span is a range of bytes of a text.
type Span struct{ Start, End int }

// Of returns the bytes of the span in its text.
func (s Span) Of(text []byte) json.RawMessage { return json.RawMessage(text[s.Start:s.End:s.End]) }

// Edit replaces a span of a text.
type Edit struct {
	Span
	With string
}

// Replacement returns the edit that puts other text in the place of a span.
func Replacement(start, end int, with string) Edit { return Edit{Span{start, end}, with} }

// Apply returns the text with the edits, which may not overlap.
func Apply(text []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.Start])
		out.WriteString(e.With)
		at = e.End
	}
	out.Write(text[at:])
	return out.Bytes()
}

// Member is one member of an object.
type Member struct {
	Name string
	// Key and Value are the places of the quoted name and of the value.
	Key, Value Span
}

var errShape = errors.New("not the JSON that was expected")

// The functions below read and edit an object or an array that is not part of a
// [Document]. What looks at more than one member parses the text once instead.

// Members lists the members of an object.
func Members(object []byte) ([]Member, error) {
	var out []Member
	err := each(object, '{', func(name, value Span) {
		out = append(out, Member{Name: unquote(name.Of(object)), Key: name, Value: value})
	})
	return out, err
}

// Elements lists the elements of an array.
func Elements(list []byte) ([]Span, error) {
	var out []Span
	err := each(list, '[', func(_, value Span) { out = append(out, value) })
	return out, err
}

// MembersWith lists the members of an object, and the elements of those of the name that are
// lists, in one look at the text. The spans of both are in the object.
func MembersWith(object []byte, list string) (members []Member, elements []Span, err error) {
	d := decoder(object)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, nil, errShape
	}

	for d.PeekKind() != '}' {
		key, err := read(d)
		if err != nil {
			return nil, nil, errShape
		}
		m := Member{Name: unquote(key.Of(object)), Key: key}
		if m.Name == list && d.PeekKind() == '[' {
			m.Value, elements, err = readList(d, elements)
		} else {
			m.Value, err = read(d)
		}
		if err != nil {
			return nil, nil, errShape
		}
		members = append(members, m)
	}

	return members, elements, readEnd(d)
}

// Begun is what was read before of an object that begins in the same way: up to the end of an
// element of a list among its members.
type Begun struct {
	// Open is the place of the list's bracket, and Elements are its elements; there is one
	// at least.
	Open     int
	Elements []Span
}

// End returns the place up to which the object was read.
func (b *Begun) End() int { return b.Elements[len(b.Elements)-1].End }

// MembersWith is [MembersWith] for an object with the same bytes up to the end of what was read:
// only what is around and after that is read. It is false where the list doesn't go on there, or
// the object is not one; nothing is known of it then.
func (b *Begun) MembersWith(object []byte, list string) (members []Member, elements []Span, ok bool) {
	from := b.End() + len(object[b.End():]) - len(bytes.TrimLeft(object[b.End():], space))
	if from < len(object) && object[from] == ',' {
		from++
		next := bytes.TrimLeft(object[from:], space)
		if len(next) == 0 || next[0] == ']' {
			return nil, nil, false
		}
	} else if from == len(object) || object[from] != ']' {
		return nil, nil, false
	}

	// The same object without the elements that are known.
	rest := append(slices.Clip(object[:b.Open+1]), object[from:]...)
	members, more, err := MembersWith(rest, list)
	if err != nil {
		return nil, nil, false
	}
	moved := from - (b.Open + 1)
	move := func(at Span) Span {
		if at.Start > b.Open {
			at.Start += moved
		}
		if at.End > b.Open {
			at.End += moved
		}
		return at
	}

	for i, m := range members {
		members[i].Key, members[i].Value = move(m.Key), move(m.Value)
	}
	elements = append(slices.Clip(b.Elements), more...)
	for i := len(b.Elements); i < len(elements); i++ {
		elements[i] = move(elements[i])
	}
	return members, elements, true
}

const space = " \t\r\n"

// read reads a value.
func read(d *jsontext.Decoder) (Span, error) {
	raw, err := d.ReadValue()
	end := int(d.InputOffset())
	return Span{end - len(raw), end}, err
}

// readList reads a list, and appends its elements.
func readList(d *jsontext.Decoder, elements []Span) (Span, []Span, error) {
	if _, err := d.ReadToken(); err != nil {
		return Span{}, elements, err
	}
	at := Span{Start: int(d.InputOffset()) - len("[")}
	for d.PeekKind() != ']' {
		e, err := read(d)
		if err != nil {
			return at, elements, err
		}
		elements = append(elements, e)
	}
	_, err := d.ReadToken()
	at.End = int(d.InputOffset())
	return at, elements, err
}

// readEnd reads the end of an object or an array, after which there is nothing.
func readEnd(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return errShape
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errShape
	}
	return nil
}

// each calls visit with the places of every name and value of an object, or with
// those of every value of an array.
func each(text []byte, kind jsontext.Kind, visit func(name, value Span)) error {
	d := decoder(text)
	if open, err := d.ReadToken(); err != nil || open.Kind() != kind {
		return errShape
	}
	for d.PeekKind() != kind+2 {
		var name Span
		var err error
		if kind == '{' {
			if name, err = read(d); err != nil {
				return errShape
			}
		}
		value, err := read(d)
		if err != nil {
			return errShape
		}
		visit(name, value)
	}

	return readEnd(d)
}

// decoder reads a text that was accepted before, or a part of one: what two readers
// may disagree about is not looked for again.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Find returns the place of the value under a path of member names.
func Find(object []byte, path ...string) (Span, bool) {
	at := Span{0, len(object)}
	for _, name := range path {
		members, err := Members(object[at.Start:at.End])
		if err != nil {
			return Span{}, false
		}
		i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
		if i < 0 {
			return Span{}, false
		}
		at = Span{at.Start + members[i].Value.Start, at.Start + members[i].Value.End}
	}
	return at, len(path) > 0
}

// Get returns the value under a path of member names, nil when there is none.
func Get(object []byte, path ...string) json.RawMessage {
	at, ok := Find(object, path...)
	if !ok {
		return nil
	}
	return at.Of(object)
}

// First returns the value of the first member of that name, nil when there is none. It
// reads no further than that: the object must have been accepted before.
func First(object []byte, name string) json.RawMessage {
	d := decoder(object)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil
	}

	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return nil
		}
		found := key.String() == name
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if end := int(d.InputOffset()); found {
			return Span{end - len(value), end}.Of(object)
		}
	}

	return nil
}

// GetText returns the string under a path of member names, "" when there is
// none.
func GetText(object []byte, path ...string) string { return Text(Get(object, path...)) }

// GetBool returns the truth value under a path of member names; nil when there is none.
func GetBool(object []byte, path ...string) *bool {
	raw := string(Get(object, path...))
	if raw != "true" && raw != "false" {
		return nil
	}
	is := raw == "true"
	return &is
}

// Splice replaces a span of a text.
func Splice(text []byte, at Span, with []byte) []byte {
	return slices.Concat(text[:at.Start], with, text[at.End:])
}

// Set gives a member of an object a value, in its place or at the end.
func Set(object []byte, name string, value []byte) []byte {
	members, err := Members(object)
	if err != nil {
		return object
	}
	for _, m := range members {
		if m.Name == name {
			return Splice(object, m.Value, value)
		}
	}

	end := bytes.LastIndexByte(object, '}')
	added := slices.Concat(Quote(name), []byte(":"), value)
	if len(members) > 0 {
		added = slices.Concat([]byte(","), added)
	}
	return Splice(object, Span{end, end}, added)
}

// Remove takes a member out of an object.
func Remove(object []byte, name string) []byte {
	members, err := Members(object)
	if err != nil {
		return object
	}
	i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return object
	}

	at := Span{members[i].Key.Start, members[i].Value.End}
	switch {
	case i+1 < len(members):
		at.End = members[i+1].Key.Start
	case i > 0:
		at.Start = members[i-1].Value.End
	}
	return Splice(object, at, nil)
}

// Replace replaces the value under a path of member names where there is one.
func Replace(object []byte, value []byte, path ...string) []byte {
	at, ok := Find(object, path...)
	if !ok {
		return object
	}
	return Splice(object, at, value)
}
