package pdf

import (
	"errors"
	"fmt"
	"math"
)

const (
	// MaxPages is how many pages a file may have.
	MaxPages = 10_000
	// maxTree is how deep the tree of pages may be.
	maxTree = 64
)

// page is a page of a file, with what it has from those above it.
type page struct {
	dict
	resources, box, rotate object
}

// Pages returns how many pages the file has.
func (f *File) Pages() int { return len(f.pages) }

// tree gathers the pages.
func (f *File) tree(o object, above page, seen map[ref]bool, depth int) error {
	r, ok := o.(ref)
	if !ok || seen[r] || depth > maxTree {
		return errDamaged
	}
	seen[r] = true

	d := f.dict(o)
	here := page{d, above.resources, above.box, above.rotate}
	for key, to := range map[name]*object{"Resources": &here.resources, "MediaBox": &here.box, "CropBox": &here.box, "Rotate": &here.rotate} {
		if key == "MediaBox" && d["CropBox"] != nil {
			continue
		}
		if value := d[key]; value != nil {
			*to = value
		}
	}

	kids, ok := f.resolve(d["Kids"]).(array)
	if !ok {
		if len(f.pages) == MaxPages {
			return fmt.Errorf("it has more than %d pages: split it", MaxPages)
		}
		f.pages = append(f.pages, here)
		return nil
	}

	for _, kid := range kids {
		if err := f.tree(kid, here, seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// layers notes which layers the document's usual view leaves out.
func (f *File) layers(properties dict) {
	view := f.dict(properties["D"])
	if f.resolve(view["BaseState"]) == name("OFF") {
		all, _ := f.resolve(properties["OCGs"]).(array)
		for _, o := range all {
			if r, ok := o.(ref); ok {
				f.off[r] = true
			}
		}
	}
	for key, off := range map[name]bool{"ON": false, "OFF": true} {
		list, _ := f.resolve(view[key]).(array)
		for _, o := range list {
			if r, ok := o.(ref); ok && (off || f.resolve(view["BaseState"]) == name("OFF")) {
				f.off[r] = off
			}
		}
	}
}

// A Page is what a page shows.
type Page struct {
	Width, Height float64
	// Glyphs are in the order in which they are drawn.
	Glyphs []Glyph
	// Notes are the texts of annotations, which are not part of the page's text.
	Notes []string
}

// Bullet is the text of a small shape that may be the mark of an item.
const Bullet = "•"

// A Glyph is a letter, or several that are one sign, on a page. Lengths are in
// points; X grows to the right and Y upwards, from the lower left corner.
type Glyph struct {
	// Text is "\uFFFD" when the file doesn't say what the glyph means.
	Text string
	// X and Y are where it begins on its base line, in the direction in which it is
	// read, and Width is how far the next one is from it.
	X, Y, Width float64
	// Size is the height of its line.
	Size float64
	// Turned is the angle at which it is read, in degrees, 0 for upright text.
	Turned int
	Bold   bool
	// Hidden says why a reader of the page can't see it, "" when they can.
	Hidden string

	// centre is where it is on the page, however it is turned.
	centre point
	ink    color
	// drawn is how many areas were painted before it.
	drawn int
}

// Page reads a page; the first is 0.
func (f *File) Page(index int) (*Page, error) {
	p := f.pages[index]

	box := f.numbers(p.box, 4)
	if box == nil {
		box = []float64{0, 0, 612, 792}
	}
	area := rect{math.Min(box[0], box[2]), math.Min(box[1], box[3]), math.Max(box[0], box[2]), math.Max(box[1], box[3])}
	turn, _ := f.resolve(p.rotate).(float64)
	base, width, height := upright(area, int(turn))

	content, err := f.content(p.dict["Contents"])
	if err != nil {
		return nil, err
	}

	i := interpreter{f: f, page: &Page{Width: width, Height: height}}
	i.state = state{ctm: base, clip: rect{0, 0, width, height}, scale: 1, fill: space{components: 1}, stroke: space{components: 1}, opacity: 1}
	if err := i.run(content, f.dict(p.resources), 0); err != nil {
		return nil, err
	}
	if err := i.cover(); err != nil {
		return nil, err
	}

	annotations, _ := f.resolve(p.dict["Annots"]).(array)
	for _, a := range annotations {
		if note, ok := f.resolve(f.dict(a)["Contents"]).(text); ok {
			i.page.Notes = append(i.page.Notes, textString(note))
		}
	}

	return i.page, nil
}

// upright returns the matrix that puts a page's lower left corner to 0,0, turned
// as it is shown, and its size then.
func upright(area rect, turn int) (m matrix, width, height float64) {
	w, h := area.x1-area.x0, area.y1-area.y0
	to0 := matrix{1, 0, 0, 1, -area.x0, -area.y0}
	switch (turn%360 + 360) % 360 {
	case 90:
		return to0.times(matrix{0, -1, 1, 0, 0, w}), h, w
	case 180:
		return to0.times(matrix{-1, 0, 0, -1, w, h}), w, h
	case 270:
		return to0.times(matrix{0, 1, -1, 0, h, 0}), h, w
	}
	return to0, w, h
}

// content joins the streams of a page.
func (f *File) content(o object) ([]byte, error) {
	var out []byte
	parts, ok := f.resolve(o).(array)
	if !ok {
		parts = array{o}
	}

	for _, part := range parts {
		switch s := f.resolve(part).(type) {
		case *stream:
			data, err := f.unpack(s)
			if err != nil {
				return nil, err
			}
			out = append(append(out, data...), '\n')
			// Streams may be shared by pages, and named often.
			if err := f.spend(len(data) / 16); err != nil {
				return nil, err
			}
			if len(out) > maxUnpacked {
				return nil, errTooMuch
			}
		case nil:
			if part != nil && len(parts) > 1 {
				return nil, errors.New("a part of its text is missing")
			}
		default:
			return nil, errDamaged
		}
	}

	return out, nil
}

// textString returns a text of the file's structure, in UTF-16 or almost Latin-1.
func textString(s text) string {
	if len(s) >= 2 && s[0] == 0xFE && s[1] == 0xFF {
		return utf16Text([]byte(s[2:]))
	}
	codes := encode("WinAnsiEncoding")
	var out []byte
	for i := range len(s) {
		out = append(out, codes[s[i]]...)
	}
	return string(out)
}
