package pdf

import "math"

// matrix is a, b, c, d, e, f of PDF: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix [6]float64

// times is what m does, and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

type point struct{ x, y float64 }

func (m matrix) at(x, y float64) point {
	return point{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

// rect is an area with sides along the page's.
type rect struct{ x0, y0, x1, y1 float64 }

// nowhere has no point in it; whatever is added to it is the whole.
var nowhere = rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

func (r rect) has(p point) bool { return p.x >= r.x0 && p.x <= r.x1 && p.y >= r.y0 && p.y <= r.y1 }

func (r rect) with(p point) rect {
	return rect{math.Min(r.x0, p.x), math.Min(r.y0, p.y), math.Max(r.x1, p.x), math.Max(r.y1, p.y)}
}

func (r rect) and(o rect) rect {
	return rect{math.Max(r.x0, o.x0), math.Max(r.y0, o.y0), math.Min(r.x1, o.x1), math.Min(r.y1, o.y1)}
}

// size is the area's; 0 when there is none.
func (r rect) size() float64 { return math.Max(0, r.x1-r.x0) * math.Max(0, r.y1-r.y0) }

// box is the smallest area around what m makes of an area.
func (m matrix) box(r rect) rect {
	out := nowhere
	for _, p := range [...]point{m.at(r.x0, r.y0), m.at(r.x1, r.y0), m.at(r.x0, r.y1), m.at(r.x1, r.y1)} {
		out = out.with(p)
	}
	return out
}

// path is the outline that is being drawn, on the page.
type path struct {
	box         rect
	first, last point
	// twice is twice the area of the polygon through its points.
	twice float64
}

func newPath() path { return path{box: nowhere} }

func (p *path) move(to point) {
	p.close()
	p.first, p.last, p.box = to, to, p.box.with(to)
}

func (p *path) line(to point) {
	p.twice += p.last.x*to.y - to.x*p.last.y
	p.last, p.box = to, p.box.with(to)
}

func (p *path) close() {
	p.twice += p.last.x*p.first.y - p.first.x*p.last.y
	p.last = p.first
}

// fills tells whether the outline is about a rectangle: it covers most of its box.
func (p *path) fills() bool {
	p.close()
	return p.box.size() > 0 && math.Abs(p.twice)/2 >= 0.7*p.box.size()
}

// color is red, green and blue from 0 to 1; unclear is one that isn't known.
type color struct {
	r, g, b float64
	unclear bool
}

var white = color{1, 1, 1, false}

// maxContrast is how far two colours may be apart and still not be told apart by a
// reader.
const maxContrast = 0.1

func (c color) like(o color) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= maxContrast }
	return !c.unclear && !o.unclear && near(c.r, o.r) && near(c.g, o.g) && near(c.b, o.b)
}

// space is a colour space, as far as its colours can be worked out.
type space struct {
	// components is how many numbers a colour has: 1 grey, 3 RGB, 4 CMYK.
	components int
	// ink says that 1 is full of colour, as in separations, and not light.
	ink bool
	// unclear says that its colours aren't worked out.
	unclear bool
}

func (s space) color(n []float64) color {
	if s.unclear || len(n) != s.components {
		return color{unclear: true}
	}
	for i := range n {
		n[i] = math.Min(1, math.Max(0, n[i]))
	}
	switch s.components {
	case 1:
		if s.ink {
			n[0] = 1 - n[0]
		}
		return color{n[0], n[0], n[0], false}
	case 3:
		return color{n[0], n[1], n[2], false}
	case 4:
		return color{(1 - n[0]) * (1 - n[3]), (1 - n[1]) * (1 - n[3]), (1 - n[2]) * (1 - n[3]), false}
	}
	return color{unclear: true}
}
