package shell

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/remit-project/remit/internal/pattern"
)

// The bounds of a line. A line beyond them is not read.
const (
	// MaxLine is the longest line, in bytes: what agents write into one file by
	// a here-document, and far more than people type.
	MaxLine = 64 << 10
	// MaxPieces is how many words, redirections and assignments a line may have.
	MaxPieces = 512
)

// Span is a place in the line, in bytes.
type Span struct{ Start, End int }

// Line is a command line as it was read.
type Line struct {
	Text string
	// Commands are the simple commands that it plainly runs one after the other,
	// in the order in which they appear.
	Commands []Command
	// Pipes are the operators by which commands feed others.
	Pipes []Span
	// Opaque are the parts that are more than plain commands: loops, conditions,
	// functions, subshells, jobs in the background.
	Opaque []Span
	// All are the commands above and those of loops over known words, conditions,
	// subshells, jobs and substitutions: whatever the line may run, if nothing of
	// it is Unread. A loop's commands appear once for each of its words.
	All []Command
	// Unread are the parts that were not understood: functions, patterns of
	// cases, arithmetic, loops over what only the shell will know.
	Unread []Span
}

// Command is one simple command.
type Command struct {
	Span
	Assignments []Assignment
	// Words are the program and its arguments.
	Words     []Word
	Redirects []Redirect
	// Fed is set where another command's output is its input.
	Fed bool
	// Pipeline is a number that the commands of one pipeline share; 0 for none.
	Pipeline int
}

// Word is one word.
type Word struct {
	Span
	Kind Kind
	// Text is what the program is given, for a [Literal]; the pattern itself, for
	// a [Pattern]; empty otherwise.
	Text string
}

// Kind says how much of a word its text decides.
type Kind uint8

// The kinds of words.
const (
	// Literal words reach the program as written, without their quotes.
	Literal Kind = iota
	// Pattern words become the names of files that they match.
	Pattern
	// Output words hold the output of the line's commands, the names of files in a
	// loop over them, or the shell's own variables: text that only the shell will
	// know, and that may become several words.
	Output
	// Unknown words hold values that only the shell will know: variables, home
	// directories, alternatives.
	Unknown
)

// Assignment sets a variable for one command, or for the rest of the line.
type Assignment struct {
	Span
	Name  string
	Value Word
}

// Redirect connects a command with a file, another descriptor, or text.
type Redirect struct {
	Span
	// Writes is set where a file is written, and Text where the input is text of the line's own.
	// Neither is set where a file is read, or where one descriptor is made another.
	Writes, Text bool
	// File is the file; its kind is Literal and its text empty where there is
	// none.
	File Word
	// Unknown is set where the text holds what only the shell will know.
	Unknown bool
}

// ErrUnread is returned for a line that can't be read: it is not shell syntax,
// or exceeds the bounds.
var ErrUnread = errors.New("not readable as a command line")

// Read reads a line in the syntax of bash, of which the other shells' plain
// commands are a part.
func Read(text string) (*Line, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("%w: longer than %d KiB", ErrUnread, MaxLine>>10)
	}
	if strings.ContainsAny(text, "\x00\r") {
		// Shells differ in what they take these for.
		return nil, fmt.Errorf("%w: it has a zero byte or a carriage return", ErrUnread)
	}
	if nesting(text) > maxNesting {
		return nil, fmt.Errorf("%w: brackets are nested more than %d deep", ErrUnread, maxNesting)
	}

	if hash := strings.IndexByte(text, '#'); hash >= 0 && strings.Contains(text[hash:], "\\\n") {
		// A comment ends with its line in a shell, and goes on for the parser.
		return nil, fmt.Errorf("%w: a line goes on behind a number sign", ErrUnread)
	}

	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnread, err)
	}

	r := reader{line: Line{Text: text}, assigned: assigned(file)}
	for _, s := range file.Stmts {
		r.statement(s, scope{})
	}
	if r.pieces > MaxPieces {
		return nil, fmt.Errorf("%w: more than %d words", ErrUnread, MaxPieces)
	}
	return &r.line, nil
}

