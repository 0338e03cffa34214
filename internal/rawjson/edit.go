package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Span is a range of bytes of a text.
type Span struct{ Start, End int }

// Of returns the bytes of the span in its text.
func (s Span) Of(text []byte) json.RawMessage { return json.RawMessage(text[s.Start:s.End:s.End]) }

// Member is one member of an object.
type Member struct {
	Name string
	// Key and Value are the places of the quoted name and of the value.
	Key, Value Span
}

var errShape = errors.New("not the JSON that was expected")

// Members lists the members of an object. What stands between them must be
// JSON; that the values are is for strictjson to say.
func Members(object []byte) ([]Member, error) {
	var out []Member
	err := each(object, '{', '}', func(i int) (int, error) {
		end := skip(object, i)
		if object[i] != '"' || end <= i+1 {
			return 0, errShape
		}
		m := Member{Name: Text(object[i:end]), Key: Span{i, end}}
		if i = space(object, end); i >= len(object) || object[i] != ':' {
			return 0, errShape
		}
		i = space(object, i+1)
		end = skip(object, i)
		if end <= i {
			return 0, errShape
		}
		m.Value = Span{i, end}
		out = append(out, m)
		return end, nil
	})
	return out, err
}

// Elements lists the elements of a list, under the same condition as [Members].
func Elements(list []byte) ([]Span, error) {
	var out []Span
	err := each(list, '[', ']', func(i int) (int, error) {
		end := skip(list, i)
		if end <= i {
			return 0, errShape
		}
		out = append(out, Span{i, end})
		return end, nil
	})
	return out, err
}

// each calls read where every item of an object or a list begins; it returns
// where the item ends.
func each(text []byte, open, end byte, read func(at int) (int, error)) error {
	i := space(text, 0)
	if i >= len(text) || text[i] != open {
		return errShape
	}
	i = space(text, i+1)
	for first := true; i < len(text) && text[i] != end; first = false {
		if !first {
			if text[i] != ',' {
				return errShape
			}
			if i = space(text, i+1); i >= len(text) {
				return errShape
			}
		}
		next, err := read(i)
		if err != nil {
			return err
		}
		i = space(text, next)
	}
	if i >= len(text) || space(text, i+1) != len(text) {
		return errShape
	}
	return nil
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value that begins at i.
func skip(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			for i++; i < len(b) && !delimiter(b[i]); i++ {
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipString returns the end of the string that begins at i. Most of a long text
// is strings, so that quotes are searched rather than met.
func skipString(b []byte, i int) int {
	begin := i
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		escapes := i
		for escapes-1 > begin && b[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			return i + 1
		}
	}
}

func delimiter(c byte) bool {
	switch c {
	case ',', ':', ' ', '\t', '\n', '\r', '}', ']', '{', '[', '"':
		return true
	}
	return false
}

// Find returns the place of the value under a path of member names.
func Find(object []byte, path ...string) (Span, bool) {
	at := Span{0, len(object)}
	for _, name := range path {
		members, err := Members(object[at.Start:at.End])
		if err != nil {
			return Span{}, false
		}
		found := false
		for _, m := range members {
			if m.Name == name {
				at, found = Span{at.Start + m.Value.Start, at.Start + m.Value.End}, true
				break
			}
		}
		if !found {
			return Span{}, false
		}
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

// GetText returns the string under a path of member names, "" when there is
// none.
func GetText(object []byte, path ...string) string { return Text(Get(object, path...)) }

// Splice replaces a span of a text.
func Splice(text []byte, at Span, with []byte) []byte {
	out := make([]byte, 0, len(text)-(at.End-at.Start)+len(with))
	out = append(out, text[:at.Start]...)
	out = append(out, with...)
	return append(out, text[at.End:]...)
}

// Set gives a member of an object a value, in its place or at the end.
func Set(object []byte, name string, value []byte) []byte {
	if at, ok := Find(object, name); ok {
		return Splice(object, at, value)
	}
	members, err := Members(object)
	if err != nil {
		return object
	}
	end := len(object)
	for end > 0 && object[end-1] != '}' {
		end--
	}
	if end == 0 {
		return object
	}
	text := append(append(Quote(name), ':'), value...)
	if len(members) > 0 {
		text = append([]byte{','}, text...)
	}
	return Splice(object, Span{end - 1, end - 1}, text)
}

// Remove takes a member out of an object.
func Remove(object []byte, name string) []byte {
	members, err := Members(object)
	if err != nil {
		return object
	}
	for i, m := range members {
		if m.Name != name {
			continue
		}
		at := Span{m.Key.Start, m.Value.End}
		switch {
		case i+1 < len(members):
			at.End = members[i+1].Key.Start
		case i > 0:
			at.Start = members[i-1].Value.End
		}
		return Splice(object, at, nil)
	}
	return object
}

// Replace replaces the value under a path of member names where there is one.
func Replace(object []byte, value []byte, path ...string) []byte {
	at, ok := Find(object, path...)
	if !ok {
		return object
	}
	return Splice(object, at, value)
}
