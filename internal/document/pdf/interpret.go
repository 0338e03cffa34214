package pdf

import (
	"bytes"
	"math"
	"strings"
)

const (
	// maxForms is how deep drawings may be nested in each other.
	maxForms = 16
	// maxSaved is how many states of drawing may be put aside.
	maxSaved = 1_000
	// maxOperands is how many operands may come before an operator.
	maxOperands = 1_000
)

// state is how things are drawn.
type state struct {
	ctm          matrix
	clip         rect
	fill, stroke space
	ink, line    color
	opacity      float64

	font                          *font
	size, scale, rise             float64
	letterSpace, wordSpace, above float64
	mode                          int
}

// area is something that was painted over what was there.
type area struct {
	rect
	color
}

// interpreter draws a page without drawing it.
type interpreter struct {
	f     *File
	page  *Page
	state state
	saved []state
	// text and start are where the next glyph is, and where its line began.
	text, start matrix
	path        path
	// clips says that the path becomes the clip once it is painted.
	clips   bool
	painted []area
	// marks says for each open marked content whether it hides what is in it; unseen is how many
	// do.
	marks     []bool
	unseen    int
	resources dict
}

// run interprets content.
func (i *interpreter) run(content []byte, resources dict, depth int) error {
	before := i.resources
	i.resources = resources
	defer func() { i.resources = before }()

	i.path = newPath()
	l := lexer{data: content}
	var operands []object
	for {
		o, err := l.next()
		if err == errEnd {
			return nil
		}
		if err != nil {
			return err
		}
		if err := i.f.spend(1); err != nil {
			return err
		}

		if len(i.painted) > maxPainted || len(i.page.Glyphs) > maxGlyphs {
			return errTooMuch
		}

		op, ok := o.(operator)
		if !ok {
			if operands = append(operands, o); len(operands) > maxOperands {
				return errDamaged
			}
			continue
		}

		if op == "ID" {
			i.paintImage(false)
			if l.pos, ok = afterImage(content, l.pos); !ok {
				return errDamaged
			}
		} else if err := i.do(op, operands, depth); err != nil {
			return err
		}
		operands = operands[:0]
	}
}

// afterImage returns where an image's bytes in the content end.
func afterImage(content []byte, pos int) (int, bool) {
	for {
		n := bytes.Index(content[pos:], []byte("EI"))
		if n < 0 {
			return 0, false
		}
		pos += n + 2
		if isSpace(content[pos-3]) && (pos == len(content) || isSpace(content[pos])) {
			return pos, true
		}
	}
}

// floats are operands as numbers, 0 where they are none.
func floats(operands []object) []float64 {
	out := make([]float64, 0, 6)
	for _, o := range operands {
		n, _ := o.(float64)
		out = append(out, n)
	}
	return out
}

// do carries out an operator.
func (i *interpreter) do(op operator, operands []object, depth int) error {
	n := floats(operands)
	var last object
	if len(operands) > 0 {
		last = operands[len(operands)-1]
	}

	switch s := &i.state; op {
	case "q":
		if len(i.saved) == maxSaved {
			return errDamaged
		}
		i.saved = append(i.saved, *s)
	case "Q":
		if k := len(i.saved); k > 0 {
			i.state, i.saved = i.saved[k-1], i.saved[:k-1]
		}
	case "cm":
		if len(n) == 6 {
			s.ctm = matrix(n).times(s.ctm)
		}
	case "gs":
		return i.parameters(i.f.dict(i.f.dict(i.resources["ExtGState"])[nameOf(last)]))
	case "BMC":
		i.mark(false)
	case "BDC":
		i.mark(len(operands) == 2 && operands[0] == name("OC") && i.offLayer(i.f.dict(i.resources["Properties"])[nameOf(last)]))
	case "EMC":
		if k := len(i.marks); k > 0 {
			if i.marks[k-1] {
				i.unseen--
			}
			i.marks = i.marks[:k-1]
		}
	case "Do":
		return i.object(i.f.resolve(i.f.dict(i.resources["XObject"])[nameOf(last)]), depth)
	case "sh":
		i.painted = append(i.painted, area{s.clip, color{unclear: true}})
	default:
		if i.colours(op, operands, n) || i.outline(op, n) {
			return nil
		}
		return i.write(op, operands, n)
	}
	return nil
}

func nameOf(o object) name {
	n, _ := o.(name)
	return n
}

// parameters sets what a dictionary of drawing parameters says.
func (i *interpreter) parameters(d dict) error {
	if opacity, ok := i.f.resolve(d["ca"]).(float64); ok {
		i.state.opacity = opacity
	}
	if list, ok := i.f.resolve(d["Font"]).(array); ok && len(list) == 2 {
		size, _ := i.f.resolve(list[1]).(float64)
		return i.setFont(list[0], size)
	}
	return nil
}

func (i *interpreter) mark(hidden bool) {
	i.marks = append(i.marks, hidden)
	if hidden {
		i.unseen++
	}
}