// maxNesting is how deep brackets may nest. The parser calls itself for each, which
// takes half a second for a line of nothing else.
const maxNesting = 128

// nesting returns how many brackets are open at once at most, quoted ones
// included.
func nesting(text string) int {
	open, most := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			open++
			most = max(most, open)
		case ')', '}', ']':
			open = max(0, open-1)
		}
	}
	return most
}

type reader struct {
	line      Line
	pieces    int
	pipelines int
	assigned  map[string]bool // variables that the line itself sets
}

// scope is where a statement appears.
type scope struct {
	fed, nested bool
	pipeline    int
	depth       int
	loops       map[string]Word // what the variables of loops hold
}

// within returns the scope inside of a construct.
func (in scope) within() scope {
	in.nested = true
	in.depth++
	return in
}

// maxDepth bounds how deep constructs are read.
const maxDepth = 8

// maxItems bounds the words of a loop, each of which is a reading of its body.
const maxItems = 32

// assigned returns the variables that a line sets by itself, other than by loops.
func assigned(file *syntax.File) map[string]bool {
	out := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				out[n.Name.Value] = true
			}
		case *syntax.Redirect:
			if n.N != nil {
				out[strings.Trim(n.N.Value, "{}")] = true
			}
		}
		return true
	})
	return out
}

func span(n syntax.Node) Span { return Span{int(n.Pos().Offset()), int(n.End().Offset())} }

func (r *reader) statement(s *syntax.Stmt, in scope) {
	if r.pieces++; r.pieces > MaxPieces {
		return
	}
	if s.Coprocess || s.Disown || in.depth > maxDepth {
		r.unread(s, in)
		return
	}
	if s.Background {
		r.opaque(s, in)
		in = in.within()
	}

	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(s, cmd, in)
		return
	case *syntax.BinaryCmd:
		if len(s.Redirs) > 0 {
			r.unread(s, in)
			return
		}
		r.binary(cmd, in)
		return
	case nil:
		c := Command{Span: span(s), Fed: in.fed, Pipeline: in.pipeline}
		r.redirects(&c, s.Redirs, in)
		r.add(c, in)
		return
	}

	if !s.Background {
		r.opaque(s, in)
	}
	r.construct(s, in.within())
}

func (r *reader) binary(cmd *syntax.BinaryCmd, in scope) {
	left, right := in, in
	if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
		if !in.nested {
			at := int(cmd.OpPos.Offset())
			r.line.Pipes = append(r.line.Pipes, Span{at, at + len(cmd.Op.String())})
		}
		if left.pipeline == 0 {
			r.pipelines++
			left.pipeline, right.pipeline = r.pipelines, r.pipelines
		}
		right.fed = true
	}
	r.statement(cmd.X, left)
	r.statement(cmd.Y, right)
}

// construct reads what a loop, a condition or a group may run.
func (r *reader) construct(s *syntax.Stmt, in scope) {
	if len(s.Redirs) > 0 {
		c := Command{Span: span(s), Fed: in.fed, Pipeline: in.pipeline}
		r.redirects(&c, s.Redirs, in)
		r.add(c, in)
	}

	switch cmd := s.Cmd.(type) {
	case *syntax.Block:
		r.statements(cmd.Stmts, in)
	case *syntax.Subshell:
		r.statements(cmd.Stmts, in)
	case *syntax.IfClause:
		for c := cmd; c != nil; c = c.Else {
			r.statements(c.Cond, in)
			r.statements(c.Then, in)
		}
	case *syntax.WhileClause:
		r.statements(cmd.Cond, in)
		r.statements(cmd.Do, in)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			r.statement(cmd.Stmt, in)
		}
	case *syntax.ForClause:
		r.loop(s, cmd, in)
	default:
		r.unread(s, in)
	}
}

func (r *reader) statements(all []*syntax.Stmt, in scope) {
	for _, s := range all {
		r.statement(s, in)
	}
}

