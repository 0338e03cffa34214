package pdf

import (
	"strconv"
	"strings"
)

// font says what the codes of a text show.
type font struct {
	name string
	// composite fonts have codes of two bytes, or as their map says.
	composite bool
	codes     [256]string
	unicode   *cmap
	// widths are thousandths of the size, by code; those without have missing.
	widths  map[int]float64
	missing float64
	// scale is what a width is multiplied with: a thousandth, but in fonts that
	// draw their glyphs.
	scale float64
}

// glyphCode is a code of a text with what it shows.
type glyphCode struct {
	text  string
	width float64
	// space says that word spacing counts for it.
	space bool
}

// font returns the font of a dictionary, read once.
func (f *File) font(o object) (*font, error) {
	r, isRef := o.(ref)
	if known, ok := f.fonts[r]; ok && isRef {
		return known, nil
	}
	out, err := f.readFont(f.dict(o))
	if err == nil && isRef {
		f.fonts[r] = out
	}
	return out, err
}

func (f *File) readFont(d dict) (*font, error) {
	out := &font{widths: map[int]float64{}, scale: 0.001}
	base, _ := f.resolve(d["BaseFont"]).(name)
	out.name = string(base)

	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		data, err := f.unpack(s)
		if err != nil {
			return nil, err
		}
		if out.unicode, err = f.readCmap(data); err != nil {
			return nil, err
		}
	}

	if f.resolve(d["Subtype"]) == name("Type0") {
		out.composite = true
		return out, f.readComposite(out, d)
	}

	f.readEncoding(out, d)
	first, _ := f.resolve(d["FirstChar"]).(float64)
	widths, _ := f.resolve(d["Widths"]).(array)
	for i, w := range widths[:min(len(widths), 256)] {
		if n, ok := f.resolve(w).(float64); ok {
			out.widths[int(first)+i] = n
		}
	}

	out.missing, _ = f.resolve(f.dict(d["FontDescriptor"])["MissingWidth"]).(float64)
	if widths == nil {
		out.standard()
	}

	if m := f.numbers(d["FontMatrix"], 6); m != nil && f.resolve(d["Subtype"]) == name("Type3") {
		out.scale = m[0]
	}

	return out, nil
}

// readEncoding reads what the codes of a simple font show.
func (f *File) readEncoding(out *font, d dict) {
	encoding := name("StandardEncoding")
	if f.resolve(d["Subtype"]) == name("TrueType") {
		encoding = "WinAnsiEncoding"
	}

	var differences array
	switch e := f.resolve(d["Encoding"]).(type) {
	case name:
		encoding = e
	case dict:
		if base, ok := f.resolve(e["BaseEncoding"]).(name); ok {
			encoding = base
		}
		differences, _ = f.resolve(e["Differences"]).(array)
	}

	out.codes = encode(encoding)
	if strings.HasSuffix(out.name, "Symbol") || strings.HasSuffix(out.name, "ZapfDingbats") {
		for c := range out.codes {
			out.codes[c] = unknown
		}
		out.codes[' '], out.codes[0xB7], out.codes['l'], out.codes['n'] = " ", "•", "●", "■"
	}

	names := glyphNames()
	code := 0
	for _, o := range differences {
		switch o := f.resolve(o).(type) {
		case float64:
			code = int(o)
		case name:
			if code >= 0 && code < 256 {
				out.codes[code] = letters(names, string(o))
			}
			code++
		}
	}
}

// readComposite reads the widths of a font with many glyphs.
func (f *File) readComposite(out *font, d dict) (err error) {
	descendants, _ := f.resolve(d["DescendantFonts"]).(array)
	if len(descendants) == 0 {
		return errDamaged
	}

	descendant := f.dict(descendants[0])
	out.missing = 1000
	defer func() {
		if err == nil {
			err = f.remember(len(out.widths))
		}
	}()

	if n, ok := f.resolve(descendant["DW"]).(float64); ok {
		out.missing = n
	}

	widths, _ := f.resolve(descendant["W"]).(array)
	for i := 0; i+1 < len(widths); {
		first, _ := f.resolve(widths[i]).(float64)
		switch next := f.resolve(widths[i+1]).(type) {
		case array:
			for j, w := range next[:min(len(next), maxCodes)] {
				out.widths[int(first)+j], _ = f.resolve(w).(float64)
			}
			i += 2
		case float64:
			if i+2 >= len(widths) {
				return nil
			}
			w, _ := f.resolve(widths[i+2]).(float64)
			for c := int(first); c <= int(next) && c <= 1<<16; c++ {
				out.widths[c] = w
			}
			if err := f.spend(int(max(0, min(next-first, 1<<16)))); err != nil {
				return err
			}
			i += 3
		default:
			return errDamaged
		}

		if len(out.widths) > maxCodes {
			return errTooMuch
		}
		if err := f.spend(1); err != nil {
			return err
		}
	}
	return nil
}

// helvetica and times are the widths of the printable ASCII characters in fonts
// that every program has, whose widths old files don't tell.
const (
	helvetica = "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
	times     = "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 500 333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480 200 480 541"
)

// standard gives a font the widths of the one that programs take for it.
func (out *font) standard() {
	table := helvetica
	switch {
	case strings.Contains(out.name, "Courier"):
		out.missing = 600
		return
	case strings.Contains(out.name, "Times"):
		table = times
	}
	out.missing = 500
	for i, field := range strings.Fields(table) {
		out.widths[' '+i], _ = strconv.ParseFloat(field, 64)
	}
}

// glyphs returns what a text shows.
func (out *font) glyphs(s text, yield func(glyphCode) error) error {
	for len(s) > 0 {
		n := out.size(s)
		code := number([]byte(s[:n]))
		g := glyphCode{text: unknown, width: out.missing, space: n == 1 && code == ' '}

		if !out.composite {
			g.text = out.codes[code]
		}
		if w, ok := out.widths[code]; ok {
			g.width = w
		}
		if out.unicode != nil {
			if t, ok := out.unicode.text[string(s[:n])]; ok {
				g.text = t
			}
		}

		g.width *= out.scale
		s = s[n:]
		if err := yield(g); err != nil {
			return err
		}
	}
	return nil
}

// size returns how many bytes the next code has.
func (out *font) size(s text) int {
	if !out.composite {
		return 1
	}
	n := 2
	if out.unicode != nil && !out.unicode.sizes[2] {
		for i, ok := range out.unicode.sizes {
			if ok {
				n = i
				break
			}
		}
	}
	return min(n, len(s))
}
