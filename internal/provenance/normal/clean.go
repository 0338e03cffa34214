package normal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Flaws is a set of reasons why a text may not be what it looks like.
type Flaws uint16

// The flaws that [Inspect] finds.
const (
	// BadUTF8 marks bytes that are not UTF-8, or the replacement character in the place
	// of such bytes.
	BadUTF8 Flaws = 1 << iota
	// NotNFC marks text that has a shorter or reordered equal spelling.
	NotNFC
	// Control marks control characters other than line breaks and tabs, and the
	// line and paragraph separators.
	Control
	// LineBreak marks line feeds, carriage returns and tabs.
	LineBreak
	// Invisible marks characters without a shape of their own: format and bidi
	// controls, zero-width characters, variation selectors, fillers, blanks.
	Invisible
	// PrivateUse marks characters that look different everywhere.
	PrivateUse
	// Unassigned marks code points that are not characters, or not yet.
	Unassigned
	// OddSpace marks spaces other than U+0020.
	OddSpace
	// EdgeSpace marks white space at the start or the end.
	EdgeSpace
	// DoubleSpace marks two spaces in a row.
	DoubleSpace
)

// TextFlaws are the flaws that ordinary running text has without meaning harm. In an
// address or a path they are as bad as the others.
const TextFlaws = LineBreak | EdgeSpace | DoubleSpace

var flawNames = [...]string{
	"it is not valid UTF-8",
	"it is not in Unicode normal form C",
	"it has a control character",
	"it has a line break or a tab",
	"it has an invisible character",
	"it has a private-use character",
	"it has an unassigned code point",
	"it has a space other than the ordinary one",
	"it starts or ends with white space",
	"it has two spaces in a row",
}

// String lists the flaws in words, or returns "" when there are none.
func (f Flaws) String() string {
	var parts []string
	for i, name := range flawNames {
		if f&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, "; ")
}

// Inspect returns everything about s that keeps it off the narrow side.
func Inspect(s string) Flaws {
	var f Flaws
	ascii := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c == ' ':
			if i > 0 && s[i-1] == ' ' {
				f |= DoubleSpace
			}
			if i == 0 || i == len(s)-1 {
				f |= EdgeSpace
			}
		case c == '\n', c == '\r', c == '\t':
			f |= LineBreak
			if i == 0 || i == len(s)-1 {
				f |= EdgeSpace
			}
		case c < ' ' || c == 0x7F:
			f |= Control
		}
	}

	if ascii {
		return f
	}

	for i, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		one := inspectRune(r)
		f |= one
		if one&OddSpace != 0 && (i == 0 || i+utf8.RuneLen(r) == len(s)) {
			f |= EdgeSpace
		}
	}

	if f&BadUTF8 == 0 && !norm.NFC.IsNormalString(s) {
		f |= NotNFC
	}
	return f
}

func inspectRune(r rune) Flaws {
	switch {
	case r == utf8.RuneError:
		return BadUTF8
	case ignorable(r), blank(r):
		return Invisible
	case unicode.IsPrint(r):
		return 0
	case unicode.Is(unicode.Cf, r):
		return Invisible
	case unicode.Is(unicode.Zs, r):
		return OddSpace
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
		return Control
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	default:
		return Unassigned
	}
}

// CleanText reports whether running text, which may have line breaks and several
// spaces in a row, is fit for the narrow side, and if not, why.
func CleanText(s string) (ok bool, why string) {
	f := Inspect(s) &^ TextFlaws
	return f == 0, f.String()
}

// Visible returns a text as its reader sees it: composed (NFC), and without the
// characters that have no form. Text that reorders what is shown, and text that
// isn't UTF-8, stays as it is: what its reader sees is unknown.
func Visible(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain || !utf8.ValidString(s) || strings.ContainsAny(s, "\u202d\u202e") {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch r {
		case 0x115F, 0x1160, 0x3164, 0xFFA0:
			return r // fillers take the room of a letter
		}
		if ignorable(r) {
			return -1
		}
		return r
	}, s))
}

// ignorable reports whether r has no visible form in ordinary text: Unicode's
// Default_Ignorable_Code_Point, and the other format characters.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C,
		r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		0x180B <= r && r <= 0x180F,
		0x200B <= r && r <= 0x200F,
		0x202A <= r && r <= 0x202E,
		0x2060 <= r && r <= 0x206F,
		r == 0x3164,
		0xFE00 <= r && r <= 0xFE0F,
		r == 0xFEFF, r == 0xFFA0,
		0xFFF0 <= r && r <= 0xFFFB,
		0x1BCA0 <= r && r <= 0x1BCA3,
		0x1D173 <= r && r <= 0x1D17A,
		0xE0000 <= r && r <= 0xE0FFF:
		return true
	default:
		return false
	}
}

// blank reports whether r is a symbol or a mark whose form is empty.
func blank(r rune) bool { return r == 0x2800 || r == 0x1D159 || r == 0x16FE4 }
