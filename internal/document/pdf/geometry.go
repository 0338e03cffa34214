package pdf

import "math"

// matrix is a, b, c, d, e, f of PDF: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix [6]float64

// times returns the matrix that does what m does, and then n.
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

// size returns the size of the area; 0 when there is none.
func (r rect) size() float64 { return math.Max(0, r.x1-r.x0) * math.Max(0, r.y1-r.y0) }

// box returns the smallest area around what m makes of an area.
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

// fills reports whether the outline is about a rectangle: it covers most of its box.
func (p *path) fills() bool {
	p.close()
	return p.box.size() > 0 && math.Abs(p.twice)/2 >= 0.7*p.box.size()
}
