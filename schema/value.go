package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the type of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// value is one JSON value as the source wrote it: members keep their order and
// numbers their text, which encoding/json's maps and floats lose.
type value struct {
	kind kind
	// text is a string's content, a number's literal, or "true" or "false".
	text    string
	elems   []*value
	members []member
	// index finds members of large objects; made when first needed.
	index map[string]int
}

type member struct {
	name  string
	value *value
}

// indexFrom is the number of members from which a map beats a scan.
const indexFrom = 12

// get returns the named member, or nil when v is no object or has none.
func (v *value) get(name string) *value {
	if v == nil || v.kind != kindObject {
		return nil
	}
	if len(v.members) < indexFrom {
		for i := range v.members {
			if v.members[i].name == name {
				return v.members[i].value
			}
		}
		return nil
	}
	if v.index == nil {
		v.index = make(map[string]int, len(v.members))
		for i := range v.members {
			v.index[v.members[i].name] = i
		}
	}
	if i, ok := v.index[name]; ok {
		return v.members[i].value
	}
	return nil
}

// str returns the text of a string member, or "".
func (v *value) str(name string) string {
	if m := v.get(name); m != nil && m.kind == kindString {
		return m.text
	}
	return ""
}

// isTrue tells whether v is the JSON value true.
func (v *value) isTrue() bool { return v != nil && v.kind == kindBool && v.text == "true" }

// isFalse tells whether v is the JSON value false.
func (v *value) isFalse() bool { return v != nil && v.kind == kindBool && v.text == "false" }

// lookup follows a JSON pointer's decoded segments.
func (v *value) lookup(segments []string) *value {
	for _, s := range segments {
		if v == nil {
			return nil
		}
		switch v.kind {
		case kindObject:
			v = v.get(s)
		case kindArray:
			i, err := strconv.Atoi(s)
			if err != nil || i < 0 || i >= len(v.elems) || strconv.Itoa(i) != s {
				return nil
			}
			v = v.elems[i]
		default:
			return nil
		}
	}
	return v
}

// reader parses JSON strictly: duplicate member names, lone surrogates and
// trailing text are errors, since two parsers would read them differently and
// the monitor must read what the agent and the server read.
type reader struct {
	data   []byte
	pos    int
	values int
}

func readJSON(data []byte) (*value, error) {
	r := &reader{data: data}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	r.space()
	if r.pos != len(r.data) {
		return nil, r.errorf("there is text after the end of the JSON document")
	}
	return v, nil
}

