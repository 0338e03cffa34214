package display

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of a text that others wrote: text as it is, or the escape of one
// character that would not be seen, or would change how the text around it is seen.
type Span struct {
	Text    string
	Escaped bool
}

// maxMarks is how many marks may stack on one letter: languages that write
// vowels and tones as marks need two, a tower of them writes over other lines.
const maxMarks = 2

// Spans cuts a text that a person decides by into what can be shown as it is, with its
// line breaks and tabs, and escapes: of control and format characters, spaces that are
// not spaces, letters without ink, and towers of marks.
func Spans(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		from, marks := 0, 0
		for i, r := range s {
			if unicode.In(r, unicode.M) {
				marks++
			} else {
				marks = 0
			}
			if marks <= maxMarks && shows(r) {
				continue
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			if i > from && !yield(Span{Text: s[from:i]}) {
				return
			}
			if !yield(Span{Text: Escape(r), Escaped: true}) {
				return
			}
			from = i + size
		}
		if from < len(s) {
			yield(Span{Text: s[from:]})
		}
	}
}

// maxRun is how often a character may be repeated before it is counted.
const maxRun = 16

// Counted cuts a text as [Spans] does, for a value of a call: a line break has a sign
// before it, and a long run of one character is counted, so that nothing is pushed out of
// sight.
func Counted(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		from := 0
		plain := func(to int) bool {
			for span := range Spans(s[from:to]) {
				if !yield(span) {
					return false
				}
			}
			return true
		}

		for at := 0; at < len(s); {
			_, size := utf8.DecodeRuneInString(s[at:])
			c, n := s[at:at+size], 1
			for strings.HasPrefix(s[at+n*size:], c) {
				n++
			}
			end := at + n*size
			sign := signOf(c, n)
			if sign == "" {
				at = end
				continue
			}
			if !plain(at) || !yield(Span{Text: sign, Escaped: true}) {
				return
			}
			from, at = end, end
			if c == "\n" && !yield(Span{Text: breaks(n)}) {
				return
			}
		}
		plain(len(s))
	}
}

// breaks are n line breaks as they are shown: one for a long run.
func breaks(n int) string {
	if n > maxRun {
		n = 1
	}
	return strings.Repeat("\n", n)
}

// signOf returns what is shown in place of a character repeated n times; empty where it is shown
// unchanged.
func signOf(c string, n int) string {
	switch {
	case c == "\n" && n <= maxRun:
		return strings.Repeat("⏎", n)
	case n <= maxRun:
		return ""
	case c == " ":
		return fmt.Sprintf("(%d spaces)", n)
	case c == "\n":
		return fmt.Sprintf("(%d line breaks)", n)
	}

	shown := ""
	for span := range Spans(c) {
		shown += span.Text
	}
	if c == "\t" {
		shown = `\t`
	}
	return fmt.Sprintf("(%d times %s)", n, shown)
}

// shows reports whether a character is seen as what it is.
func shows(r rune) bool {
	switch {
	case strings.ContainsRune(" \n\t", r):
		return true
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(blank, r):
		return false
	}
	return !unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Zs, unicode.Me)
}

// blank are the letters and symbols that show nothing.
var blank = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
	{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // hangul fillers
	{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // khmer inherent vowels
	{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // mongolian selectors
	{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // braille blank
	{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // hangul filler
	{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
	{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth hangul filler
}, R32: []unicode.Range32{
	{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}, // variation selectors
}}