// offLayer reports whether a layer, or each of a group of layers, isn't shown.
func (i *interpreter) offLayer(o object) bool {
	if r, ok := o.(ref); ok && i.f.off[r] {
		return true
	}
	switch group := i.f.dict(o)["OCGs"].(type) {
	case ref:
		return i.f.off[group]
	case array:
		for _, o := range group {
			if r, ok := o.(ref); !ok || !i.f.off[r] {
				return false
			}
		}
		return len(group) > 0
	}
	return false
}

// object draws an image, or content of its own.
func (i *interpreter) object(o object, depth int) error {
	s, ok := o.(*stream)
	if !ok {
		return nil
	}

	if i.f.resolve(s.dict["Subtype"]) == name("Image") {
		i.paintImage(s.dict["SMask"] != nil || s.dict["Mask"] != nil || s.dict["ImageMask"] != nil)
		return nil
	}

	if depth == maxForms {
		return errTooMuch
	}
	content, err := i.f.content(s)
	if err != nil {
		return err
	}

	before, saved, marks := i.state, i.saved, len(i.marks)
	text, start := i.text, i.start
	i.saved = nil

	if m := i.f.numbers(s.dict["Matrix"], 6); m != nil {
		i.state.ctm = matrix(m).times(i.state.ctm)
	}
	if box := i.f.numbers(s.dict["BBox"], 4); box != nil {
		i.state.clip = i.state.clip.and(i.state.ctm.box(rect{box[0], box[1], box[2], box[3]}))
	}

	resources := i.resources
	if own := i.f.dict(s.dict["Resources"]); own != nil {
		resources = own
	}

	i.mark(i.offLayer(s.dict["OC"]))
	err = i.run(content, resources, depth+1)
	for len(i.marks) > marks {
		_ = i.do("EMC", nil, depth)
	}

	i.state, i.saved, i.text, i.start = before, saved, text, start
	return err
}

// paintImage covers the place of an image. One that lets through what is below it
// covers nothing.
func (i *interpreter) paintImage(transparent bool) {
	if !transparent && i.state.opacity == 1 && i.unseen == 0 {
		i.painted = append(i.painted, area{i.state.ctm.box(rect{0, 0, 1, 1}).and(i.state.clip), color{unclear: true}})
	}
}

// outline draws a path, and reports whether the operator does.
func (i *interpreter) outline(op operator, n []float64) bool {
	s := &i.state
	at := func(k int) point { return s.ctm.at(n[k], n[k+1]) }

	switch {
	case op == "m" && len(n) == 2:
		i.path.move(at(0))
	case op == "l" && len(n) == 2:
		i.path.line(at(0))
	case (op == "c" && len(n) == 6) || ((op == "v" || op == "y") && len(n) == 4):
		i.path.line(at(len(n) - 2))
	case op == "re" && len(n) == 4:
		i.path.move(at(0))
		for _, p := range [...]point{{n[0] + n[2], n[1]}, {n[0] + n[2], n[1] + n[3]}, {n[0], n[1] + n[3]}} {
			i.path.line(s.ctm.at(p.x, p.y))
		}
		i.path.close()
	case op == "h":
		i.path.close()
	case op == "W", op == "W*":
		i.clips = true
	case strings.Contains(" f F f* B B* b b* ", " "+string(op)+" "):
		if i.path.fills() && s.opacity == 1 && i.unseen == 0 {
			i.painted = append(i.painted, area{i.path.box.and(s.clip), s.ink})
			i.bullet(i.path.box)
		}
		i.endPath()
	case op == "n", op == "S", op == "s":
		i.endPath()
	default:
		return false
	}
	return true
}

// maxBullet is how large the mark of an item is at most, in points.
const maxBullet = 8

// bullet adds the mark of an item that is drawn as a shape: browsers do so.
func (i *interpreter) bullet(box rect) {
	w, h := box.x1-box.x0, box.y1-box.y0
	if h < leastSize || h > maxBullet || w < 0.7*h || w > 1.4*h {
		return
	}
	// A bullet is about a third as high as its line, and in the middle of letters.
	size := 3 * h
	centre := point{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2}
	i.page.Glyphs = append(i.page.Glyphs, Glyph{Text: Bullet, X: box.x0, Y: centre.y - 0.3*size, Width: w, Size: size,
		centre: centre, ink: color{unclear: true}, drawn: len(i.painted)})
}

func (i *interpreter) endPath() {
	if i.clips {
		i.state.clip = i.state.clip.and(i.path.box)
	}
	i.clips, i.path = false, newPath()
}

// cover finds the glyphs that have the colour of what is below them, or that
// something was painted over.
func (i *interpreter) cover() error {
	for g := range i.page.Glyphs {
		glyph := &i.page.Glyphs[g]
		if glyph.Hidden != "" {
			continue
		}
		if err := i.f.spend(len(i.painted)/8 + 1); err != nil {
			return err
		}

		below := white
		for k, a := range i.painted {
			switch {
			case !a.has(glyph.centre):
			case k < glyph.drawn:
				below = a.color
			default:
				glyph.Hidden = "something is painted over it"
			}
		}

		if glyph.Hidden == "" && glyph.ink.like(below) {
			glyph.Hidden = "it has the colour of its background"
		}
	}
	return nil
}

// angle returns the direction of text, in degrees.
func angle(m matrix) int {
	return int(math.Round(math.Atan2(m[1], m[0]) * 180 / math.Pi))
}
