package strictjson

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Objects with more members look repeated names up in a map (Go seeds each map
// at random, so that nobody can choose names that collide); smaller ones
// compare each name with each other, which allocates nothing.
const linearNames = 16

// The pointers of all leaves together may take this many times Limits.Size: a
// name of half a megabyte over a list of thousands would otherwise be copied
// thousands of times.
const pointerBudget = 4

const maxErrorPointer = 256

// Parse reads one JSON text. It refuses what RFC 8259 does not allow, what
// I-JSON (RFC 7493) forbids and readers disagree about (member names that
// repeat after unescaping, invalid UTF-8, lone surrogates, noncharacters), and
// what exceeds the limits. The error is always an [*Error]. The document does
// not refer to data afterwards.
func Parse(data []byte, limits Limits) (*Document, error) {
	limits = limits.orDefault()
	p := parser{limits: limits, pointersLeft: pointerBudget * limits.Size}
	if len(data) > limits.Size {
		return nil, p.errorf(limits.Size, "%d bytes are more than the limit of %d: send less", len(data), limits.Size)
	}
	if at, why := badEncoding(data); why != "" {
		return nil, p.errorf(at, "%s", why)
	}
	p.data, p.src = data, string(data)
	p.path, p.names = p.pathSpace[:0], p.nameSpace[:0]
	p.leaves = make([]Leaf, 0, min(limits.Leaves, len(data)/24+2))
	p.pointers.Grow(min(len(data)/2+16, 1<<16))

	i := p.space(0)
	if i == len(data) {
		return nil, p.errorf(i, "there is no value: send at least {}")
	}
	root := kindOf(data[i])
	i, err := p.value(i, 0)
	if err != nil {
		return nil, err
	}
	if i = p.space(i); i != len(data) {
		return nil, p.errorf(i, "something follows the value: send exactly one JSON value")
	}
	canonical := p.canonical
	if canonical == nil {
		canonical = make([]byte, 0, len(data)-p.copied)
	}
	canonical = append(canonical, data[p.copied:]...)
	return &Document{leaves: p.leaves, canonical: canonical, root: root}, nil
}

type parser struct {
	data []byte
	// src is the same bytes as a string, which leaves without escapes refer to.
	src    string
	leaves []Leaf
	// path is the pointer of the value being read.
	path []byte
	// names holds the member names of all objects being read, innermost last.
	names []string
	// texts and pointers hold the strings of the leaves. A Builder hands out
	// what it has so far without copying, and appending leaves that untouched.
	texts, pointers strings.Builder
	// canonical is the canonical form of data[:copied]. It is behind on purpose:
	// what needs no change is copied in one piece when a change comes.
	canonical    []byte
	copied       int
	limits       Limits
	pointersLeft int

	pathSpace [128]byte
	nameSpace [linearNames]string
}

func (p *parser) errorf(at int, format string, args ...any) *Error {
	ptr := p.path
	if len(ptr) > maxErrorPointer {
		ptr = ptr[:maxErrorPointer]
	}
	return &Error{Offset: at, Pointer: strings.ToValidUTF8(string(ptr), ""), Message: fmt.Sprintf(format, args...)}
}

// badEncoding finds the first byte that is not UTF-8 or starts a noncharacter.
func badEncoding(data []byte) (at int, why string) {
	i := 0
	for ; i+8 <= len(data); i += 8 {
		if binary.LittleEndian.Uint64(data[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(data) {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i, "this is not UTF-8: encode the text as UTF-8"
		case r == 0xFEFF && i == 0:
			return i, "the text starts with a byte order mark: leave it out"
		case noncharacter(r):
			return i, fmt.Sprintf("U+%04X is not a character: leave it out", r)
		}
		i += n
	}
	return 0, ""
}

// noncharacter tells whether Unicode set r aside for ever, which I-JSON forbids.
func noncharacter(r rune) bool {
	return r&0xFFFE == 0xFFFE || 0xFDD0 <= r && r <= 0xFDEF
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

// drop leaves data[from:to] out of the canonical form. The caller may append
// what stands there instead.
func (p *parser) drop(from, to int) {
	if p.canonical == nil {
		p.canonical = make([]byte, 0, len(p.data))
	}
	p.canonical = append(p.canonical, p.data[p.copied:from]...)
	p.copied = to
}

// space skips white space, which the canonical form leaves out.
func (p *parser) space(i int) int {
	if i >= len(p.data) || p.data[i] > ' ' {
		return i
	}
	from := i
	for i < len(p.data) {
		if c := p.data[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
		i++
	}
	if i > from {
		p.drop(from, i)
	}
	return i
}

func (p *parser) value(i, depth int) (int, *Error) {
	if i >= len(p.data) {
		return i, p.errorf(i, "the text ends where a value should be: send it whole")
	}
	switch c := p.data[i]; c {
	case '{':
		return p.object(i, depth+1)
	case '[':
		return p.array(i, depth+1)
	case '"':
		text, end, err := p.str(i)
		if err != nil {
			return i, err
		}
		return p.leaf(String, text, i, end)
	case 't':
		return p.word(i, "true", Bool)
	case 'f':
		return p.word(i, "false", Bool)
	case 'n':
		return p.word(i, "null", Null)
	default:
		if c == '-' || digit(c) {
			return p.number(i)
		}
		return i, p.unexpected(i, "a value")
	}
}

// unexpected describes what stands at i instead of what should.
func (p *parser) unexpected(i int, want string) *Error {
	if i >= len(p.data) {
		return p.errorf(i, "the text ends where there should be %s: send it whole", want)
	}
	r, _ := utf8.DecodeRune(p.data[i:])
	return p.errorf(i, "%q stands where there should be %s", r, want)
}

func (p *parser) leaf(kind Kind, text string, start, end int) (int, *Error) {
	if len(p.leaves) >= p.limits.Leaves {
		return start, p.errorf(start, "there are more than %d values: send fewer", p.limits.Leaves)
	}
	if len(p.path) > p.pointersLeft {
		return start, p.errorf(start, "the member names are too long for so many values beneath them: shorten the names")
	}
	p.pointersLeft -= len(p.path)
	at := p.pointers.Len()
	p.pointers.Write(p.path)
	p.leaves = append(p.leaves, Leaf{Pointer: p.pointers.String()[at:], Kind: kind, Text: text, Start: start, End: end})
	return end, nil
}

func (p *parser) word(i int, word string, kind Kind) (int, *Error) {
	if !strings.HasPrefix(p.src[i:], word) {
		return i, p.unexpected(i, "a value (is it "+word+", misspelt?)")
	}
	return p.leaf(kind, p.src[i:i+len(word)], i, i+len(word))
}

func digit(c byte) bool { return c-'0' <= 9 }

func (p *parser) number(i int) (int, *Error) {
	start, d := i, p.data
	digits := func() bool {
		from := i
		for i < len(d) && digit(d[i]) {
			i++
		}
		return i > from
	}
	if d[i] == '-' {
		i++
	}
	whole := i
	if !digits() {
		return i, p.unexpected(i, "a digit")
	}
	if d[whole] == '0' && i > whole+1 {
		return i, p.errorf(whole, "a number starts with a needless 0: leave the 0 out")
	}
	if i < len(d) && d[i] == '.' {
		i++
		if !digits() {
			return i, p.unexpected(i, "a digit after the point")
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		if !digits() {
			return i, p.unexpected(i, "a digit of the exponent")
		}
	}
	return p.leaf(Number, p.src[start:i], start, i)
}

func (p *parser) array(i, depth int) (int, *Error) {
	if depth > p.limits.Depth {
		return i, p.tooDeep(i)
	}
	start := i
	if i = p.space(i + 1); i < len(p.data) && p.data[i] == ']' {
		return p.leaf(Array, "", start, i+1)
	}
	base := len(p.path)
	for n := int64(0); ; n++ {
		p.path = strconv.AppendInt(append(p.path[:base], '/'), n, 10)
		var err *Error
		if i, err = p.value(i, depth); err != nil {
			return i, err
		}
		i = p.space(i)
		switch {
		case i < len(p.data) && p.data[i] == ',':
			i = p.space(i + 1)
		case i < len(p.data) && p.data[i] == ']':
			p.path = p.path[:base]
			return i + 1, nil
		default:
			return i, p.unexpected(i, "a comma or ]")
		}
	}
}

func (p *parser) object(i, depth int) (int, *Error) {
	if depth > p.limits.Depth {
		return i, p.tooDeep(i)
	}
	start := i
	if i = p.space(i + 1); i < len(p.data) && p.data[i] == '}' {
		return p.leaf(Object, "", start, i+1)
	}
	base, first := len(p.path), len(p.names)
	var seen map[string]struct{}
	for {
		if i >= len(p.data) || p.data[i] != '"' {
			return i, p.unexpected(i, "a member name in double quotes")
		}
		name, end, err := p.str(i)
		if err != nil {
			return i, err
		}
		if seen, err = p.newName(i, name, first, seen); err != nil {
			return i, err
		}
		p.path = appendToken(append(p.path[:base], '/'), name)
		if i = p.space(end); i >= len(p.data) || p.data[i] != ':' {
			return i, p.unexpected(i, "a colon")
		}
		if i, err = p.value(p.space(i+1), depth); err != nil {
			return i, err
		}
		i = p.space(i)
		switch {
		case i < len(p.data) && p.data[i] == ',':
			i = p.space(i + 1)
		case i < len(p.data) && p.data[i] == '}':
			p.path, p.names = p.path[:base], p.names[:first]
			return i + 1, nil
		default:
			return i, p.unexpected(i, "a comma or }")
		}
	}
}

func (p *parser) tooDeep(i int) *Error {
	return p.errorf(i, "objects and arrays are nested more than %d deep: flatten them", p.limits.Depth)
}

// newName notes a member name of the object whose names start at first, and
// refuses one that the object has already.
func (p *parser) newName(at int, name string, first int, seen map[string]struct{}) (map[string]struct{}, *Error) {
	repeated := false
	if seen != nil {
		_, repeated = seen[name]
	} else {
		for _, other := range p.names[first:] {
			if other == name {
				repeated = true
			}
		}
	}
	if repeated {
		shown := name
		if len(shown) > 64 {
			shown = strings.ToValidUTF8(shown[:64], "") + "..."
		}
		return seen, p.errorf(at, "the member name %q stands twice in one object: keep one of the two", shown)
	}
	if seen != nil {
		seen[name] = struct{}{}
		return seen, nil
	}
	p.names = append(p.names, name)
	if len(p.names)-first > linearNames {
		seen = make(map[string]struct{}, 4*linearNames)
		for _, other := range p.names[first:] {
			seen[other] = struct{}{}
		}
	}
	return seen, nil
}

// appendToken appends one reference token of a JSON pointer.
func appendToken(dst []byte, name string) []byte {
	from := 0
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '~':
			dst = append(append(dst, name[from:i]...), "~0"...)
			from = i + 1
		case '/':
			dst = append(append(dst, name[from:i]...), "~1"...)
			from = i + 1
		}
	}
	return append(dst, name[from:]...)
}

// plainEnd returns the index of the first byte at or after i that a string
// cannot hold as it is: a quote, a backslash or a control character.
func plainEnd(d []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(d); i += 8 {
		w := binary.LittleEndian.Uint64(d[i:])
		q, b := w^('"'*ones), w^('\\'*ones)
		// Each term sets the high bit of a byte that is zero, respectively
		// below 0x20. Borrows make false alarms only, which the loop below
		// clears up.
		if ((q-ones)&^q|(b-ones)&^b|(w-0x20*ones)&^w)&highs != 0 {
			break
		}
	}
	for i < len(d) && d[i] != '"' && d[i] != '\\' && d[i] >= 0x20 {
		i++
	}
	return i
}

// str reads the string that starts with the quote at i.
func (p *parser) str(i int) (text string, end int, err *Error) {
	start := i
	i = plainEnd(p.data, i+1)
	if i < len(p.data) && p.data[i] == '"' {
		return p.src[start+1 : i], i + 1, nil
	}
	if p.texts.Cap() == 0 {
		// What remains unescapes to fewer bytes than it has, so this is the
		// only allocation for texts.
		p.texts.Grow(len(p.data) - start)
	}
	at, from := p.texts.Len(), start+1
	for {
		if i >= len(p.data) {
			return "", i, p.errorf(start, "a string has no closing quote: send it whole")
		}
		p.texts.WriteString(p.src[from:i])
		switch c := p.data[i]; {
		case c == '"':
			return p.texts.String()[at:], i + 1, nil
		case c < 0x20:
			return "", i, p.errorf(i, "a string holds the control character U+%04X as it is: write \\u%04x", c, c)
		}
		r, end, err := p.escape(i)
		if err != nil {
			return "", i, err
		}
		p.texts.WriteRune(r)
		if short := p.data[i+1]; short == 'u' || short == '/' {
			p.drop(i, end)
			p.canonical = appendEscaped(p.canonical, r)
		}
		from, i = end, plainEnd(p.data, end)
	}
}

// escape reads the escape sequence, or pair of them, at i.
func (p *parser) escape(i int) (rune, int, *Error) {
	if i+1 >= len(p.data) {
		return 0, i, p.errorf(i, "the text ends within an escape sequence: send it whole")
	}
	switch c := p.data[i+1]; c {
	case '"', '\\', '/':
		return rune(c), i + 2, nil
	case 'b':
		return '\b', i + 2, nil
	case 'f':
		return '\f', i + 2, nil
	case 'n':
		return '\n', i + 2, nil
	case 'r':
		return '\r', i + 2, nil
	case 't':
		return '\t', i + 2, nil
	case 'u':
	default:
		return 0, i, p.errorf(i, "a backslash is followed by none of \"\\/bfnrtu: write \\\\ for a backslash")
	}
	r, ok := hex4(p.data, i+2)
	if !ok {
		return 0, i, p.errorf(i, "\\u is not followed by four hexadecimal digits")
	}
	end := i + 6
	if 0xD800 <= r && r <= 0xDFFF {
		low, ok := rune(0), false
		if end+1 < len(p.data) && p.data[end] == '\\' && p.data[end+1] == 'u' {
			low, ok = hex4(p.data, end+2)
		}
		if r >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF {
			return 0, i, p.errorf(i, "half of a surrogate pair stands alone: write both halves, or the character itself")
		}
		r, end = 0x10000+(r-0xD800)<<10+(low-0xDC00), end+6
	}
	if noncharacter(r) {
		return 0, i, p.errorf(i, "U+%04X is not a character: leave it out", r)
	}
	return r, end, nil
}

func hex4(d []byte, i int) (r rune, ok bool) {
	if i+4 > len(d) {
		return 0, false
	}
	for _, c := range d[i : i+4] {
		switch {
		case digit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendEscaped appends one character as RFC 8785 writes it inside a string.
func appendEscaped(dst []byte, r rune) []byte {
	const hexDigits = "0123456789abcdef"
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	if r < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	}
	return utf8.AppendRune(dst, r)
}
