package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What others wrote is shown so that nothing of it hides: no character that can't be seen,
// none that begins markup, no run that pushes what follows out of sight, and no line that
// is wider than what a person reads it in.

const (
	// maxWidth is how wide a line gets, in characters, and indent begins what has no room
	// in it: no line of a quotation begins like one of ours, or ends a block of code.
	maxWidth = 90
	indent   = "    "
	// maxRun is how often a character may be repeated before it is counted.
	maxRun = 16
	// maxPlain is the longest name that is written without quotes.
	maxPlain = 60
)

// Place writes a pointer or the name of an event; whatever isn't plain in it is
// quoted.
func Place(s string) string {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("`\"<>", c) >= 0 {
			return Quoted(s, maxShown)
		}
	}
	if len(s) > maxPlain {
		return Quoted(s, maxShown)
	}
	return s
}

// Name shows a name that others chose, as [Quoted] does.
func Name(s string) string { return Quoted(s, maxAround) }

// Quoted shows a text that others wrote: cut, in quotes, with line breaks, invisible
// characters, those that turn the direction of text and those that begin markup as escapes,
// and with long runs of one character counted. Letters beyond ASCII, among which many look
// like others, are also spelled out.
func Quoted(s string, most int) string {
	all := utf8.RuneCountInString(s)
	s = cut(s, most)
	shown, ascii := inQuotes(s, strconv.Quote), inQuotes(s, strconv.QuoteToASCII)
	out := shown
	if all > most {
		out += fmt.Sprintf(" (and %d more characters, which are not shown)", all-most)
	}
	if ascii != shown {
		out += " (spelled " + ascii + ")"
	}
	return out
}

// inQuotes writes a text in quotes; quote makes characters visible.
func inQuotes(s string, quote func(string) string) string {
	var parts []string
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, `"`+plain.String()+`"`)
			plain.Reset()
		}
	}

	for len(s) > 0 {
		c := s[:width(s)]
		n := 1
		for strings.HasPrefix(s[n*len(c):], c) {
			n++
		}
		s = s[n*len(c):]
		shown := visible(c, quote)
		if n <= maxRun {
			plain.WriteString(strings.Repeat(shown, n))
			continue
		}
		flush()
		if c == " " {
			parts = append(parts, fmt.Sprintf("(%d spaces)", n))
		} else {
			parts = append(parts, fmt.Sprintf(`(%d times "%s")`, n, shown))
		}
	}

	if flush(); len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, " ")
}

// width returns the length of the first character of a text, in bytes.
func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// blank are characters that print, and show nothing.
var blank = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}}

// visible writes a character so that it is seen, and begins no markup.
func visible(c string, quote func(string) string) string {
	r, _ := utf8.DecodeRuneInString(c)
	switch {
	case r == '<', r == '>', unicode.In(r, blank...) && r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	case unicode.In(r, blank...):
		return fmt.Sprintf(`\U%08x`, r)
	}
	q := quote(c)
	return q[1 : len(q)-1]
}

// plain makes a line of our own harmless that may repeat what others wrote.
func plain(line string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(line)
}

// folded breaks lines that are too wide. A quotation that is broken goes on in quotes.
func folded(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		fold(&b, body)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func fold(b *strings.Builder, line string) {
	atoms := atomsOf(line)
	quoted := false // whether the line is within quotes
	for room := maxWidth; ; room = maxWidth - len(indent) - 2 {
		n := fitting(atoms, room)
		if n == len(atoms) {
			break
		}

		at, inside := breakOf(atoms[:n], quoted)
		written := strings.Join(atoms[:at], "")
		if atoms, quoted = atoms[at:], inside; quoted {
			written += `" `
		}
		b.WriteString(strings.TrimSuffix(written, " "))
		b.WriteString("\n" + indent)
		if quoted {
			b.WriteString(`"`)
		}
	}
	b.WriteString(strings.Join(atoms, ""))
}

// atomsOf divides a line into characters and escapes, which stay whole.
func atomsOf(line string) []string {
	var out []string
	for len(line) > 0 {
		n := width(line)
		if line[0] == '\\' && len(line) > 1 {
			n = 1 + width(line[1:])
			if size := slices.Index([]string{"x", "u", "U"}, line[1:n]); size >= 0 {
				n = min(len(line), n+2<<size)
			}
		}
		out = append(out, line[:n])
		line = line[n:]
	}
	return out
}

// fitting returns how many of the atoms have room in a line.
func fitting(atoms []string, room int) int {
	for i, a := range atoms {
		if room -= utf8.RuneCountInString(a); room < 0 {
			return i
		}
	}
	return len(atoms)
}

// breakOf returns where a line is broken that has room for these: after the last space, or at the
// end; and whether that is within a quotation.
func breakOf(atoms []string, quoted bool) (at int, inside bool) {
	for i, a := range atoms {
		if a == `"` {
			quoted = !quoted
		}
		late := i >= len(atoms)/2
		if late && a == " " {
			at, inside = i+1, quoted
		}
	}
	if at == 0 {
		return len(atoms), quoted
	}
	return at, inside
}
