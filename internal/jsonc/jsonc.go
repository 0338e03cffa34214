// Package jsonc reads JSON as people write it into configuration files, with
// comments and trailing commas, and edits it byte by byte: what an edit is not
// about stays as it is.
package jsonc

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/remit-project/remit/contract"
)

const (
	// maxFile bounds a file: Claude Code keeps its history in the same file as
	// its servers.
	maxFile = 64 << 20
	// maxDepth bounds nesting, as the parser is recursive.
	maxDepth = 200
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota // a number, true, false or null
	Text
	Array
	Object
)

// Node is a value with its place in the text.
type Node struct {
	Kind Kind
	// Start and End are the value's bytes.
	Start, End int
	// Text is the value of a string.
	Text     string
	Elements []*Node
	Members  []Member
}

// Member is a member of an object.
type Member struct {
	Name string
	// Start is where the name begins.
	Start int
	Value *Node
}

// Get returns a member's value, nil when there is none, or when n is nil or no
// object.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// parser reads JSON with comments and trailing commas, as VS Code does. Names
// that stand twice are refused: programs differ in which of them they take.
type parser struct {
	file string
	data []byte
	at   int
}

// Position is the line and column of an offset.
func Position(file string, data []byte, at int) contract.Position {
	p := contract.Position{File: file, Line: 1, Column: 1}
	for _, r := range string(data[:min(at, len(data))]) {
		if p.Column++; r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
	}
	return p
}

func (p *parser) fail(at int, hint, format string, args ...any) error {
	return &contract.Error{Position: Position(p.file, p.data, at), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Parse reads a file; the name stands in the error, which is a
// [*contract.Error].
func Parse(file string, data []byte) (*Node, error) {
	p := &parser{file: file, data: data}
	switch {
	case len(data) > maxFile:
		return nil, p.fail(0, "", "the file is larger than %d MiB", maxFile>>20)
	case !utf8.Valid(data):
		return nil, p.fail(0, "save it as UTF-8", "the file is not valid UTF-8")
	}
	if len(data) >= 3 && string(data[:3]) == "\ufeff" {
		p.at = 3
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(data) {
		return nil, p.fail(p.at, "remove what follows the closing brace", "the file goes on after its end")
	}
	return n, nil
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

// space skips spaces and comments.
func (p *parser) space() error {
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '/' && p.at+1 < len(p.data) && p.data[p.at+1] == '/':
			for p.at < len(p.data) && p.data[p.at] != '\n' {
				p.at++
			}
		case c == '/' && p.at+1 < len(p.data) && p.data[p.at+1] == '*':
			start := p.at
			for p.at += 2; ; p.at++ {
				if p.at+1 >= len(p.data) {
					return p.fail(start, "end it with */", "a comment has no end")
				}
				if p.data[p.at] == '*' && p.data[p.at+1] == '/' {
					break
				}
			}
			p.at += 2
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, p.fail(p.at, "", "the file is nested too deep")
	}
	switch p.peek() {
	case 0:
		return nil, p.fail(p.at, "check the braces", "the file ends too early")
	case '"':
		return p.quoted()
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	}
	start := p.at
	for p.at < len(p.data) {
		c := p.data[p.at]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '+' && c != '.' {
			break
		}
		p.at++
	}
	if start == p.at || !json.Valid(p.data[start:p.at]) {
		return nil, p.fail(start, "check the quotes and commas around it", "this is not JSON")
	}
	return &Node{Kind: Scalar, Start: start, End: p.at}, nil
}

func (p *parser) quoted() (*Node, error) {
	n := &Node{Kind: Text, Start: p.at}
	for p.at++; ; p.at++ {
		switch p.peek() {
		case 0, '\n':
			return nil, p.fail(n.Start, "close its quote", "a text has no end")
		case '\\':
			p.at++
			continue
		case '"':
			p.at++
			n.End = p.at
			if err := json.Unmarshal(p.data[n.Start:n.End], &n.Text); err != nil {
				return nil, p.fail(n.Start, "check its backslashes", "this is not a JSON text")
			}
			return n, nil
		}
	}
}

func (p *parser) array(depth int) (*Node, error) {
	n := &Node{Kind: Array, Start: p.at}
	err := p.list(n, ']', func() error {
		e, err := p.value(depth + 1)
		n.Elements = append(n.Elements, e)
		return err
	})
	return n, err
}

func (p *parser) object(depth int) (*Node, error) {
	n := &Node{Kind: Object, Start: p.at}
	seen := map[string]bool{}
	err := p.list(n, '}', func() error {
		if p.peek() != '"' {
			return p.fail(p.at, "write it in double quotes", "the name of a member is expected here")
		}
		name, err := p.quoted()
		if err != nil {
			return err
		}
		if seen[name.Text] {
			return p.fail(name.Start, "remove one of them", "%q stands twice", name.Text)
		}
		seen[name.Text] = true
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() != ':' {
			return p.fail(p.at, "write a colon after the name", "the value of %q is missing", name.Text)
		}
		p.at++
		if err := p.space(); err != nil {
			return err
		}
		v, err := p.value(depth + 1)
		n.Members = append(n.Members, Member{name.Text, name.Start, v})
		return err
	})
	return n, err
}

// list reads what stands between a bracket, where the node starts, and its end,
// one item after the other. A comma may stand behind the last one.
func (p *parser) list(n *Node, end byte, item func() error) error {
	p.at++
	for more := true; more; {
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == end {
			break
		}
		err := item()
		if err != nil {
			return err
		}
		if more, err = p.comma(end); err != nil {
			return err
		}
	}
	p.at++
	n.End = p.at
	return nil
}

// comma reads what follows an element, and tells whether another may follow.
func (p *parser) comma(end byte) (bool, error) {
	if err := p.space(); err != nil {
		return false, err
	}
	switch p.peek() {
	case end:
		return false, nil
	case ',':
		p.at++
		return true, nil
	}
	return false, p.fail(p.at, "check the commas and brackets", "a comma or %q is expected here", string(end))
}
