package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// maxClip is the maximum length of quoted document text in a message, in
// characters.
const maxClip = 80

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

// value is a JSON value that keeps the order of members and the text of numbers,
// which encoding/json's maps and floats lose.
type value struct {
	kind kind
	// text is the content of a string, the literal of a number, or "true" or
	// "false".
	text    string
	elems   []*value
	members []member
	// index is the index of members of a large object; built on first use.
	index map[string]int
}

type member struct {
	name  string
	value *value
}

// indexFrom is the number of members from which a map is faster than a scan.
const indexFrom = 12

// get returns the named member, or nil if v is not an object or has no such member.
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

// isTrue reports whether v is the JSON value true.
func (v *value) isTrue() bool { return v != nil && v.kind == kindBool && v.text == "true" }

// isFalse reports whether v is the JSON value false.
func (v *value) isFalse() bool { return v != nil && v.kind == kindBool && v.text == "false" }

// lookup follows the decoded segments of a JSON pointer.
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

// readJSON parses JSON strictly: the monitor must read the same values as the agent
// and the server.
func readJSON(data []byte) (*value, error) {
	doc, err := strictjson.Parse(data, strictjson.Limits{
		Size: MaxDocument, Depth: maxNesting, Leaves: maxValues, Values: maxValues,
	})
	if refused := (*strictjson.Error)(nil); errors.As(err, &refused) {
		before := data[:refused.Offset]
		line := 1 + bytes.Count(before, []byte{'\n'})
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, refused.Message)
	}
	if err != nil {
		return nil, err
	}
	return valueOf(doc.Root()), nil
}

// valueOf copies a value from its document.
func valueOf(v strictjson.Value) *value {
	switch v.Kind() {
	case strictjson.Object:
		out := &value{kind: kindObject}
		for name, m := range v.Members() {
			out.members = append(out.members, member{name, valueOf(m)})
		}
		return out
	case strictjson.Array:
		out := &value{kind: kindArray}
		for e := range v.All() {
			out.elems = append(out.elems, valueOf(e))
		}
		return out
	case strictjson.String:
		return stringValue(v.Text())
	case strictjson.Number:
		return &value{kind: kindNumber, text: string(v.Raw())}
	case strictjson.Bool:
		return &value{kind: kindBool, text: string(v.Raw())}
	}

	return &value{kind: kindNull, text: "null"}
}

// validNumber reports whether s is a JSON number.
func validNumber(s string) bool {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	if s == "" || !digit(s[len(s)-1]) {
		return false
	}
	begins := s[0] == '-' || digit(s[0])
	return begins && jsontext.Value(s).IsValid()
}

// clip shortens text of the document for a message.
func clip(s string) string { return display.Clip(s, maxClip) }
