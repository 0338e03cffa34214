package strictjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is one value of a [Document]. It is a small handle that can be copied and compared. The
// zero Value is one that does not exist: its kind is [Missing], and whatever is looked up in it
// is missing as well.
type Value struct {
	doc *Document
	at  int32
}

func (v Value) node() *node { return &v.doc.nodes[v.at] }

// Exists reports whether the document has the value.
func (v Value) Exists() bool { return v.doc != nil }

// Kind returns the value's type, [Missing] when the value does not exist.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Missing
	}
	return v.node().kind
}

// Text returns the content of a string, and "" for a value of another kind.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return unquote(v.Raw())
}

// Raw returns the value as the document has it, nil when it does not exist. The
// caller must not change the bytes.
func (v Value) Raw() json.RawMessage {
	if v.doc == nil {
		return nil
	}
	return v.Span().Of(v.doc.data)
}

// Span returns the place of the value in the text that was parsed.
func (v Value) Span() Span {
	if v.doc == nil {
		return Span{}
	}
	return Span{int(v.node().start), int(v.node().end)}
}

// Start returns where the value begins.
func (v Value) Start() int { return v.Span().Start }

// End returns where the value ends.
func (v Value) End() int { return v.Span().End }

// Key returns the place of the quoted name of a value that is a member of an
// object, and the zero Span for another value.
func (v Value) Key() Span {
	if v.doc == nil {
		return Span{}
	}
	return Span{int(v.node().key), int(v.node().keyEnd)}
}

// Name returns the name of a value that is a member of an object, and "" for
// another value.
func (v Value) Name() string {
	key := v.Key()
	if key.End == 0 {
		return ""
	}
	return unquote(key.Of(v.doc.data))
}

// Len returns the number of members or elements of an object or array.
func (v Value) Len() int {
	n := 0
	for range v.All() {
		n++
	}
	return n
}

// All iterates over the members of an object or the elements of an array, in the
// order of the source.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.doc == nil {
			return
		}
		for i := v.at + 1; i < v.node().next; i = v.doc.nodes[i].next {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Members iterates over the members of an object by name, in the order of the
// source. A value of another kind has none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for m := range v.All() {
			if !yield(m.Name(), m) {
				return
			}
		}
	}
}

// Elements returns the elements of an array. A value of another kind has none.
func (v Value) Elements() []Value {
	if v.Kind() != Array {
		return nil
	}
	var out []Value
	for e := range v.All() {
		out = append(out, e)
	}
	return out
}

// Get follows member names through objects, and returns the value that they lead
// to. It is missing where one of them is.
func (v Value) Get(names ...string) Value {
	for _, name := range names {
		v = v.member(name)
	}
	return v
}

// indexFrom is the number of members from which an object is searched by a map.
const indexFrom = 16

// member returns the member of an object.
func (v Value) member(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	seen := 0
	for m := range v.All() {
		if seen++; seen > indexFrom {
			return v.indexed(name)
		}
		if m.named(name) {
			return m
		}
	}
	return Value{}
}

// indexed finds a member of a large object in constant time.
func (v Value) indexed(name string) Value {
	v.doc.mu.Lock()
	defer v.doc.mu.Unlock()
	index, ok := v.doc.indexes[v.at]
	if !ok {
		index = map[string]int32{}
		for m := range v.All() {
			index[m.Name()] = m.at
		}
		if v.doc.indexes == nil {
			v.doc.indexes = map[int32]map[string]int32{}
		}
		v.doc.indexes[v.at] = index
	}

	at, ok := index[name]
	if !ok {
		return Value{}
	}
	return Value{v.doc, at}
}

// named reports whether a member of an object has the name.
func (v Value) named(name string) bool {
	key := v.Key()
	raw := v.doc.data[key.Start+1 : key.End-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == name
	}
	return v.Name() == name
}

// step goes one reference token of a JSON pointer down.
func (v Value) step(token string) Value {
	switch v.Kind() {
	case Object:
		p := jsontext.Pointer("/" + token)
		name := p.LastToken()
		if jsontext.Pointer("").AppendToken(name) != p {
			return Value{} // not the one way to write it
		}
		return v.member(name)
	case Array:
		position, err := strconv.Atoi(token)
		if err != nil || strconv.Itoa(position) != token {
			return Value{}
		}

		for e := range v.All() {
			if position == 0 {
				return e
			}
			position--
		}
	}
	return Value{}
}

// unquote returns the content of a quoted string that is valid JSON.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}
