package normal

import (
	"html"
	"unicode"
	"unicode/utf8"
)

// Encoding says how a [View] was hidden.
type Encoding uint8

// The encodings that [Decode] undoes.
const (
	// Escapes are percent-encoding, HTML entities, \u and \x escapes and
	// quoted-printable, all at once, as they come.
	Escapes Encoding = iota + 1
	// Base64 is base64 with either alphabet, with or without padding, in lines
	// or not.
	Base64
	// Hex is hexadecimal digits.
	Hex
)

// String returns the encoding's name.
func (e Encoding) String() string {
	switch e {
	case Escapes:
		return "escapes"
	case Base64:
		return "base64"
	case Hex:
		return "hex"
	default:
		return "none"
	}
}

// View is a piece of a text as it reads decoded.
type View struct {
	// Text is the decoded text. Around [Escapes] it has some of the text next to them,
	// so that words that an escape divides are whole again.
	Text   string
	breaks Breaks
	// Start and End are the range of the parent's text that Text was made from.
	Start, End int
	// Parent is the index of the view that this one was found in, -1 for the
	// text itself.
	Parent   int
	Encoding Encoding
}

// Range returns the smallest range of the parent's text that the bytes start to
// end of the view were made from.
func (v *View) Range(start, end int) (from, to int) {
	if v.Encoding != Escapes {
		return v.Start, v.End
	}
	return v.breaks.Original(start, end)
}

// Views are the views of one text, parents before children.
type Views []View

// Original returns the smallest known range of the text itself that the bytes
// start to end of view i were made from.
func (vs Views) Original(i, start, end int) (from, to int) {
	for i >= 0 {
		start, end = vs[i].Range(start, end)
		i = vs[i].Parent
	}
	return start, end
}

// Size returns the bytes of memory that the views take without their texts.
func (vs Views) Size() int {
	n := 80 * cap(vs)
	for i := range vs {
		n += 8 * cap(vs[i].breaks)
	}
	return n
}

const (
	// A run of digits or letters shorter than this is not an encoding.
	minRun = 16
	// Decoded bytes that make no text for this long are noise.
	minStretch = 12
	// This much of the text around an escape is part of its view, and two
	// escapes with less than joinEscapes between them share one.
	aroundEscape = 64
	joinEscapes  = 192
	// Lines shorter than this do not continue a base64 run.
	minBase64Line = 40
)

// Decode finds the parts of a text that are encoded, two encodings deep, and
// decodes them. All views together have at most twice the bytes of the text.
func Decode(text string) Views {
	d := decoder{left: 2 * len(text)}
	d.decode(text, -1)
	for i, n := 0, len(d.views); i < n && d.left > 0; i++ {
		d.decode(d.views[i].Text, i)
	}
	return d.views
}

type decoder struct {
	views   Views
	escapes []escape
	plain   []byte // the escapes decoded, one after the other
	scratch []byte
	left    int
	parent  int
}

type escape struct {
	start, end int // in the text
	plain      int // end in decoder.plain
}

const (
	inBase64 = 1 << iota
	inHex
	mayEscape
)

var classes = func() (t [256]uint8) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		t[c] = inBase64
	}
	for _, c := range []byte("0123456789abcdefABCDEF") {
		t[c] |= inHex
	}
	for _, c := range []byte(`%&\=`) {
		t[c] = mayEscape
	}
	return t
}()

// decode adds the views of one text: one scan finds the runs and the escapes.
func (d *decoder) decode(text string, parent int) {
	d.parent = parent
	d.escapes, d.plain = d.escapes[:0], d.plain[:0]
	quoted := false // quoted-printable is in use here
	hexStart, runStart, lineStart := 0, 0, 0

	for i := 0; i <= len(text); i++ {
		var class uint8
		if i < len(text) {
			class = classes[text[i]]
		}
		if class&inHex != 0 {
			continue
		}

		if i-hexStart >= minRun {
			d.run(text, hexStart, i, Hex)
		}
		hexStart = i + 1
		if class == inBase64 {
			continue
		}

		if i-lineStart >= minBase64Line && i < len(text) {
			if next := afterBreak(text, i); next > i {
				i = next - 1
				hexStart, lineStart = next, next
				continue
			}
		}

		if i-runStart >= minRun {
			d.run(text, runStart, i, Base64)
		}
		runStart, lineStart = i+1, i+1
		if class != mayEscape {
			continue
		}

		if n := d.escape(text, i, &quoted); n > 0 {
			// The run after an escape starts behind it.
			hexStart, runStart, lineStart = i+n, i+n, i+n
			i += n - 1
		}
	}
	d.windows(text)
}

