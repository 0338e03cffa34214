package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of a line. Beyond them it is not read, and so is one piece.
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
	// Commands are its simple commands, in the order in which they stand.
	Commands []Command
	// Pipes are the operators by which commands feed others.
	Pipes []Span
	// Opaque are the parts that are more than plain commands: loops, conditions,
	// functions, subshells, jobs in the background. What they hold is not read.
	Opaque []Span
}

// Command is one simple command.
type Command struct {
	Span
	Assignments []Assignment
	// Words are the program and its arguments.
	Words     []Word
	Redirects []Redirect
	// Fed tells that another command's output is its input.
	Fed bool
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
	// Literal words reach the program as they stand, without their quotes.
	Literal Kind = iota
	// Pattern words become the names of files that they match.
	Pattern
	// Unknown words hold what only the shell will know: variables, the output of
	// commands, home directories, alternatives.
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
	// Writes tells that a file is written, and Text that the input is text of
	// the line's own. Neither is set where a file is read, or where one
	// descriptor is made another.
	Writes, Text bool
	// File is the file; its kind is Literal and its text empty where there is
	// none.
	File Word
	// Unknown tells that the text holds what only the shell will know.
	Unknown bool
}

// ErrUnread is returned for a line that can't be read: it is no shell syntax,
// or beyond the bounds.
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
	if hash := strings.IndexByte(text, '#'); hash >= 0 && strings.Contains(text[hash:], "\\\n") {
		// A comment ends with its line in a shell, and goes on for the parser.
		return nil, fmt.Errorf("%w: a line goes on behind a number sign", ErrUnread)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnread, err)
	}
	r := reader{line: Line{Text: text}}
	for _, s := range file.Stmts {
		r.statement(s, false)
	}
	if r.pieces > MaxPieces {
		return nil, fmt.Errorf("%w: more than %d words", ErrUnread, MaxPieces)
	}
	return &r.line, nil
}

type reader struct {
	line   Line
	pieces int
}

func span(n syntax.Node) Span { return Span{int(n.Pos().Offset()), int(n.End().Offset())} }

func (r *reader) statement(s *syntax.Stmt, fed bool) {
	if r.pieces++; r.pieces > MaxPieces {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		r.line.Opaque = append(r.line.Opaque, span(s))
		return
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(s, cmd, fed)
	case *syntax.BinaryCmd:
		if len(s.Redirs) > 0 {
			r.line.Opaque = append(r.line.Opaque, span(s))
			return
		}
		piped := cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll
		if piped {
			at := int(cmd.OpPos.Offset())
			r.line.Pipes = append(r.line.Pipes, Span{at, at + len(cmd.Op.String())})
		}
		r.statement(cmd.X, fed)
		r.statement(cmd.Y, fed || piped)
	case nil:
		c := Command{Span: span(s), Fed: fed}
		r.redirects(&c, s.Redirs)
		r.line.Commands = append(r.line.Commands, c)
	default:
		r.line.Opaque = append(r.line.Opaque, span(s))
	}
}

func (r *reader) call(s *syntax.Stmt, call *syntax.CallExpr, fed bool) {
	c := Command{Span: span(call), Fed: fed}
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
			out.Value = r.word(a.Value)
		}
		c.Assignments = append(c.Assignments, out)
	}
	for _, w := range call.Args {
		c.Words = append(c.Words, r.word(w))
	}
	r.redirects(&c, s.Redirs)
	r.line.Commands = append(r.line.Commands, c)
}

func (r *reader) redirects(c *Command, list []*syntax.Redirect) {
	for _, d := range list {
		r.pieces++
		out := Redirect{Span: span(d)}
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			out.Text = true
			_, out.Unknown = hereText(d)
		case syntax.WordHdoc:
			out.Text = true
			out.Unknown = r.word(d.Word).Kind == Unknown
		case syntax.DplIn, syntax.DplOut:
			// Only a number or "-" is a descriptor. Another word is a file, and bash
			// expands it once more, whatever its quotes.
			if w := d.Word.Lit(); w != "-" && !isDigits(w) {
				out.Writes, out.Unknown, out.File = true, true, Word{Span: span(d.Word), Kind: Unknown}
			}
		case syntax.RdrIn:
			out.File = r.word(d.Word)
		default:
			out.Writes, out.File = true, r.word(d.Word)
		}
		if d.N != nil && strings.Trim(d.N.Value, "0123456789") != "" {
			out.Unknown = true // it sets a variable
		}
		c.Redirects = append(c.Redirects, out)
	}
}

// hereText is the text of a here-document, and whether the shell changes it.
func hereText(d *syntax.Redirect) (text string, unknown bool) {
	if d.Hdoc == nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range d.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return "", true
		}
		b.WriteString(lit.Value)
	}
	quoted := slices.ContainsFunc(d.Word.Parts, func(p syntax.WordPart) bool {
		_, lit := p.(*syntax.Lit)
		return !lit
	})
	return b.String(), !quoted && strings.ContainsAny(b.String(), "\\`$")
}

// word reads a word. The text of a word that is not known is not given.
func (r *reader) word(w *syntax.Word) Word {
	r.pieces++
	out := Word{Span: span(w)}
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			switch {
			case strings.ContainsAny(p.Value, "$`\\{"), i == 0 && strings.HasPrefix(p.Value, "~"),
				strings.Contains(p.Value, "=~"), strings.Contains(p.Value, ":~"):
				out.Kind = Unknown
			case strings.ContainsAny(p.Value, "*?[") && p.Value != "[":
				out.Kind = max(out.Kind, Pattern)
			case i == 0 && strings.HasPrefix(p.Value, "="):
				out.Kind = Unknown // zsh finds the program of the name
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				out.Kind = Unknown
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := quoted(p)
			if !ok {
				out.Kind = Unknown
			}
			b.WriteString(text)
		case *syntax.ParamExp:
			if !exitStatus(p) {
				out.Kind = Unknown
			}
			b.WriteByte('0')
		default:
			out.Kind = Unknown
		}
	}
	if out.Kind != Unknown {
		out.Text = b.String()
	}
	return out
}

// quoted is the text between double quotes. "$(cat <<'EOF' … EOF)" is text as
// well: it is how a message of several lines is written.
func quoted(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar {
		return "", false
	}
	var b strings.Builder
	for _, p := range q.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\`$") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.CmdSubst:
			text, ok := catText(p)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		case *syntax.ParamExp:
			if !exitStatus(p) {
				return "", false
			}
			b.WriteByte('0')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// exitStatus tells whether an expansion is "$?", which is a number and read here
// as 0.
func exitStatus(p *syntax.ParamExp) bool { return p.Short && p.Param != nil && p.Param.Value == "?" }

func catText(c *syntax.CmdSubst) (string, bool) {
	if c.TempFile || c.ReplyVar || len(c.Stmts) != 1 {
		return "", false
	}
	s := c.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(s.Redirs) != 1 {
		return "", false
	}
	if d := s.Redirs[0]; d.N == nil && (d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc) {
		if text, unknown := hereText(d); !unknown {
			return strings.TrimRight(text, "\n"), true
		}
	}
	return "", false
}