func (r *reader) errorf(format string, args ...any) error {
	before := r.data[:min(r.pos, len(r.data))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %s", line, column, fmt.Sprintf(format, args...))
}

func (r *reader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

func (r *reader) value(depth int) (*value, error) {
	if depth > maxNesting {
		return nil, r.errorf("nested more than %d levels deep", maxNesting)
	}
	if r.values++; r.values > maxValues {
		return nil, r.errorf("more than %d values", maxValues)
	}
	r.space()
	if r.pos >= len(r.data) {
		return nil, r.errorf("the document ends in the middle of a value")
	}
	switch c := r.data[r.pos]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		s, err := r.string()
		return &value{kind: kindString, text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, word := range [...]struct {
		text string
		kind kind
	}{{"true", kindBool}, {"false", kindBool}, {"null", kindNull}} {
		if bytes.HasPrefix(r.data[r.pos:], []byte(word.text)) {
			r.pos += len(word.text)
			return &value{kind: word.kind, text: word.text}, nil
		}
	}
	return nil, r.errorf("%q can't begin a JSON value", r.data[r.pos])
}

func (r *reader) object(depth int) (*value, error) {
	v := &value{kind: kindObject}
	var seen map[string]struct{}
	r.pos++
	for {
		r.space()
		if r.pos < len(r.data) && r.data[r.pos] == '}' && len(v.members) == 0 {
			r.pos++
			return v, nil
		}
		if r.pos >= len(r.data) || r.data[r.pos] != '"' {
			return nil, r.errorf("a member name in double quotes is expected here")
		}
		start := r.pos
		name, err := r.string()
		if err != nil {
			return nil, err
		}
		if len(v.members) < indexFrom {
			for i := range v.members {
				if v.members[i].name == name {
					r.pos = start
					return nil, r.errorf("member %q stands twice in one object", clip(name))
				}
			}
		} else {
			if seen == nil {
				seen = make(map[string]struct{}, 2*indexFrom)
				for i := range v.members {
					seen[v.members[i].name] = struct{}{}
				}
			}
			if _, dup := seen[name]; dup {
				r.pos = start
				return nil, r.errorf("member %q stands twice in one object", clip(name))
			}
			seen[name] = struct{}{}
		}
		r.space()
		if r.pos >= len(r.data) || r.data[r.pos] != ':' {
			return nil, r.errorf("':' is expected after a member name")
		}
		r.pos++
		m, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, member{name, m})
		r.space()
		if r.pos < len(r.data) && r.data[r.pos] == ',' {
			r.pos++
			continue
		}
		if r.pos < len(r.data) && r.data[r.pos] == '}' {
			r.pos++
			return v, nil
		}
		return nil, r.errorf("',' or '}' is expected here")
	}
}

func (r *reader) array(depth int) (*value, error) {
	v := &value{kind: kindArray}
	r.pos++
	r.space()
	if r.pos < len(r.data) && r.data[r.pos] == ']' {
		r.pos++
		return v, nil
	}
	for {
		e, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.elems = append(v.elems, e)
		r.space()
		if r.pos < len(r.data) && r.data[r.pos] == ',' {
			r.pos++
			continue
		}
		if r.pos < len(r.data) && r.data[r.pos] == ']' {
			r.pos++
			return v, nil
		}
		return nil, r.errorf("',' or ']' is expected here")
	}
}

func (r *reader) number() (*value, error) {
	end := r.pos
	for end < len(r.data) && strings.IndexByte("+-.0123456789eE", r.data[end]) >= 0 {
		end++
	}
	text := string(r.data[r.pos:end])
	if !validNumber(text) {
		return nil, r.errorf("%q is not a JSON number", clip(text))
	}
	r.pos = end
	return &value{kind: kindNumber, text: text}, nil
}

// validNumber tells whether s is a number by RFC 8259.
func validNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n
	}
	zero := strings.HasPrefix(s, "0")
	if n := digits(); n == 0 || zero && n > 1 {
		return false
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if digits() == 0 {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return s == ""
}

func (r *reader) string() (string, error) {
	r.pos++
	start := r.pos
	for i := start; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			return string(r.data[start:i]), nil
		case c == '\\':
			r.pos = i
			return r.escaped(start)
		case c < 0x20:
			r.pos = i
			return "", r.errorf("a control character must be written as an escape in a string")
		}
	}
	r.pos = len(r.data)
	return "", r.errorf("the document ends in the middle of a string")
}

// escaped finishes a string that began at start and has its first backslash
// at the current position.
func (r *reader) escaped(start int) (string, error) {
	b := append(make([]byte, 0, 2*(r.pos-start)+16), r.data[start:r.pos]...)
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case c == '"':
			r.pos++
			return string(b), nil
		case c < 0x20:
			return "", r.errorf("a control character must be written as an escape in a string")
		case c != '\\':
			b = append(b, c)
			r.pos++
			continue
		}
		if r.pos+1 >= len(r.data) {
			break
		}
		e := r.data[r.pos+1]
		if i := strings.IndexByte(`"\/bfnrt`, e); i >= 0 {
			b = append(b, "\"\\/\b\f\n\r\t"[i])
			r.pos += 2
			continue
		}
		if e != 'u' {
			return "", r.errorf("\\%c is not a JSON escape", e)
		}
		u, ok := r.hex(r.pos)
		if !ok {
			return "", r.errorf("\\u needs four hexadecimal digits")
		}
		size := 6
		if utf16.IsSurrogate(u) {
			low, _ := r.hex(r.pos + 6)
			if u = utf16.DecodeRune(u, low); u == utf8.RuneError {
				return "", r.errorf("half of a surrogate pair is not a character")
			}
			size = 12
		}
		b = utf8.AppendRune(b, u)
		r.pos += size
	}
	r.pos = len(r.data)
	return "", r.errorf("the document ends in the middle of a string")
}

// hex reads \uXXXX at a position.
func (r *reader) hex(pos int) (rune, bool) {
	if pos+6 > len(r.data) || r.data[pos] != '\\' || r.data[pos+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(r.data[pos+2:pos+6]), 16, 16)
	return rune(n), err == nil
}

// clip shortens text from the document for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
