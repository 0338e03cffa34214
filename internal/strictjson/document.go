package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the JSON type of a value.
type Kind uint8

// The six types of RFC 8259, and the kind of a value that does not exist.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Object
	Array
)

var kindNames = [...]string{"missing", "null", "boolean", "number", "string", "object", "array"}

// String returns the type's name as JSON Schema spells it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Leaf is one value without values inside: a scalar, or an empty object or
// array, which is a leaf so that every part of a document is looked at.
type Leaf struct {
	// Pointer is the place of the leaf (RFC 6901). It is "" for a document
	// that is a leaf itself.
	Pointer string
	// Text is the unescaped string, the number exactly as the source has it
	// (never by way of a float), "true", "false" or "null", and "" for an
	// empty object or array.
	Text string
	// Start and End are the byte range of the value in the source, quotes
	// included.
	Start, End int
	// Indexes has bit i set where segment i of the pointer is the index of an element. A
	// pointer alone doesn't tell: an object may have a member "0". Of a segment beyond the
	// 64th nothing is known, and it counts as a name.
	Indexes uint64
	// Kind is the leaf's type.
	Kind Kind
}

// IsIndex reports whether a segment of the pointer, counted from 0, is the index of an element.
func (l *Leaf) IsIndex(segment int) bool { return segment >= 0 && l.Indexes>>segment&1 == 1 }

// Document is a JSON text that [Parse] accepted. It is read-only and safe for
// concurrent use.
type Document struct {
	data []byte
	// nodes are all values, each before those inside it.
	nodes []node
	// compact means that data is its own canonical form.
	compact bool
	// count is the number of leaves, pointers the room that their pointers take.
	count, pointers int

	onceLeaves, onceCanonical sync.Once
	leaves                    []Leaf
	canonical                 []byte

	mu sync.Mutex
	// indexes find the members of large objects, made when first needed.
	indexes map[int32]map[string]int32
}

// node is one value: where its name (in an object) and the value itself are in the
// text, and which node follows those inside it.
type node struct {
	key, keyEnd, start, end, next int32
	kind                          Kind
}

// Root returns the outermost value.
func (d *Document) Root() Value { return Value{d, 0} }

// Leaves returns all leaves in document order. The caller must not change the
// slice.
func (d *Document) Leaves() []Leaf {
	d.onceLeaves.Do(func() {
		l := lister{d: d, source: string(d.data), leaves: make([]Leaf, 0, d.count)}
		l.pointers.Grow(d.pointers)
		var pointer [128]byte
		l.list(0, pointer[:0], way{})
		d.leaves = l.leaves
	})
	return d.leaves
}

// lister writes the leaves of a document. A Builder hands out what it has so far
// without copying, and appending leaves that untouched.
type lister struct {
	d               *Document
	source          string
	leaves          []Leaf
	pointers, texts strings.Builder
	space           [256]byte // for what is unescaped
}

// way is how deep a value is, and which segments on the way to it are indexes.
type way struct {
	depth   int
	indexes uint64
}

// inside returns the way to what is in a value.
func (w way) inside(k Kind) way {
	if k == Array {
		w.indexes |= 1 << w.depth
	}
	w.depth++
	return w
}

func (l *lister) list(at int32, pointer []byte, w way) []byte {
	n := &l.d.nodes[at]
	if n.next == at+1 {
		from := l.pointers.Len()
		l.pointers.Write(pointer)
		l.leaves = append(l.leaves, Leaf{
			Pointer: l.pointers.String()[from:], Kind: n.kind, Text: l.text(n), Start: int(n.start), End: int(n.end), Indexes: w.indexes,
		})
		return pointer
	}

	above := len(pointer)
	w = w.inside(n.kind)
	position := int64(0)
	for i := at + 1; i < n.next; i = l.d.nodes[i].next {
		pointer = append(pointer[:above], '/')
		if n.kind == Object {
			pointer = l.appendName(pointer, &l.d.nodes[i])
		} else {
			pointer = strconv.AppendInt(pointer, position, 10)
		}
		position++
		pointer = l.list(i, pointer, w)
	}
	return pointer
}

func (l *lister) appendName(pointer []byte, n *node) []byte {
	name := l.d.data[n.key+1 : n.keyEnd-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(l.space[:0], l.d.data[n.key:n.keyEnd])
	}
	for _, c := range name {
		switch c {
		case '~':
			pointer = append(pointer, "~0"...)
		case '/':
			pointer = append(pointer, "~1"...)
		default:
			pointer = append(pointer, c)
		}
	}
	return pointer
}

