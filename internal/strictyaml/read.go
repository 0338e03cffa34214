package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

const (
	// maxMistakes bounds the mistakes that are reported: a person won't read more, and a hostile
	// file would make megabytes of them.
	maxMistakes = 200
	// maxList is the length of a list where the format doesn't say, far beyond
	// what people write.
	maxList = 10_000
)

// Format is what a kind of file looks like from outside.
type Format struct {
	// MaxSize bounds the file, in bytes.
	MaxSize int
	// MaxList bounds every list; 0 is 10,000.
	MaxList int
	// TooLarge and Empty are the hints for files that are larger, or say nothing.
	TooLarge, Empty string
}

// Node is a place in a file, with its content.
type Node = yaml.Node

// Read reads a file: it parses the text and hands its root to the function, which reads the
// members by the methods of [Reader]. The name appears in positions. The error is of type
// [Errors] and has every mistake.
func Read(name string, data []byte, f Format, read func(*Reader, *Node)) error {
	r := &Reader{file: name, list: cmp.Or(f.MaxList, maxList)}
	if root := r.document(data, f); root != nil {
		read(r, root)
	}
	if len(r.errs) == 0 {
		return nil
	}
	r.errs.Sort()
	return r.errs
}

// Reader reads the nodes of one file and collects its mistakes.
type Reader struct {
	file string
	list int // the length of a list
	errs Errors
}

// At returns the place of a node.
func (r *Reader) At(n *Node) Position {
	return Position{File: r.file, Line: n.Line, Column: n.Column}
}

// Fail records a mistake at a node.
func (r *Reader) Fail(n *Node, hint, format string, args ...any) {
	if len(r.errs) < maxMistakes {
		r.errs = append(r.errs, &Error{Position: r.At(n), Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// Mistakes returns how many mistakes there are so far.
func (r *Reader) Mistakes() int { return len(r.errs) }

// document parses the text and returns its root, or nil after a mistake.
func (r *Reader) document(data []byte, f Format) *Node {
	top := &Node{}
	switch {
	case len(data) > f.MaxSize:
		r.Fail(top, f.TooLarge, "the file is larger than %d MiB", f.MaxSize>>20)
		return nil
	case !utf8.Valid(data):
		r.Fail(top, "save it as UTF-8", "the file is not valid UTF-8")
		return nil
	case comments(data):
		r.Fail(top, f.Empty, "the file is empty")
		return nil
	}

	var doc Node
	// The parser bounds the depth, and nothing here follows aliases.
	if err := yaml.Load(data, &doc); err != nil {
		r.syntax(data, err)
		return nil
	}

	root := &doc
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		root = doc.Content[0]
	}
	if root.Kind == 0 || Null(root) {
		r.Fail(top, f.Empty, "the file is empty")
		return nil
	}
	return root
}

// comments reports whether there is nothing else.
func comments(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// unreadable says what people mostly did where the YAML parser gives up, by its words.
var unreadable = []struct{ says, hint string }{
	{"mapping values are not allowed", "put a value with ': ' in it into quotes, and give keys that belong together the same indentation"},
	{"expected ',' or", "put a value with ': ', a comma or a bracket in it into quotes, and close every bracket"},
	{"did not find expected key", "give keys that belong together the same indentation; put a value that begins with a quote and goes on behind the next one into other quotes, or behind '|' on a line of its own"},
	{"expected '-' indicator", "give the elements of a list the same indentation"},
	{"cannot start any token", "put a value that begins with @, % or ` into quotes"},
	{"unexpected end of stream", "close the quotes"},
	{"control characters", "this is no text: name another file"},
	{"single document", "keep one document: take out '---' and what is behind it"},
	{"", "close quotes and brackets, and give keys that belong together the same indentation; the mistake may stand in the line before"},
}

// syntax records what the YAML parser says, and what to write instead.
func (r *Reader) syntax(data []byte, err error) {
	at := &Node{}
	var where *yaml.LoadError
	message := err.Error()
	if errors.As(err, &where) {
		at.Line, at.Column = where.Mark.Line, where.Mark.Column
		message = where.Message
	}
	if tabbed(data, at) {
		r.Fail(at, "indent it with spaces", "the line begins with a tab, which YAML doesn't take")
		return
	}
	hint := unreadable[slices.IndexFunc(unreadable, func(u struct{ says, hint string }) bool { return strings.Contains(message, u.says) })].hint
	r.Fail(at, hint, "not readable as YAML: %s", strings.TrimPrefix(message, "yaml: "))
}

// tabbed reports whether the parser stopped at a tab that indents the line. In brackets a line may begin
// with one, and the mistake is another.
func tabbed(data []byte, at *Node) bool {
	lines := bytes.SplitN(data, []byte("\n"), at.Line+1)
	if at.Line < 1 || at.Line > len(lines) {
		return false
	}
	line := lines[at.Line-1]
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	return indent == at.Column-1 && bytes.HasPrefix(line[indent:], []byte("\t"))
}