// afterBreak returns where the next line starts if a line break at i, written
// as itself or as \n, leads to more base64, and i otherwise.
func afterBreak(text string, i int) int {
	j := i
	for _, brk := range [...]string{"\r\n", "\n", `\r\n`, `\n`} {
		if len(text)-i > len(brk) && text[i:i+len(brk)] == brk {
			j = i + len(brk)
			break
		}
	}
	if j > i && classes[text[j]]&inBase64 != 0 {
		return j
	}
	return i
}

func hexValue(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}

// hexAt reads n hexadecimal digits at i.
func hexAt(text string, i, n int) (v rune, ok bool) {
	if i+n > len(text) {
		return 0, false
	}
	for _, c := range []byte(text[i : i+n]) {
		h := hexValue(c)
		if h < 0 {
			return 0, false
		}
		v = v<<4 | rune(h)
	}
	return v, true
}

// escape notes the escape at i, if there is one, and returns its length.
func (d *decoder) escape(text string, i int, quoted *bool) int {
	n := 0
	switch text[i] {
	case '%':
		if v, ok := hexAt(text, i+1, 2); ok {
			d.plain, n = append(d.plain, byte(v)), 3
		}
	case '&':
		n = d.entity(text[i:min(len(text), i+maxEntity)])
	case '\\':
		n = d.backslash(text, i)
	case '=':
		n = d.quotedPrintable(text, i, quoted)
	}
	if n > 0 {
		d.escapes = append(d.escapes, escape{i, i + n, len(d.plain)})
	}
	return n
}

const maxEntity = 34

// entity decodes the HTML entity that text starts with.
func (d *decoder) entity(text string) int {
	for j := 1; j < len(text); j++ {
		c := text[j]
		if c == ';' {
			plain := html.UnescapeString(text[:j+1])
			if plain == text[:j+1] || len(plain) > j+1 {
				return 0
			}
			d.plain = append(d.plain, plain...)
			return j + 1
		}
		if c != '#' && (classes[c]&inBase64 == 0 || c == '&') {
			return 0
		}
	}
	return 0
}

// backslash decodes \uXXXX, pairs of them, and \xXX.
func (d *decoder) backslash(text string, i int) int {
	if i+1 >= len(text) {
		return 0
	}

	switch text[i+1] {
	case 'x':
		if v, ok := hexAt(text, i+2, 2); ok {
			d.plain = append(d.plain, byte(v))
			return 4
		}
	case 'u':
		v, ok := hexAt(text, i+2, 4)
		if !ok {
			return 0
		}
		if v&^0x3FF == 0xD800 && i+7 < len(text) && text[i+6] == '\\' && text[i+7] == 'u' {
			if low, ok := hexAt(text, i+8, 4); ok && low&^0x3FF == 0xDC00 {
				d.plain = utf8.AppendRune(d.plain, 0x10000+(v-0xD800)<<10+(low-0xDC00))
				return 12
			}
		}
		d.plain = utf8.AppendRune(d.plain, v)
		return 6
	}
	return 0
}

// quotedPrintable decodes =XX and the soft line break. Equals signs are common
// elsewhere ("id=20"), so a single =XX counts only after a sure sign: an encoded
// equals sign, two in a row, or a soft line break.
func (d *decoder) quotedPrintable(text string, i int, quoted *bool) int {
	rest := text[i+1:]
	for _, brk := range [...]string{"\r\n", "\n"} {
		if len(rest) >= len(brk) && rest[:len(brk)] == brk {
			*quoted = true
			return 1 + len(brk)
		}
	}

	v, ok := hexAt(text, i+1, 2)
	if !ok || rest[0] > 'F' || rest[1] > 'F' {
		return 0
	}
	if !*quoted {
		_, another := hexAt(text, i+4, 2)
		twoInARow := another && text[i+3] == '='
		*quoted = v == '=' || twoInARow
	}
	if !*quoted {
		return 0
	}
	d.plain = append(d.plain, byte(v))
	return 3
}

