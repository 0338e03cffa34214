package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/remit-project/remit/internal/strictjson"
)

// object parses the members of a request. The named members, which decisions
// depend on, must not have a duplicate in a spelling that some readers accept.
// The elements of the large member are checked when they are read; they are nil where it
// is not a list. The part of the body that b knows is not read again.
func object(body []byte, b *begun, large string, named ...string) (*parsed, error) {
	members, spans, err := b.members(body, large)
	if err != nil {
		return nil, refuse("the body is not a JSON object")
	}
	named = append(named, large)
	o := &parsed{members: make(map[string]json.RawMessage, len(members))}
	out := o.members
	for _, m := range members {
		if known, ok := strictjson.Alike(m.Name, named...); ok {
			return nil, refuse(fmt.Sprintf("the member %q is not %q, and some readers take it for that: leave it out", m.Name, known))
		}
		if _, twice := out[m.Name]; twice {
			return nil, refuse(fmt.Sprintf("the member %q appears twice", m.Name))
		}
		value := m.Value.Of(body)
		out[m.Name] = value
		if err := strict(m.Key.Of(body)); err != nil {
			return nil, refuse("the body is not acceptable JSON: " + err.Error())
		}
		if m.Name == large && len(value) > 0 && value[0] == '[' {
			o.read = strictjson.Begun{Open: m.Value.Start, Elements: spans}
			continue
		}
		if err := strict(value); err != nil {
			return nil, refuse(fmt.Sprintf("the member %q is not acceptable JSON: %v", m.Name, err))
		}
	}

	if list := out[large]; len(list) > 0 && list[0] == '[' {
		o.elements = make([]json.RawMessage, len(spans))
		for i, at := range spans {
			o.elements[i] = at.Of(body)
		}
	}
	return o, nil
}

// parsed is a request's body: its members, the elements of its large one, nil where that is
// no list, and their places.
type parsed struct {
	members  map[string]json.RawMessage
	elements []json.RawMessage
	read     strictjson.Begun
}

// values returns the elements of a list, none for any other value.
func values(raw json.RawMessage) []json.RawMessage {
	elements, err := strictjson.Elements(raw)
	if err != nil {
		return nil
	}
	out := make([]json.RawMessage, len(elements))
	for i, at := range elements {
		out[i] = at.Of(raw)
	}
	return out
}

// join builds a list of values.
func join(values []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// extend appends values to a list that is a member of an object.
func extend(body []byte, member string, values ...json.RawMessage) []byte {
	at, ok := strictjson.Find(body, member)
	if !ok || len(values) == 0 || body[at.Start] != '[' {
		return body
	}
	more := join(values)
	more = more[1 : len(more)-1]
	inner := bytes.TrimRight(body[at.Start:at.End-1], " \t\r\n")
	if len(inner) > 1 {
		more = append([]byte{','}, more...)
	}
	end := at.Start + len(inner)
	return strictjson.Splice(body, strictjson.Span{Start: end, End: end}, more)
}

// below adds a text to the last turn of a request: to its content where that is a text,
// and else as a turn of its own. Some models take no two turns of the user's in a row.
func below(body []byte, member, text string) []byte {
	turns := values(strictjson.Get(body, member))
	if len(turns) == 0 {
		return body
	}
	last := turns[len(turns)-1]
	content := strictjson.Get(last, "content")
	if absent(content) || content[0] != '"' {
		return extend(body, member, fmt.Appendf(nil, `{"role":"user","content":%s}`, strictjson.Quote(text)))
	}
	turns[len(turns)-1] = strictjson.Set(last, "content", strictjson.Quote(strictjson.Text(content)+"\n\n"+text))
	return strictjson.Replace(body, join(turns), member)
}

// truth reports whether a value is true.
func truth(raw json.RawMessage) bool { return string(raw) == "true" }

// absent reports whether a member is missing or null.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func number(n int) json.RawMessage { return strictjson.Int(int64(n)) }

// integer parses a number; -1 if there is none.
func integer(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// sum adds the usage of two tries: numbers member by member, and otherwise the
// later value.
func sum(a, b json.RawMessage) json.RawMessage {
	switch {
	case absent(a):
		return b
	case absent(b):
		return a
	case a[0] != '{' || b[0] != '{':
		x, errX := json.Number(a).Int64()
		y, errY := json.Number(b).Int64()
		if errX == nil && errY == nil {
			return strictjson.Int(x + y)
		}
		u, errU := json.Number(a).Float64()
		v, errV := json.Number(b).Float64()
		if errU == nil && errV == nil {
			return strconv.AppendFloat(nil, u+v, 'g', -1, 64)
		}
		return b
	}

	members, err := strictjson.Members(b)
	if err != nil {
		return a
	}

	out := []byte(a)
	for _, m := range members {
		out = strictjson.Set(out, m.Name, sum(strictjson.Get(a, m.Name), m.Value.Of(b)))
	}

	return out
}

// overlay merges two objects; members of b win.
func overlay(a, b json.RawMessage) json.RawMessage {
	if absent(a) {
		return b
	}
	members, err := strictjson.Members(b)
	if err != nil {
		return a
	}
	out := []byte(a)
	for _, m := range members {
		if v := m.Value.Of(b); !absent(v) {
			out = strictjson.Set(out, m.Name, v)
		}
	}
	return out
}

// unmark removes the marks from members of a request.
func unmark(body []byte, b *begun, members ...string) []byte {
	if unmarked(body[b.end():]) {
		return body
	}
	for _, member := range members {
		if at, ok := strictjson.Find(body, member); ok {
			body = strictjson.Splice(body, at, removeMember(markMember, at.Of(body), contentDepth))
		}
	}
	return body
}

// unmarked reports whether a text has no marks, however they may be written.
func unmarked(text []byte) bool {
	return !bytes.Contains(text, []byte(markMember)) && !bytes.Contains(text, []byte(`\u`))
}

// editEach edits every value of a list and keeps the text between them.
func editEach(list json.RawMessage, f func(json.RawMessage) json.RawMessage) json.RawMessage {
	elements, err := strictjson.Elements(list)
	if err != nil {
		return list
	}
	out := make([]byte, 0, len(list))
	from := 0
	for _, at := range elements {
		out = append(append(out, list[from:at.Start]...), f(at.Of(list))...)
		from = at.End
	}
	return append(out, list[from:]...)
}

// contentDepth bounds the nesting of content in a request: messages, their
// content, the content of results, and some more.
const contentDepth = 16

// removeMember removes a member from a value and from its content.
func removeMember(member string, raw json.RawMessage, depth int) json.RawMessage {
	if depth == 0 || len(raw) == 0 {
		return raw
	}
	inner := func(raw json.RawMessage) json.RawMessage { return removeMember(member, raw, depth-1) }
	switch raw[0] {
	case '[':
		return editEach(raw, inner)
	case '{':
		out := json.RawMessage(strictjson.Remove(raw, member))
		for _, name := range []string{"content", "output", "parts"} {
			if at, ok := strictjson.Find(out, name); ok {
				out = strictjson.Splice(out, at, inner(at.Of(out)))
			}
		}
		return out
	}
	return raw
}

// removeCacheMarks removes the marks for a provider's cache, which clients move
// as a conversation grows.
func removeCacheMarks(raw json.RawMessage) json.RawMessage {
	const mark = "cache_control"
	if !bytes.Contains(raw, []byte(mark)) {
		return raw
	}
	return removeMember(mark, raw, contentDepth)
}
