package strictjson

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// pointerBudget is how many times Limits.Size the pointers of all leaves
	// together may take: a name of half a megabyte over a list of thousands would
	// otherwise be copied thousands of times.
	pointerBudget = 4
	// valueBudget is how many times Limits.Leaves the number of all values may be by
	// default, which bounds the memory that deep nesting takes.
	valueBudget = 8
	// largest is the size of a text whose places an int32 can hold.
	largest = 1<<31 - 1
)

// Parse reads one JSON text. It refuses what RFC 8259 does not allow, what
// I-JSON (RFC 7493) forbids and readers disagree about (member names that
// repeat after unescaping, invalid UTF-8, lone surrogates, noncharacters), and
// what exceeds the limits. The error is always an [*Error]. The document does
// not refer to data afterwards.
func Parse(data []byte, limits Limits) (*Document, error) {
	limits = limits.orDefault()
	if err := tooLarge(data, limits); err != nil {
		return nil, err
	}
	if !jsontext.Value(data).IsValid() {
		return nil, refusal(data)
	}
	if at := noncharacterIn(data); at >= 0 {
		return nil, notCharacter(data, at)
	}
	return walk(data, limits, false)
}

// walk notes the places of all values of a text that is valid JSON. A tolerant
// walk accepts noncharacters.
func walk(data []byte, limits Limits, tolerant bool) (*Document, error) {
	w := walker{d: &Document{data: bytes.Clone(data), compact: true}, limits: limits, tolerant: tolerant}
	w.d.nodes = make([]node, 0, min(limits.Leaves, len(data)/24+2))
	w.space(w.value(w.space(0), 0, 0, Span{}))
	if w.err != nil {
		return nil, w.err
	}
	return w.d, nil
}

type walker struct {
	d      *Document
	limits Limits
	// tolerant means that noncharacters are accepted.
	tolerant bool
	err      *Error
}

// fail records why the text is refused. Nothing is read after that: all positions
// that are returned are the end of the text.
func (w *walker) fail(at int, format string, args ...any) int {
	if w.err == nil {
		w.err = newError(w.d.data, at, format, args...)
	}
	return len(w.d.data)
}

// value notes the value at a place, and returns where it ends. The pointer is the
// length of its JSON pointer.
func (w *walker) value(at, depth, pointer int, key Span) int {
	self := len(w.d.nodes)
	kind := kindOf(w.d.data[at])
	w.d.nodes = append(w.d.nodes, node{
		key: int32(key.Start), keyEnd: int32(key.End), start: int32(at), kind: kind,
	})
	if self >= w.limits.Values {
		return w.fail(at, "there are more than %d values, objects and arrays included: send fewer", w.limits.Values)
	}

	end := at
	switch kind {
	case Object, Array:
		if depth == w.limits.Depth {
			return w.fail(at, "objects and arrays are nested more than %d deep: flatten them", w.limits.Depth)
		}
		end = w.inside(at, depth+1, pointer, kind)
	case String:
		end = w.str(at)
	default:
		end = w.word(at)
	}
	if w.err != nil {
		return end
	}

	n := &w.d.nodes[self]
	n.end, n.next = int32(end), int32(len(w.d.nodes))
	if len(w.d.nodes) == self+1 {
		w.leaf(at, pointer)
	}
	return end
}

// leaf counts a leaf.
func (w *walker) leaf(at, pointer int) {
	if w.d.count++; w.d.count > w.limits.Leaves {
		w.fail(at, "there are more than %d values: send fewer", w.limits.Leaves)
	}
	if w.d.pointers += pointer; w.d.pointers > pointerBudget*w.limits.Size {
		w.fail(at, "the member names are too long for so many values beneath them: shorten the names")
	}
}

// inside notes what an object or array holds, and returns where it ends.
func (w *walker) inside(at, depth, pointer int, kind Kind) int {
	at = w.space(at + 1)

	for position := 0; w.err == nil; position++ {
		switch w.d.data[at] {
		case '}', ']':
			return at + 1
		case ',':
			at = w.space(at + 1)
		}

		var key Span
		token := 1
		if kind == Object {
			key = Span{at, w.str(at)}
			token += key.End - key.Start - len(`""`)
			at = w.space(w.space(key.End) + len(":"))
		} else {
			token += digits(position)
		}

		at = w.space(w.value(at, depth, pointer+token, key))
	}
	return at
}

// digits returns how many digits a number that is not negative has.
func digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}

// space returns the end of the white space at a place.
func (w *walker) space(at int) int {
	from := at
	for at < len(w.d.data) && w.d.data[at] <= ' ' {
		at++
	}
	if at > from {
		w.d.compact = false
	}
	return at
}

// word returns the end of a number, true, false or null.
func (w *walker) word(at int) int {
	for ; at < len(w.d.data); at++ {
		switch w.d.data[at] {
		case ',', ']', '}', ' ', '\t', '\n', '\r':
			return at
		}
	}
	return at
}

// str returns the end of a string.
func (w *walker) str(at int) int {
	data := w.d.data
	end := at + 1
	end += bytes.IndexByte(data[end:], '"')
	if bytes.IndexByte(data[at:end], '\\') < 0 {
		return end + 1
	}

	for escaped(data[at+1 : end]) {
		end += 1 + bytes.IndexByte(data[end+1:], '"')
	}
	w.escapes(at, data[at:end+1])
	return end + 1
}

// escaped reports whether what follows text is escaped by it: text ends with an
// odd number of backslashes.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// escapes looks at a string for escape sequences that the canonical form doesn't
// have, and for those of noncharacters.
func (w *walker) escapes(at int, raw []byte) {
	unicode := bytes.Contains(raw, []byte(`\u`))
	if unicode || bytes.Contains(raw, []byte(`\/`)) {
		w.d.compact = false
	}
	if !unicode || w.tolerant {
		return
	}
	for _, r := range unquote(raw) {
		if noncharacter(r) {
			w.fail(at, "U+%04X is not a character: leave it out", r)
			return
		}
	}
}

func kindOf(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}

// noncharacter reports whether Unicode set r aside for ever, which I-JSON forbids.
func noncharacter(r rune) bool {
	lastOfPlane := r&0xFFFE == 0xFFFE
	arabicForms := 0xFDD0 <= r && r <= 0xFDEF
	return lastOfPlane || arabicForms
}

// noncharacterIn returns the place of the first noncharacter, -1 when there is
// none.
func noncharacterIn(data []byte) int {
	at := 0
	for ; at+8 <= len(data); at += 8 {
		if binary.LittleEndian.Uint64(data[at:])&0x8080808080808080 != 0 {
			break
		}
	}
	for at < len(data) {
		if data[at] < utf8.RuneSelf {
			at++
			continue
		}
		r, n := utf8.DecodeRune(data[at:])
		if noncharacter(r) {
			return at
		}
		at += n
	}
	return -1
}
