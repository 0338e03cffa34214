package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hereText returns the text of a here-document, and whether the shell changes it.
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
func (r *reader) word(w *syntax.Word, in scope) Word {
	r.pieces++
	x := wording{r: r, in: in, out: Word{Span: span(w)}}
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			x.literal(p.Value, i == 0, len(w.Parts) == 1)
		case *syntax.SglQuoted:
			if p.Dollar {
				x.become(Unknown)
			}
			x.b.WriteString(p.Value)
		case *syntax.DblQuoted:
			x.quoted(p)
		default:
			x.expansion(p, false)
		}
	}

	if x.out.Kind < Output {
		x.out.Text = x.b.String()
	}
	return x.out
}

// wording is a word in the making.
type wording struct {
	r   *reader
	in  scope
	out Word
	b   strings.Builder
}

func (x *wording) become(k Kind) { x.out.Kind = max(x.out.Kind, k) }

// literal reads a piece without quotes.
func (x *wording) literal(text string, first, alone bool) {
	plain, escaped, ok := unescaped(text)
	switch {
	case alone && text == "{}":
	case !ok, strings.ContainsAny(plain, "$`{"), first && strings.HasPrefix(plain, "~"),
		strings.Contains(plain, "=~"), strings.Contains(plain, ":~"):
		x.become(Unknown)
	case strings.ContainsAny(plain, "*?[") && text != "[":
		if escaped != plain {
			x.become(Unknown) // some of it is a pattern, and some is not
		}
		x.become(Pattern)
	case first && strings.HasPrefix(plain, "="):
		x.become(Unknown) // zsh finds the program of the name
	}
	x.b.WriteString(escaped)
}

// escapable are the characters that a backslash escapes in every shell.
const escapable = " .,*?[](){}!;&|<>$`\"'#~=:-+/@%^"

// unescaped removes the backslashes from a piece. Plain is the piece without the
// characters that they escape, and escaped the piece with them.
func unescaped(text string) (plain, escaped string, ok bool) {
	if !strings.Contains(text, `\`) {
		return text, text, true
	}
	var a, b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			if i++; i == len(text) || strings.IndexByte(escapable, text[i]) < 0 {
				return "", "", false
			}
			b.WriteByte(text[i])
			continue
		}
		a.WriteByte(text[i])
		b.WriteByte(text[i])
	}
	return a.String(), b.String(), true
}

// quoted reads a piece between double quotes. "$(cat <<'EOF' … EOF)" is text as
// well: it is how a message of several lines is written.
func (x *wording) quoted(q *syntax.DblQuoted) {
	if q.Dollar {
		x.become(Unknown)
		return
	}
	for _, p := range q.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, ok := dequoted(p.Value)
			if !ok {
				x.become(Unknown)
			}
			x.b.WriteString(text)
		default:
			x.expansion(p, true)
		}
	}
}

// dequoted takes the backslashes out of text between double quotes.
func dequoted(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '$' || text[i] == '`':
			return "", false
		case text[i] == '\\' && i+1 == len(text):
			return "", false
		case text[i] == '\\' && text[i+1] == '\n':
			return "", false
		case text[i] == '\\' && strings.IndexByte("$`\"\\", text[i+1]) >= 0:
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), true
}

// told are variables in which the shell says where it is, and which never hold a
// secret.
var told = map[string]bool{"HOME": true, "PWD": true, "OLDPWD": true, "USER": true, "SHELL": true, "PATH": true, "HOSTNAME": true, "LANG": true, "TERM": true,
	"RANDOM": true, "SECONDS": true, "LINENO": true, "UID": true, "GOPATH": true, "GOROOT": true, "JAVA_HOME": true, "VIRTUAL_ENV": true, "NODE_ENV": true, "$": true, "!": true, "#": true}

// expansion reads a piece that the shell replaces.
func (x *wording) expansion(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.ParamExp:
		x.parameter(p, quoted)
		return
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			break
		}
		if text, ok := catText(p); ok && quoted {
			x.b.WriteString(text)
			return
		}

		x.become(Output)
		inner := x.in.within()
		inner.fed, inner.pipeline = false, 0
		x.r.statements(p.Stmts, inner)
		if len(p.Stmts) == 0 {
			x.become(Unknown)
		}
		return
	}
	x.become(Unknown)
}

func (x *wording) parameter(p *syntax.ParamExp, quoted bool) {
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && p.Names == 0 &&
		p.Flags == nil && p.NestedParam == nil && len(p.Modifiers) == 0
	if !plain {
		x.become(Unknown)
		return
	}

	name := p.Param.Value
	if exitStatus(p) {
		x.b.WriteByte('0')
		return
	}
	w, loops := x.in.loops[name]
	switch {
	case !loops && told[name] && !x.r.assigned[name]:
		x.become(Output)
	case !loops, w.Kind == Unknown:
		x.become(Unknown)
	case w.Kind == Output, !quoted && !bare(w):
		x.become(Output)
	default:
		x.become(w.Kind)
		x.b.WriteString(w.Text)
	}
}

// bare reports whether a word stays one, as it is, where a variable holds it.
func bare(w Word) bool {
	return w.Kind == Literal && w.Text != "" && strings.Trim(w.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-") == ""
}

// exitStatus reports whether an expansion is "$?", which is a number and read here
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
