package pdf

import (
	"bytes"
	"errors"
	"strconv"
)

// An object is nil, a bool, a float64, a text, a name, an array, a dict, a ref, a
// *stream, or, in content, an operator.
type object any

type (
	text     string
	name     string
	operator string
	array    []object
	dict     map[name]object
	ref      struct{ number, generation int }
)

// stream is a stream with its bytes as they are in the file.
type stream struct {
	dict
	raw []byte
}

var (
	errDamaged = errors.New("the PDF is damaged: open it in a program that shows it and save it again")
	errEnd     = errors.New("end of data")
)

// maxNesting is how deep arrays and dictionaries may be nested.
const maxNesting = 64

// lexer reads objects from bytes.
type lexer struct {
	data  []byte
	pos   int
	depth int
	// refs is set if "1 0 R" is a reference; in content it is not.
	refs bool
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func (l *lexer) space() {
	for l.pos < len(l.data) {
		switch c := l.data[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// next reads an object or an operator; at the end it returns errEnd.
func (l *lexer) next() (object, error) {
	l.space()
	if l.pos >= len(l.data) {
		return nil, errEnd
	}

	switch c := l.data[l.pos]; c {
	case '(':
		return l.literal()
	case '<':
		if bytes.HasPrefix(l.data[l.pos:], []byte("<<")) {
			l.pos += 2
			return l.dict()
		}
		return l.hex()
	case '[':
		l.pos++
		return l.array()
	case '/':
		return l.name(), nil
	case ']', '>', ')', '{', '}':
		l.pos++
		if c == '>' && l.pos < len(l.data) && l.data[l.pos] == '>' {
			l.pos++
			return operator(">>"), nil
		}
		return operator(c), nil
	}

	return l.word(), nil
}

// word reads a number, a reference, a keyword or an operator.
func (l *lexer) word() object {
	start := l.pos
	for l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelimiter(l.data[l.pos]) {
		l.pos++
	}
	word := string(l.data[start:l.pos])

	switch word {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}

	if c := word[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return operator(word)
	}

	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return operator(word)
	}
	if l.refs && isIndex(n) {
		if r, ok := l.reference(int(n)); ok {
			return r
		}
	}

	return n
}

// isIndex reports whether a number can be that of an object.
func isIndex(n float64) bool { return n >= 0 && n < maxObjects && n == float64(int(n)) }

func (l *lexer) reference(number int) (ref, bool) {
	start := l.pos
	l.space()
	digits := l.pos
	for l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '9' && l.pos-digits < 6 {
		l.pos++
	}
	generation, err := strconv.Atoi(string(l.data[digits:l.pos]))
	l.space()
	end := l.pos + 1
	goesOn := end < len(l.data) && !isSpace(l.data[end]) && !isDelimiter(l.data[end])
	if err != nil || goesOn || l.pos >= len(l.data) || l.data[l.pos] != 'R' {
		l.pos = start
		return ref{}, false
	}
	l.pos = end
	return ref{number, generation}, true
}

func (l *lexer) array() (object, error) {
	if l.depth++; l.depth > maxNesting {
		return nil, errDamaged
	}
	defer func() { l.depth-- }()
	out := array{}
	for {
		o, err := l.next()
		if err != nil {
			return nil, err
		}
		if o == operator("]") {
			return out, nil
		}
		out = append(out, o)
	}
}

func (l *lexer) dict() (object, error) {
	if l.depth++; l.depth > maxNesting {
		return nil, errDamaged
	}
	defer func() { l.depth-- }()
	out := dict{}

	for {
		key, err := l.next()
		if err != nil {
			return nil, err
		}
		if key == operator(">>") {
			return out, nil
		}

		value, err := l.next()
		if err != nil {
			return nil, err
		}

		k, ok := key.(name)
		if _, isOperator := value.(operator); !ok || isOperator {
			return nil, errDamaged
		}
		out[k] = value
	}
}

func (l *lexer) name() name {
	l.pos++
	var out []byte
	for l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelimiter(l.data[l.pos]) {
		c := l.data[l.pos]
		if c == '#' && l.pos+2 < len(l.data) {
			if n, err := strconv.ParseUint(string(l.data[l.pos+1:l.pos+3]), 16, 8); err == nil {
				c = byte(n)
				l.pos += 2
			}
		}
		out = append(out, c)
		l.pos++
	}
	return name(out)
}

func (l *lexer) hex() (object, error) {
	l.pos++
	end := bytes.IndexByte(l.data[l.pos:], '>')
	if end < 0 {
		return nil, errDamaged
	}
	out := unhex(l.data[l.pos : l.pos+end])
	l.pos += end + 1
	return text(out), nil
}

// unhex reads hexadecimal digits; a missing last one is 0.
func unhex(digits []byte) []byte {
	var out []byte
	half := -1
	for _, c := range digits {
		n, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			continue
		}
		if half < 0 {
			half = int(n)
			continue
		}
		out = append(out, byte(half<<4|int(n)))
		half = -1
	}
	if half >= 0 {
		out = append(out, byte(half<<4))
	}
	return out
}

func (l *lexer) literal() (object, error) {
	var out []byte
	depth := 0

	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch c {
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return text(out), nil
			}
		case '\\':
			out = l.escape(out)
			continue
		}

		out = append(out, c)
	}
	return nil, errDamaged
}

// escape reads what follows a backslash, and leaves the lexer at its last byte.
func (l *lexer) escape(out []byte) []byte {
	if l.pos++; l.pos >= len(l.data) {
		return out
	}

	c := l.data[l.pos]
	if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
		return append(out, "\n\r\t\b\f"[i])
	}

	switch {
	case c == '\n':
		return out
	case c == '\r':
		if l.pos+1 < len(l.data) && l.data[l.pos+1] == '\n' {
			l.pos++
		}
		return out
	case c < '0' || c > '7':
		return append(out, c)
	}

	n := 0
	for i := 0; i < 3 && l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '7'; i++ {
		n = n<<3 | int(l.data[l.pos]-'0')
		l.pos++
	}
	l.pos--
	return append(out, byte(n))
}