// windows makes the views of the escapes that were noted.
func (d *decoder) windows(text string) {
	for k, plain, done := 0, 0, 0; k < len(d.escapes); {
		start := max(done, d.escapes[k].start-aroundEscape)
		for start < d.escapes[k].start && !utf8.RuneStart(text[start]) {
			start++
		}

		out := d.scratch[:0]
		breaks := Breaks{{0, uint32(start)}}
		at := start
		for first := k; k < len(d.escapes) && (k == first || d.escapes[k].start-at < joinEscapes); k++ {
			e := d.escapes[k]
			out = append(out, text[at:e.start]...)
			if len(out) > d.left {
				break
			}
			if k > first && e.start == at && plain == e.plain {
				// A soft line break next to another escape.
				at = e.end
				continue
			}
			breaks = append(breaks, Break{uint32(len(out)), uint32(e.start) | whole})
			out = append(out, d.plain[plain:e.plain]...)
			breaks = append(breaks, Break{uint32(len(out)), uint32(e.end)})
			plain, at = e.plain, e.end
		}

		end := min(len(text), at+aroundEscape)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		if k < len(d.escapes) {
			end = max(at, min(end, d.escapes[k].start))
		}

		out = append(out, text[at:end]...)
		done, d.scratch = end, out
		if !d.add(View{Text: string(out), breaks: breaks, Start: start, End: end, Parent: d.parent, Encoding: Escapes}) {
			return
		}
	}
}

// add adds a view unless that would be too much.
func (d *decoder) add(v View) bool {
	if len(v.Text) > d.left {
		d.left = 0
		return false
	}
	d.left -= len(v.Text)
	d.views = append(d.views, v)
	return true
}

// run decodes text[start:end] at every alignment, because a path or a name in
// front shifts it, and keeps what reads as text.
func (d *decoder) run(text string, start, end int, enc Encoding) {
	group := 4
	if enc == Hex {
		group = 2
	}

	for shift := 0; shift < group && d.left > 0; shift++ {
		found := 0
		d.scratch = d.scratch[:0]
		if enc == Hex {
			for i := start + shift; i+1 < end; i += 2 {
				d.scratch = append(d.scratch, byte(hexValue(text[i])<<4|hexValue(text[i+1])))
			}
			found = d.stretches(start+shift, end, enc)
		} else {
			d.base64(text[start:end], shift)
			found = d.stretches(start, end, enc)
		}
		if found*group >= len(d.scratch)*(group-1) {
			return
		}
	}
}

var base64Values = func() (t [256]uint8) {
	for i := range t {
		t[i] = 0xFF
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = uint8(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// base64 decodes a run, line breaks left out, less its first few characters.
func (d *decoder) base64(run string, shift int) {
	acc, bits := uint32(0), 0
	for i := 0; i < len(run); i++ {
		v := base64Values[run[i]]
		if v == 0xFF {
			// A line break. In \n and \r the letter belongs to it.
			if run[i] == '\\' {
				i++
			}
			continue
		}

		if shift > 0 {
			shift--
			continue
		}
		acc = acc<<6 | uint32(v)
		if bits += 6; bits >= 8 {
			bits -= 8
			d.scratch = append(d.scratch, byte(acc>>bits))
		}
	}
}

// stretches adds a view of each stretch of the scratch bytes that is text, and
// returns how many bytes they have together.
func (d *decoder) stretches(start, end int, enc Encoding) (found int) {
	b := d.scratch
	from := 0
	for i := 0; i <= len(b); {
		n := 0
		if i < len(b) {
			n = textual(b[i:])
		}
		if n > 0 {
			i += n
			continue
		}

		if i-from >= minStretch {
			v := View{Text: string(b[from:i]), Start: start, End: end, Parent: d.parent, Encoding: enc}
			if !d.add(v) {
				return found
			}
			found += i - from
		}
		i++
		from = i
	}
	return found
}

// textual returns the length of the character that b starts with, or 0 when it
// is none that text has.
func textual(b []byte) int {
	if c := b[0]; c < utf8.RuneSelf {
		visible := ' ' <= c && c != 0x7F
		if visible || c == '\n' || c == '\r' || c == '\t' {
			return 1
		}
		return 0
	}

	// Most noise ends here.
	if b[0] < 0xC2 || b[0] > 0xF4 || len(b) < 2 || b[1]&0xC0 != 0x80 {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if n > 1 && (unicode.IsPrint(r) || ignorable(r)) {
		return n
	}
	return 0
}
