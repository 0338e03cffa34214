package guard

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictyaml"
)

// places are the positions of a text's characters in its file; nil for a text that was
// not read from a file.
type places []Position

// placesOf finds every character of a scalar in the source, where it may be indented,
// folded over several lines, or escaped. Characters are matched in order; whatever
// the source has between two of them is YAML's syntax.
func placesOf(lines []string, at Position, n *strictyaml.Node) places {
	line, column := n.Line-1, n.Column-1
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line, column = line+1, 0
	}
	s := source{lines: lines, line: line}
	if line < len(lines) {
		s.column = byteColumn(lines[line], column)
	}
	double, single := n.Style&yaml.DoubleQuotedStyle != 0, n.Style&yaml.SingleQuotedStyle != 0
	if double || single {
		s.column++ // the quote
	}
	out := make(places, 0, len(n.Value)+1)
	for _, want := range n.Value {
		s.find(want, double, single)
		at.Line, at.Column = s.line+1, s.character()+1
		out = append(out, at)
		s.next()
	}

	at.Line, at.Column = s.line+1, s.character()+1
	return append(out, at)
}

// position returns the place of the character at an offset.
func (p places) position(offset int, fallback Position) Position {
	if len(p) == 0 {
		return fallback
	}
	return p[min(max(offset, 0), len(p)-1)]
}

// source is a cursor in a file, in lines and bytes.
type source struct {
	lines        []string
	line, column int
}

func (s *source) rest() string {
	if s.line >= len(s.lines) || s.column >= len(s.lines[s.line]) {
		return ""
	}
	return s.lines[s.line][s.column:]
}

// find advances to the next occurrence of a character.
func (s *source) find(want rune, double, single bool) {
	for s.line < len(s.lines) {
		rest := s.rest()
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case want == '\n' || want == ' ':
			// The end of a line or a blank; in a folded text, either can be the other.
			escaped := double && r == '\\'
			if rest == "" || r == ' ' || r == '\t' || escaped {
				return
			}
		case r == want && rest != "":
			if single && r == '\'' {
				s.column++ // written twice
			}
			return
		case double && r == '\\' && len(rest) > 1:
			if rest[1] == byte(want) && (want == '"' || want == '\\' || want == '/') {
				s.column++
				return
			}
			if strings.IndexByte("ntr0abefvxuUNP_L", rest[1]) >= 0 {
				s.column++
				return
			}
		}

		if rest == "" {
			s.line, s.column = s.line+1, 0
			continue
		}

		s.column += size
	}
}

// next advances past the character.
func (s *source) next() {
	rest := s.rest()
	if rest == "" {
		s.line, s.column = s.line+1, 0
		return
	}
	_, size := utf8.DecodeRuneInString(rest)
	s.column += size
}

// character returns the column in characters.
func (s *source) character() int {
	if s.line >= len(s.lines) {
		return 0
	}
	return utf8.RuneCountInString(s.lines[s.line][:min(s.column, len(s.lines[s.line]))])
}

func byteColumn(line string, characters int) int {
	for i := range line {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(line)
}
