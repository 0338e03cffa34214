package serialized

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictjson"
)

// readPython reads a text that is one value as Python's repr writes it: a dictionary, a
// list, a tuple, or an object with named members.
func readPython(text string) *strictjson.Document {
	switch c := text[0]; {
	case strings.IndexByte("{[(", c) >= 0:
	case isLetter(c) && strings.HasSuffix(text, ")"):
	default:
		return nil
	}
	p := python{text: text, w: newWriter()}
	p.value(0)
	if p.at != len(text) {
		return nil
	}
	return p.w.document()
}

// python reads one value. A mistake stops it at once.
type python struct {
	text string
	at   int
	w    *writer
}

func (p *python) fail() { p.w.wrong, p.at = true, len(p.text)+1 }

func (p *python) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// take reads a text that has to be here.
func (p *python) take(s string) bool {
	if p.at <= len(p.text) && strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *python) value(depth int) {
	if depth > maxDepth || p.w.wrong {
		p.fail()
		return
	}
	p.w.value()

	switch c := p.peek(); {
	case c == '{':
		p.dictionary(depth)
	case c == '[':
		p.at++
		p.list("]", depth)
	case c == '(':
		p.at++
		p.list(")", depth)
	case c == '\'' || c == '"':
		p.w.text(p.str())
	case c == '-' || isDigit(c):
		p.number()
	case isLetter(c):
		p.named(depth)
	default:
		p.fail()
	}
}

// separated reads the separator before the nth member of a collection.
func (p *python) separated(n int) bool {
	if n == 0 {
		return true
	}
	if !p.take(", ") {
		p.fail()
		return false
	}
	p.w.raw(",")
	return true
}

func (p *python) dictionary(depth int) {
	p.at++
	p.w.raw("{")

	for n := 0; !p.take("}"); n++ {
		if !p.separated(n) {
			return
		}
		switch c := p.peek(); {
		case c == '\'' || c == '"':
			p.w.text(p.str())
		case isDigit(c):
			p.w.text(p.digits())
		default:
			p.fail()
		}
		if !p.take(": ") {
			p.fail()
			return
		}
		p.w.raw(":")
		p.value(depth + 1)
	}
	p.w.raw("}")
}

func (p *python) list(end string, depth int) {
	p.w.raw("[")
	for n := 0; !p.take(end); n++ {
		if n > 0 && end == ")" && p.take(",)") {
			break // a tuple of one
		}
		if !p.separated(n) {
			return
		}
		p.value(depth + 1)
	}
	p.w.raw("]")
}

// str reads a string as repr writes it: in double quotes only where it has a single
// quote and no double quote.
func (p *python) str() string {
	quote := p.text[p.at]
	p.at++
	var b strings.Builder
	single, double := false, false // which quotes it holds

	for {
		c := p.peek()
		switch {
		case p.at >= len(p.text), c < ' ', c == 0x7f:
			p.fail()
			return ""
		case c == quote:
			p.at++
			wanted := byte('\'')
			if single && !double {
				wanted = '"'
			}
			if quote != wanted {
				p.fail()
			}
			return b.String()
		case c == '\\':
			r, ok := p.escaped()
			if !ok {
				p.fail()
				return ""
			}
			single = single || r == '\''
			b.WriteRune(r)
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			if r == utf8.RuneError && size == 1 {
				p.fail()
				return ""
			}
			single, double = single || r == '\'', double || r == '"'
			b.WriteRune(r)
			p.at += size
		}
	}
}

// pythonEscapes are the characters after a backslash, and what they mean.
var pythonEscapes = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\''}

// pythonHex are the escapes with hexadecimal digits, and how many they have.
var pythonHex = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func (p *python) escaped() (rune, bool) {
	p.at++
	c := p.peek()
	p.at++
	if r, ok := pythonEscapes[c]; ok {
		return r, true
	}
	n := pythonHex[c]
	if n == 0 || p.at+n > len(p.text) {
		return 0, false
	}
	code, err := strconv.ParseUint(p.text[p.at:p.at+n], 16, 32)
	p.at += n
	surrogate := code >= 0xd800 && code < 0xe000
	return rune(code), err == nil && code <= utf8.MaxRune && !surrogate
}

// number reads a number as repr writes it.
func (p *python) number() {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("-+.e0123456789", p.text[p.at]) >= 0 {
		p.at++
	}
	if s := p.text[start:p.at]; isNumber(s) {
		p.w.raw(s)
		return
	}
	p.fail()
}

func (p *python) digits() string {
	start := p.at
	for p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// pythonWords are the names of values.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// named reads what begins with a name: a constant, a date, or an object with its members
// as Name(a=1, b='x').
func (p *python) named(depth int) {
	start := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || isDigit(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	name := p.text[start:p.at]
	if word, ok := pythonWords[name]; ok {
		p.w.raw(word)
		return
	}
	if !p.take("(") {
		p.fail()
		return
	}

	switch name {
	case "datetime.datetime", "datetime.date":
		p.moment(name == "datetime.date")
	case "Decimal", "UUID":
		if c := p.peek(); c != '\'' {
			p.fail()
			return
		}
		p.w.text(p.str())
		if !p.take(")") {
			p.fail()
		}
	default:
		p.members(depth)
	}
}

// members reads the members of an object up to its closing bracket.
func (p *python) members(depth int) {
	p.w.raw("{")

	for n := 0; !p.take(")"); n++ {
		if !p.separated(n) {
			return
		}
		start := p.at
		for p.at < len(p.text) && (isLetter(p.text[p.at]) || isDigit(p.text[p.at])) {
			p.at++
		}
		if p.at == start || p.at > len(p.text) {
			p.fail()
			return
		}
		p.w.text(p.text[start:p.at])
		if !p.take("=") {
			p.fail()
			return
		}
		p.w.raw(":")
		p.value(depth + 1)
	}
	p.w.raw("}")
}

// moment reads the numbers of a date, or of a date and a time without a zone.
func (p *python) moment(date bool) {
	end := strings.IndexByte(p.text[p.at:], ')')
	if end < 0 || end > maxNumber {
		p.fail()
		return
	}
	var parts []int
	for s := range strings.SplitSeq(p.text[p.at:p.at+end], ", ") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || len(s) > len("999999") {
			p.fail()
			return
		}
		parts = append(parts, n)
	}
	p.at += end + 1

	timed := !date && len(parts) >= 5 && len(parts) <= 7
	if !timed && (!date || len(parts) != 3) {
		p.fail()
		return
	}
	text := fmt.Sprintf("%04d-%02d-%02d", parts[0], parts[1], parts[2])
	if timed {
		parts = append(parts, 0)
		text += fmt.Sprintf(" %02d:%02d:%02d", parts[3], parts[4], parts[5])
	}
	p.w.text(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	lower := c | 0x20
	return c == '_' || (lower >= 'a' && lower <= 'z')
}