func (l *lister) text(n *node) string {
	switch n.kind {
	case Object, Array:
		return ""
	case String:
	default:
		return l.source[n.start:n.end]
	}
	if plain := l.source[n.start+1 : n.end-1]; strings.IndexByte(plain, '\\') < 0 {
		return plain
	}

	if l.texts.Cap() == 0 {
		// What remains unescapes to fewer bytes than it has, so that this is the
		// only allocation for texts.
		l.texts.Grow(len(l.source) - int(n.start))
	}
	from := l.texts.Len()
	text, _ := jsontext.AppendUnquote(l.space[:0], l.d.data[n.start:n.end])
	l.texts.Write(text)
	return l.texts.String()[from:]
}

// Canonical returns the document without insignificant white space, strings
// escaped as RFC 8785 does (only what must be), numbers by their exact source
// text and members in the order of the source. It is never longer than the
// source, and it is what to forward. The caller must not change the bytes.
func (d *Document) Canonical() []byte {
	if d.compact {
		return d.data
	}
	d.onceCanonical.Do(func() {
		d.canonical = d.appendCanonical(make([]byte, 0, len(d.data)), 0)
	})
	return d.canonical
}

func (d *Document) appendCanonical(dst []byte, at int32) []byte {
	n := &d.nodes[at]
	switch n.kind {
	case String:
		return appendQuoted(dst, d.data[n.start:n.end])
	case Object, Array:
	default:
		return append(dst, d.data[n.start:n.end]...)
	}

	dst = append(dst, d.data[n.start])
	for i := at + 1; i < n.next; i = d.nodes[i].next {
		if i > at+1 {
			dst = append(dst, ',')
		}
		if n.kind == Object {
			dst = append(appendQuoted(dst, d.data[d.nodes[i].key:d.nodes[i].keyEnd]), ':')
		}
		dst = d.appendCanonical(dst, i)
	}
	return append(dst, d.data[n.end-1])
}

// appendQuoted appends a quoted string in its canonical form.
func appendQuoted(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return append(dst, raw...)
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

// At returns the value at a JSON pointer as [Leaf] has them; it is missing when
// the document has none there.
func (d *Document) At(pointer string) Value {
	v, _ := d.find(pointer)
	return v
}

func (d *Document) find(pointer string) (Value, way) {
	if pointer != "" && pointer[0] != '/' {
		return Value{}, way{}
	}
	v, w := d.Root(), way{}
	for pointer != "" {
		token, rest := pointer[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, rest = token[:i], token[i:]
		}
		w = w.inside(v.Kind())
		v, pointer = v.step(token), rest
	}
	return v, w
}

// Get returns the leaf at a JSON pointer. Objects and arrays that are not empty
// are not leaves, and are not found.
func (d *Document) Get(pointer string) (Leaf, bool) {
	v, w := d.find(pointer)
	if v.Kind() == Missing || v.Len() > 0 {
		return Leaf{}, false
	}
	n := v.node()
	text := v.Text()
	if n.kind < String {
		text = string(v.Raw())
	}
	return Leaf{Pointer: pointer, Kind: n.kind, Text: text, Start: int(n.start), End: int(n.end), Indexes: w.indexes}, true
}

// Limits bound what [Parse] accepts. A field that is zero or less takes its
// value from [DefaultLimits].
type Limits struct {
	// Size is the largest source in bytes. The pointers of all leaves together
	// may take four times as much.
	Size int
	// Depth is the deepest nesting of objects and arrays.
	Depth int
	// Leaves is the largest number of leaves.
	Leaves int
	// Values is the largest number of values, objects and arrays included. The
	// default is eight times Leaves.
	Values int
}

// DefaultLimits returns the limits for the arguments of a call: 1 MiB, 64 levels, 4096 leaves.
func DefaultLimits() Limits { return Limits{Size: 1 << 20, Depth: 64, Leaves: 4096} }

// OutputLimits returns the limits for the result of a tool: 16 MiB, 64 levels, 200000 leaves.
func OutputLimits() Limits { return Limits{Size: 16 << 20, Depth: 64, Leaves: 200_000} }

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Size <= 0 {
		l.Size = d.Size
	}
	if l.Depth <= 0 {
		l.Depth = d.Depth
	}
	if l.Leaves <= 0 {
		l.Leaves = d.Leaves
	}
	if l.Values <= 0 {
		l.Values = valueBudget * l.Leaves
	}
	return l
}
