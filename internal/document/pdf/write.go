package pdf

import (
	"math"
	"strings"
)

// leastSize is the size of readable letters, in points.
const leastSize = 2

// maxGlyphs is how many glyphs a page may have, and maxPainted how many areas that
// are painted: a page of small print has some ten thousand letters.
const (
	maxGlyphs  = 200_000
	maxPainted = 200_000
)

// leastOpacity is less than what can be read.
const leastOpacity = 0.1

// write carries out the operators of text.
func (i *interpreter) write(op operator, operands []object, n []float64) error {
	s := &i.state
	var last object
	var number float64
	if len(operands) > 0 {
		last, number = operands[len(operands)-1], n[len(n)-1]
	}

	switch op {
	case "BT":
		i.text, i.start = matrix{1, 0, 0, 1, 0, 0}, matrix{1, 0, 0, 1, 0, 0}
	case "Tc":
		s.letterSpace = number
	case "Tw":
		s.wordSpace = number
	case "Tz":
		s.scale = number / 100
	case "TL":
		s.above = number
	case "Ts":
		s.rise = number
	case "Tr":
		s.mode = int(number)
	case "Tf":
		if len(operands) == 2 {
			return i.setFont(i.f.dict(i.resources["Font"])[nameOf(operands[0])], number)
		}
	case "Td", "TD":
		if len(n) == 2 {
			if op == "TD" {
				s.above = -n[1]
			}
			i.newLine(n[0], n[1])
		}
	case "Tm":
		if len(n) == 6 {
			i.text, i.start = matrix(n), matrix(n)
		}
	case "T*":
		i.newLine(0, -s.above)
	case "'":
		i.newLine(0, -s.above)
		return i.show(last)
	case "\"":
		if len(n) == 3 {
			s.wordSpace, s.letterSpace = n[0], n[1]
		}
		i.newLine(0, -s.above)
		return i.show(last)
	case "Tj":
		return i.show(last)
	case "TJ":
		parts, _ := last.(array)
		for _, part := range parts {
			if move, ok := part.(float64); ok {
				i.text = matrix{1, 0, 0, 1, -move / 1000 * s.size * s.scale, 0}.times(i.text)
			} else if err := i.show(part); err != nil {
				return err
			}
		}
	}

	return nil
}

func (i *interpreter) setFont(o object, size float64) (err error) {
	i.state.size = size
	i.state.font, err = i.f.font(o)
	return err
}

func (i *interpreter) newLine(x, y float64) {
	i.start = matrix{1, 0, 0, 1, x, y}.times(i.start)
	i.text = i.start
}

// show draws the glyphs of a text.
func (i *interpreter) show(o object) error {
	s := &i.state
	codes, ok := o.(text)
	if !ok || s.font == nil {
		return nil
	}

	return s.font.glyphs(codes, func(g glyphCode) error {
		if len(i.page.Glyphs) >= maxGlyphs {
			return errTooMuch
		}
		if err := i.f.spend(1); err != nil {
			return err
		}

		advance := g.width*s.size + s.letterSpace
		if g.space {
			advance += s.wordSpace
		}
		advance *= s.scale

		m := matrix{s.size * s.scale, 0, 0, s.size, 0, s.rise}.times(i.text).times(s.ctm)
		i.glyph(g, m, advance)
		i.text = matrix{1, 0, 0, 1, advance, 0}.times(i.text)
		return nil
	})
}

// glyph adds a glyph to the page; m makes its size of 1 that on the page.
func (i *interpreter) glyph(g glyphCode, m matrix, advance float64) {
	s := &i.state
	along := math.Hypot(m[0], m[1])
	width := g.width * along
	if s.size*s.scale != 0 {
		width = math.Abs(advance / (s.size * s.scale) * along)
	}

	out := Glyph{Text: g.text, Width: width, Size: math.Hypot(m[2], m[3]), Turned: angle(m), Bold: s.font.bold(),
		centre: m.at(g.width/2, 0.3), ink: s.ink, drawn: len(i.painted)}
	if s.mode == 1 || s.mode == 5 {
		out.ink = s.line
	}

	// In the direction of reading the text is upright.
	sin, cos := math.Sincos(float64(out.Turned) * math.Pi / 180)
	out.X, out.Y = m[4]*cos+m[5]*sin, m[5]*cos-m[4]*sin

	switch sum := out.X + out.Y + out.Width + out.Size; {
	case math.IsNaN(sum), math.IsInf(sum, 0):
		out = Glyph{Text: g.text, Hidden: "it is off the page"}
	case strings.TrimSpace(g.text) == "":
		// White space hides nothing.
		out.ink = color{unclear: true}
	case i.unseen > 0:
		out.Hidden = "it is on a layer that isn't shown"
	case s.mode == 3, s.mode == 7:
		out.Hidden = "it is drawn invisibly"
	case out.Size < leastSize, along < leastSize:
		out.Hidden = "its letters are too small to read"
	case s.opacity < leastOpacity:
		out.Hidden = "it is transparent"
	case !(rect{0, 0, i.page.Width, i.page.Height}).has(out.centre):
		out.Hidden = "it is off the page"
	case !s.clip.has(out.centre):
		out.Hidden = "it is clipped away"
	}

	i.page.Glyphs = append(i.page.Glyphs, out)
}

func (out *font) bold() bool {
	return strings.Contains(out.name, "Bold") || strings.Contains(out.name, "Black") || strings.Contains(out.name, "Heavy")
}