// plainName reports whether a variable has no meaning to any shell.
func plainName(name string) bool {
	switch name {
	case "argv", "fignore", "histchars", "pipestatus", "prompt", "psvar", "signals", "status", "watch", "options", "aliases", "functions", "commands", "parameters", "dirstack", "builtins", "modules", "widgets", "keymaps":
		return false
	}
	return name != "" && !strings.HasSuffix(name, "path") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

// loop reads a loop over words, once for each of them.
func (r *reader) loop(s *syntax.Stmt, cmd *syntax.ForClause, in scope) {
	over, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || cmd.Select || !over.InPos.IsValid() || len(over.Items) == 0 || len(over.Items) > maxItems || !plainName(over.Name.Value) {
		r.unread(s, in)
		return
	}

	name := over.Name.Value
	for _, item := range over.Items {
		if r.pieces > MaxPieces {
			return
		}
		w := r.word(item, in)
		if r.assigned[name] {
			w.Kind = Unknown
		}
		body := in
		body.loops = maps.Clone(in.loops)
		if body.loops == nil {
			body.loops = map[string]Word{}
		}
		body.loops[name] = w
		r.statements(cmd.Do, body)
	}
}

func (r *reader) opaque(n syntax.Node, in scope) {
	if !in.nested {
		r.line.Opaque = append(r.line.Opaque, span(n))
	}
}

func (r *reader) unread(n syntax.Node, in scope) {
	r.opaque(n, in)
	r.line.Unread = append(r.line.Unread, span(n))
}

func (r *reader) add(c Command, in scope) {
	if !in.nested {
		r.line.Commands = append(r.line.Commands, c)
	}
	r.line.All = append(r.line.All, c)
}

func (r *reader) call(s *syntax.Stmt, call *syntax.CallExpr, in scope) {
	c := Command{Span: span(call), Fed: in.fed, Pipeline: in.pipeline}
	for _, a := range call.Assigns {
		r.pieces++
		out := Assignment{Span: span(a), Value: Word{Kind: Unknown}}
		if a.Name != nil {
			out.Name = a.Name.Value
		}
		switch {
		case a.Append, a.Naked, a.Index != nil, a.Array != nil:
		case a.Value == nil:
			out.Value.Kind = Literal
		default:
			out.Value = r.word(a.Value, in)
		}
		c.Assignments = append(c.Assignments, out)
	}

	for _, w := range call.Args {
		c.Words = append(c.Words, r.alternatives(w, in)...)
	}
	r.redirects(&c, s.Redirs, in)
	r.add(c, in)
}

// braces is a plain word with one list of alternatives.
var braces = pattern.OnUse(`^([\w./-]*)\{([\w./-]+(?:,[\w./-]+)+)\}([\w./-]*)$`)

// alternatives reads a word that may become several by a list of alternatives.
func (r *reader) alternatives(w *syntax.Word, in scope) []Word {
	m := braces().FindStringSubmatch(w.Lit())
	if m == nil || strings.Contains(m[2], "..") {
		return []Word{r.word(w, in)}
	}
	var out []Word
	for text := range strings.SplitSeq(m[2], ",") {
		r.pieces++
		out = append(out, Word{Span: span(w), Text: m[1] + text + m[3]})
	}
	return out
}

func (r *reader) redirects(c *Command, list []*syntax.Redirect, in scope) {
	for _, d := range list {
		r.pieces++
		out := Redirect{Span: span(d)}
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			out.Text = true
			_, out.Unknown = hereText(d)
		case syntax.WordHdoc:
			out.Text = true
			out.Unknown = r.word(d.Word, in).Kind >= Output
		case syntax.DplIn, syntax.DplOut:
			// Only a number or "-" is a descriptor. Another word is a file, and bash
			// expands it once more, whatever its quotes.
			if w := d.Word.Lit(); w != "-" && !isDigits(w) {
				out.Writes, out.Unknown, out.File = true, true, Word{Span: span(d.Word), Kind: Unknown}
			}
		case syntax.RdrIn:
			out.File = r.word(d.Word, in)
		default:
			out.Writes, out.File = true, r.word(d.Word, in)
		}

		if d.N != nil && strings.Trim(d.N.Value, "0123456789") != "" {
			out.Unknown = true // it sets a variable
		}
		c.Redirects = append(c.Redirects, out)
	}
}
