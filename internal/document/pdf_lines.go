package document

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/document/pdf"
)

// pdfLine is a line of a page, or of one of its columns.
type pdfLine struct {
	text                string
	cells               []segment
	x0, x1, y, size     float64
	bold                bool
	turned              int
	page, number        int
	column              int
	left, right, height float64
}

func (l pdfLine) place() Place { return Place{Page: l.page, Line: l.number} }

// row reports whether a line is a row of a table.
func (l pdfLine) row() bool { return len(l.cells) > 1 }

// full reports whether a line reaches the right edge of its column, about.
func (l pdfLine) full() bool { return l.x1 > l.right-0.2*(l.right-l.left) }

func (l pdfLine) cellPieces() [][]piece {
	var out [][]piece
	for _, c := range l.cells {
		out = append(out, []piece{{c.text, l.place()}})
	}
	return out
}

// segment is a part of a line without a wide gap.
type segment struct {
	text            string
	x0, x1, y, size float64
	bold            bool
}

const (
	// sameLine is how far base lines may be apart on one line, in parts of the
	// size: what is raised or lowered belongs to it.
	sameLine = 0.5
	// cellGap is how wide a gap is, in parts of the size, that divides cells or
	// columns.
	cellGap = 2
)

// linesOf returns the lines of a page, in reading order.
func linesOf(page *pdf.Page, number int) []pdfLine {
	angles := map[int][]pdf.Glyph{}
	var order []int

	for _, g := range page.Glyphs {
		if g.Hidden != "" {
			continue
		}
		if _, ok := angles[g.Turned]; !ok {
			order = append(order, g.Turned)
		}
		angles[g.Turned] = append(angles[g.Turned], g)
	}

	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(max(a, -a), max(b, -b)) })
	var out []pdfLine

	for _, angle := range order {
		for _, l := range arrange(baselines(angles[angle])) {
			if l.text == pdf.Bullet {
				continue // a shape that marks nothing
			}
			l.page, l.number, l.turned, l.height = number, len(out)+1, angle, page.Height
			out = append(out, l)
		}
	}

	return out
}

// baselines gathers glyphs into lines, from the top down, and these into segments.
func baselines(glyphs []pdf.Glyph) [][]segment {
	slices.SortStableFunc(glyphs, func(a, b pdf.Glyph) int { return cmp.Compare(b.Y, a.Y) })
	var out [][]segment

	for len(glyphs) > 0 {
		y, size := glyphs[0].Y, glyphs[0].Size
		n := 0
		for n < len(glyphs) && y-glyphs[n].Y <= sameLine*max(size, glyphs[n].Size) {
			if glyphs[n].Size > size {
				y, size = glyphs[n].Y, glyphs[n].Size
			}
			n++
		}

		line := glyphs[:n]
		glyphs = glyphs[n:]
		slices.SortStableFunc(line, func(a, b pdf.Glyph) int { return cmp.Compare(a.X, b.X) })
		if segments := segmentsOf(line, y); len(segments) > 0 {
			out = append(out, segments)
		}
	}

	return out
}

// segmentsOf divides a line at wide gaps, and puts spaces at narrower ones.
func segmentsOf(line []pdf.Glyph, y float64) []segment {
	var out []segment
	var text strings.Builder
	var s segment
	var last pdf.Glyph
	bold, letters := 0, 0

	end := func() {
		if s.text = strings.TrimSpace(text.String()); s.text != "" {
			s.bold = bold*2 > letters
			out = append(out, s)
		}
		text.Reset()
		s, bold, letters = segment{}, 0, 0
	}

	for _, g := range line {
		if strings.TrimSpace(g.Text) == "" {
			if text.Len() > 0 && g.X-s.x1 < cellGap*g.Size {
				text.WriteByte(' ')
			}
			continue
		}

		switch {
		case text.Len() == 0:
		case g.Text == last.Text && g.X-last.X < 0.1*g.Size:
			continue // drawn twice, to look bold
		case g.X-s.x1 > cellGap*g.Size:
			end()
		case g.X-s.x1 > wordGap*g.Size:
			text.WriteByte(' ')
		}

		if text.Len() == 0 {
			s = segment{x0: g.X, y: y}
		}

		text.WriteString(g.Text)
		s.x1, s.size = max(s.x1, g.X+g.Width), max(s.size, g.Size)
		letters++
		if g.Bold {
			bold++
		}
		last = g
	}

	end()
	return out
}

