package main

// What Remit does to a terminal: colour only where a person looks at a
// terminal that has it, and never as the only carrier of a meaning; nothing
// moves on standard output; the progress line is on standard error, there only
// if that is a terminal, and gone when the work is done.

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/legible"
	"github.com/remit-project/remit/label"
)

const (
	defaultWidth = 80
	maxWidth     = 110
	minWidth     = 40
)

// terminal tells whether w is a terminal, whether it may be coloured, and how
// wide it is.
func terminal(w io.Writer) (is, color bool, width int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, false, defaultWidth
	}
	width = defaultWidth
	if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
		width = min(max(cols, minWidth), maxWidth)
	}
	return true, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", width
}

// paint colours text, or leaves it alone.
type paint bool

func (p paint) sgr(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string      { return p.sgr("1", s) }
func (p paint) dim(s string) string       { return p.sgr("2", s) }
func (p paint) underline(s string) string { return p.sgr("4", s) }
func (p paint) good(s string) string      { return p.sgr("32", s) }
func (p paint) warn(s string) string      { return p.sgr("33", s) }
func (p paint) bad(s string) string       { return p.sgr("31", s) }

// verdict colours a verdict's word.
func (p paint) verdict(v remit.Verdict, s string) string {
	switch v {
	case remit.Allow:
		return p.sgr("1;32", s)
	case remit.Ask:
		return p.sgr("1;33", s)
	}
	return p.sgr("1;31", s)
}

// trust colours text by how far it is believed.
func (p paint) trust(t label.Trust, s string) string {
	switch t {
	case label.Trusted:
		return p.sgr("36", s)
	case label.User:
		return p.sgr("32", s)
	case label.ToolOutput:
		return p.sgr("33", s)
	}
	return p.sgr("31", s)
}

// visible makes text from anywhere safe for a terminal and fit for one line.
func visible(s string) string { return legible.Line(s) }

// escaped is what stands between the quotes where text of others is shown in
// quotes: it holds no quote that could end them, and every printable letter of
// any script as it is.
func escaped(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// plain tells whether a name can't be taken for anything else on its line.
func plain(s, also string) bool {
	for _, r := range s {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !ok && !strings.ContainsRune("_-./~[]*@:"+also, r) {
			return false
		}
	}
	return s != ""
}

// name shows the name of a tool, a call, a session or an argument: as it is
// where it is plain, else in quotes, because those who choose names may choose
// one that reads like what the program says.
func name(s string) string {
	if plain(s, "") {
		return s
	}
	return strconv.Quote(s)
}

// nameIn is name in at most n characters.
func nameIn(s string, n int) string {
	if plain(s, "") {
		return cut(s, n)
	}
	return `"` + cut(escaped(s), max(n-2, 1)) + `"`
}

// origin shows the name of a place in the session, as a finding has it.
func origin(s string) string {
	if plain(s, "#") {
		return s
	}
	return strconv.Quote(s)
}

// cut shortens text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:max(n-1, 0)]) + "…"
}

// wrap breaks text into lines of at most width characters, between words.
func wrap(s string, width int) []string {
	var lines []string
	line, n := "", 0
	for word := range strings.FieldsSeq(s) {
		w := utf8.RuneCountInString(word)
		if n > 0 && n+1+w > width {
			lines, line, n = append(lines, line), "", 0
		}
		if n > 0 {
			line, n = line+" ", n+1
		}
		line, n = line+word, n+w
	}
	if n > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
