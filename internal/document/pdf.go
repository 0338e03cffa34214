package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/document/pdf"
)

// maxUnknown is which part of a PDF's letters may be without a meaning: one in so
// many. Some have signs of their own; with more, what was read is not the text.
const maxUnknown = 20

// maxLines is how many lines a PDF may have: a hundred on each of the most pages.
const maxLines = 100 * pdf.MaxPages

// readPDF reads what a PDF's pages show. It tells headings, paragraphs and items apart by
// sizes and distances, as a reader does.
func readPDF(b *builder, data []byte) error {
	f, err := pdf.Open(data)
	if err != nil {
		return err
	}

	var lines []pdfLine
	visible, unknown := 0, 0
	for i := range f.Pages() {
		page, err := f.Page(i)
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		concealed(b, page, i+1)

		for _, g := range page.Glyphs {
			if g.Hidden == "" && strings.TrimSpace(g.Text) != "" {
				visible++
				if g.Text == "\uFFFD" {
					unknown++
				}
			}
		}

		if lines = append(lines, linesOf(page, i+1)...); len(lines) > maxLines {
			return fmt.Errorf("the PDF has more than %d lines: split it", maxLines)
		}
	}

	switch {
	case visible == 0:
		return errors.New("the PDF has no text that can be seen: if it is a scan, have its text recognised, and print that to a PDF")
	case unknown*maxUnknown > visible:
		return errors.New("the PDF's fonts don't say what their letters are: print it to a new PDF")
	}

	r := pdfReader{b: b, lines: withoutRunning(lines, f.Pages())}
	r.measure()
	r.read()
	return nil
}

// concealed reports what a page has that isn't seen.
func concealed(b *builder, page *pdf.Page, number int) {
	place := Place{Page: number}
	var text strings.Builder
	why := ""
	end := pdf.Glyph{}

	for _, g := range append(page.Glyphs, pdf.Glyph{Hidden: "end"}) {
		if g.Hidden == "" {
			continue
		}

		if g.Hidden != why {
			b.suspect(why, piece{text.String(), place})
			text.Reset()
			why = g.Hidden
		}

		if spaced(end, g) {
			text.WriteByte(' ')
		}
		text.WriteString(g.Text)
		end = g
	}

	for _, note := range page.Notes {
		b.suspect("it is a comment", piece{note, place})
	}
}

// wordGap is how wide a gap between two glyphs is, in parts of their size, that
// divides words. TeX's narrowest is about 0.22, kerning is below 0.1.
const wordGap = 0.17

// spaced reports whether there is white space between two glyphs.
func spaced(a, b pdf.Glyph) bool {
	size := max(a.Size, b.Size)
	return b.X-(a.X+a.Width) > wordGap*size || max(a.Y-b.Y, b.Y-a.Y) > sameLine*size || b.X < a.X-size
}

// pdfReader makes blocks of lines.
type pdfReader struct {
	b     *builder
	lines []pdfLine
	// body is the size of most letters, leading the usual distance of lines in
	// parts of their size, and sizes those of headings, the largest first.
	body, leading float64
	sizes         []float64
	// words are those of the document, by which divided ones are joined.
	words map[string]bool

	block  []pdfLine
	lists  indents
	header string
}

// read goes through the lines.
func (r *pdfReader) read() {
	for _, l := range r.lines {
		if len(r.block) > 0 && r.begins(l) {
			r.flush()
		}
		r.block = append(r.block, l)
	}
	r.flush()
}

// begins reports whether a line begins a block of its own.
func (r *pdfReader) begins(l pdfLine) bool {
	last := r.block[len(r.block)-1]
	switch {
	case l.row(), last.row(), marker(l.text) > 0, r.level(l) != r.level(last), l.turned != last.turned:
		return true
	}

	ended := strings.HasSuffix(strings.TrimRight(last.text, closers), ".") || strings.ContainsAny(last.text[len(last.text)-1:], "!?:")
	full := last.x1 > last.right-0.2*(last.right-last.left)
	if l.page != last.page || l.column != last.column {
		return ended || !full
	}

	heading := l.bold != last.bold && (r.title() || (l.bold && !full))
	if heading || last.y-l.y > paragraphGap*r.leading*l.size {
		return true
	}

	item := marker(r.block[0].text) > 0
	indent := l.x0 - last.x0
	switch {
	case indent > l.size:
		// The first line of an item is its marker's.
		return !(item && len(r.block) == 1)
	case indent < -l.size:
		// The first line of a paragraph may be indented.
		return item || len(r.block) > 1
	}
	return ended && !full
}

// paragraphGap is how many times the usual distance of lines divides paragraphs.
const paragraphGap = 1.25

// level returns the level that the size of a line gives it, 0 for text.
func (r *pdfReader) level(l pdfLine) int {
	if len(l.text) > 2*maxTitle {
		return 0
	}
	for i, size := range r.sizes {
		if l.size > size-0.3 {
			return i + 1
		}
	}
	return 0
}

// title reports whether the block is a heading by its bold letters.
func (r *pdfReader) title() bool {
	length := 0
	for _, l := range r.block {
		if !l.bold {
			return false
		}
		length += len(l.text)
	}
	last := r.block[len(r.block)-1].text
	return length <= maxTitle && !strings.ContainsAny(last[len(last)-1:], ".!?:;,")
}

// flush ends a block.
func (r *pdfReader) flush() {
	if len(r.block) == 0 {
		return
	}
	block := r.block
	r.block = nil
	first := block[0]

	if first.row() {
		text := r.b.row(len(r.lists.levels), r.header, first.cellPieces()...)
		if r.header == "" && first.bold {
			r.header = text
		}
		return
	}

	r.header = ""
	level := r.level(first)
	r.block = block
	titled := r.title()
	r.block = nil

	depth := titleLevel(first.text)
	deep := depth > 2 && !first.full()
	if level == 0 && len(block) == 1 && (titled || deep) {
		level = len(r.sizes) + max(depth-1, 1)
	} else if level == 0 && titled {
		level = len(r.sizes) + 1
	}

	if level > 0 {
		r.lists = indents{}
		r.b.heading(level, r.join(block)...)
		return
	}

	n := marker(first.text)
	pieces := r.join(block)
	if n > 0 {
		pieces[0].text = pieces[0].text[n:]
	}
	r.b.paragraph(r.lists.enter(int(first.x0), n > 0, block[len(block)-1].text), pieces...)
}

// join joins the lines of a block, and the words that are divided between them.
func (r *pdfReader) join(block []pdfLine) []piece {
	var out []piece
	for i, l := range block {
		text := l.text
		if i+1 == len(block) || !divided(text, block[i+1].text) {
			out = append(out, piece{text + "\n", l.place()})
			continue
		}
		head, tail := lastWord(text), firstWord(block[i+1].text)
		if !r.words[head+tail] || r.words[strings.TrimSuffix(head, "-")+tail] {
			text = strings.TrimSuffix(text, "-")
		}
		out = append(out, piece{text, l.place()})
	}
	return out
}