// arrange puts segments into lines in reading order: column by column where there
// are two, row by row otherwise.
func arrange(rows [][]segment) []pdfLine {
	gutter := gutterOf(rows)
	if math.IsNaN(gutter) {
		var out []pdfLine
		for i, row := range rows {
			out = append(out, lineOf(row, tabular(rows, i)))
		}
		return margins(out)
	}

	var out []pdfLine
	var columns [2][]pdfLine
	flush := func() {
		out = append(append(out, margins(columns[0])...), margins(columns[1])...)
		columns = [2][]pdfLine{}
	}

	for _, row := range rows {
		var sides [2][]segment
		across := false
		for _, s := range row {
			across = across || (s.x0 < gutter && s.x1 > gutter)
			side := 0
			if s.x0 >= gutter {
				side = 1
			}
			sides[side] = append(sides[side], s)
		}

		if across {
			flush()
			out = append(out, margins([]pdfLine{lineOf(row, false)})...)
			continue
		}

		for i, side := range sides {
			if len(side) > 0 {
				l := lineOf(side, false)
				l.column = i + 1
				columns[i] = append(columns[i], l)
			}
		}
	}

	flush()
	return out
}

// lineOf makes a line of segments; those that only have a wide gap between them
// are one text.
func lineOf(row []segment, table bool) pdfLine {
	l := pdfLine{x0: row[0].x0, x1: row[len(row)-1].x1, y: row[0].y, bold: true}
	var texts []string
	for _, s := range row {
		texts = append(texts, s.text)
		l.size, l.bold = max(l.size, s.size), l.bold && s.bold
	}
	l.text = strings.Join(texts, " ")
	if table {
		l.cells = row
	}
	return l
}

// tabular reports whether row i is of a table: it has several segments, and so has a
// neighbour, and the first is more than the marker of an item.
func tabular(rows [][]segment, i int) bool {
	several := func(i int) bool {
		if i < 0 || i >= len(rows) || len(rows[i]) < 2 {
			return false
		}
		first := rows[i][0].text
		item := marker(first+" ") != 0 || parts(first+" x") != 0
		return len(rows[i]) > 2 || !item
	}
	return several(i) && (several(i-1) || several(i+1))
}

// minColumn is how many lines each of two columns has at least.
const minColumn = 6

// gutterOf returns the x between two columns of text, NaN when there are none.
func gutterOf(rows [][]segment) float64 {
	left, right := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, s := range row {
			left, right = min(left, s.x0), max(right, s.x1)
		}
	}

	best, gutter := 0, math.NaN()
	for part := 0.35; part <= 0.65; part += 0.01 {
		x := left + part*(right-left)
		var n [2]int
		var width [2]float64
		across := 0

		for _, row := range rows {
			for _, s := range row {
				switch {
				case s.x1 <= x:
					n[0], width[0] = n[0]+1, width[0]+s.x1-s.x0
				case s.x0 >= x:
					n[1], width[1] = n[1]+1, width[1]+s.x1-s.x0
				default:
					across++
				}
			}
		}

		// The lines of columns are about as wide as they; cells of tables aren't.
		wide := width[0] > 0.6*float64(n[0])*(x-left) && width[1] > 0.6*float64(n[1])*(right-x)
		if m := min(n[0], n[1]); m >= minColumn && wide && across*3 < n[0]+n[1] && m > best {
			best, gutter = m, x
		}
	}
	return gutter
}

// margins notes how far the lines of a column reach.
func margins(lines []pdfLine) []pdfLine {
	left, right := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		left, right = min(left, l.x0), max(right, l.x1)
	}
	for i := range lines {
		lines[i].left, lines[i].right = left, right
	}
	return lines
}

// measure finds the sizes of the document.
func (r *pdfReader) measure() {
	letters, gaps := map[float64]int{}, map[float64]int{}
	r.words = map[string]bool{}
	round := func(x, to float64) float64 { return math.Round(x/to) * to }

	for i, l := range r.lines {
		letters[round(l.size, 0.5)] += len(l.text)
		if i > 0 {
			last := r.lines[i-1]
			if gap := (last.y - l.y) / l.size; last.page == l.page && gap > 0.8 && gap < 3 && round(last.size, 0.5) == round(l.size, 0.5) {
				gaps[round(gap, 0.05)]++
			}
		}

		for word := range strings.FieldsFuncSeq(l.text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
			if !strings.HasSuffix(word, "-") {
				r.words[strings.ToLower(word)] = true
			}
		}
	}

	most := func(counts map[float64]int, otherwise float64) float64 {
		best := otherwise
		for v, n := range counts {
			asOften := n == counts[best] && v < best
			if n > counts[best] || asOften {
				best = v
			}
		}
		return best
	}

	r.body, r.leading = most(letters, 0), most(gaps, 1.2)
	for size := range letters {
		if size >= 1.12*r.body {
			r.sizes = append(r.sizes, size)
		}
	}

	slices.SortFunc(r.sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	r.sizes = r.sizes[:min(len(r.sizes), 6)]
}

// divided reports whether a word is divided between two lines.
func divided(line, next string) bool {
	before, ok := strings.CutSuffix(line, "-")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(next)
	return ok && unicode.IsLetter(last) && unicode.IsLower(first)
}

func lastWord(line string) string {
	return strings.ToLower(line[strings.LastIndexByte(line, ' ')+1:])
}

func firstWord(line string) string {
	end := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	if end < 0 {
		end = len(line)
	}
	return strings.ToLower(line[:end])
}
