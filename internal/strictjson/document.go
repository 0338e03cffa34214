package strictjson

import (
	"fmt"
	"sync"
)

// Kind is the JSON type of a value.
type Kind uint8

// The six types of RFC 8259.
const (
	Null Kind = iota
	Bool
	Number
	String
	Object
	Array
)

var kindNames = [...]string{"null", "boolean", "number", "string", "object", "array"}

// String returns the type's name as JSON Schema spells it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Leaf is one value without values inside: a scalar, or an empty object or
// array, which is a leaf so that no part of a document goes unlooked at.
type Leaf struct {
	// Pointer says where the leaf stands (RFC 6901). It is "" for a document
	// that is a leaf itself.
	Pointer string
	// Text is the unescaped string, the number exactly as the source has it
	// (never by way of a float), "true", "false" or "null", and "" for an
	// empty object or array.
	Text string
	// Start and End are the byte range of the value in the source, quotes
	// included.
	Start, End int
	// Kind is the leaf's type.
	Kind Kind
}

// Document is a JSON text that [Parse] accepted. It is read-only and safe for
// concurrent use.
type Document struct {
	leaves    []Leaf
	canonical []byte
	root      Kind

	once  sync.Once
	byPtr map[string]int
}

// Root returns the type of the outermost value.
func (d *Document) Root() Kind { return d.root }

// Leaves returns all leaves in document order. The caller must not change the
// slice.
func (d *Document) Leaves() []Leaf { return d.leaves }

// Canonical returns the document without insignificant white space, strings
// escaped as RFC 8785 does (only what must be), numbers by their exact source
// text and members in the order of the source. It is never longer than the
// source, and it is what to forward. The caller must not change the bytes.
func (d *Document) Canonical() []byte { return d.canonical }

// Documents with fewer leaves are searched one by one: that is quicker than
// making a map.
const linearGet = 32

// Get returns the leaf at a JSON pointer. Objects and arrays with something in
// them are no leaves, and are not found.
func (d *Document) Get(pointer string) (Leaf, bool) {
	if len(d.leaves) < linearGet {
		for i := range d.leaves {
			if d.leaves[i].Pointer == pointer {
				return d.leaves[i], true
			}
		}
		return Leaf{}, false
	}
	d.once.Do(func() {
		d.byPtr = make(map[string]int, len(d.leaves))
		for i := range d.leaves {
			d.byPtr[d.leaves[i].Pointer] = i
		}
	})
	i, ok := d.byPtr[pointer]
	if !ok {
		return Leaf{}, false
	}
	return d.leaves[i], true
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
}

// DefaultLimits are the limits for the arguments of a call: 1 MiB, 64 levels,
// 4096 leaves.
func DefaultLimits() Limits { return Limits{Size: 1 << 20, Depth: 64, Leaves: 4096} }

// OutputLimits are the limits for the result of a tool: 16 MiB, 64 levels,
// 200000 leaves.
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
	return l
}

// Error says why a text was refused.
type Error struct {
	// Pointer is the JSON pointer of the innermost value being read, cut after
	// 256 bytes.
	Pointer string
	// Message says what is wrong and what to write instead.
	Message string
	// Offset is the byte at which the problem was seen.
	Offset int
}

// Error implements the error interface.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("JSON at byte %d: %s", e.Offset, e.Message)
	}
	return fmt.Sprintf("JSON at byte %d, in %q: %s", e.Offset, e.Pointer, e.Message)
}
