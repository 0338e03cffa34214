package document

import (
	"errors"
	"strings"
)

// readDOCX reads a Word document: its body, and its notes after that. Headers and
// footers of pages are left out.
func readDOCX(b *builder, data []byte) error {
	parts, err := unpack(data)
	if err != nil {
		return err
	}

	r := docxReader{b: b}
	if r.styles, err = readStyles(parts["word/styles.xml"]); err != nil {
		return err
	}

	for _, part := range [...]struct {
		name string
		read func(string) error
	}{
		{"word/document.xml", r.blocks},
		{"word/footnotes.xml", r.notes},
		{"word/endnotes.xml", r.notes},
		{"word/comments.xml", r.comments},
	} {
		if text, ok := parts[part.name]; ok {
			r.xmlReader = newXMLReader(text)
			if err := r.each(part.read); err != nil {
				return err
			}
		}
	}

	return nil
}

var errForeignPart = errors.New("the document holds a part in another format (altChunk): open it in Word and save it again")

// docxReader reads the elements of a part one after the other.
type docxReader struct {
	xmlReader
	b      *builder
	styles styles
	// paragraphs counts them in the order of the file.
	paragraphs int
	// deleted says that the walk is in text whose deletion was tracked.
	deleted bool
	// background is the colour behind the text: of the page, or of a cell.
	background string
	// boxes are paragraphs in text boxes, which are in the middle of others.
	boxes []docxParagraph
}

// docxParagraph is a paragraph of Word.
type docxParagraph struct {
	text, hidden []piece
	why          string
	paragraphFormat
	letters runFormat
}

// conceal adds text that isn't shown, and reports what was hidden for another
// reason before it.
func (r *docxReader) conceal(p *docxParagraph, text, why string) {
	if p.why != why {
		r.b.suspect(p.why, p.hidden...)
		p.hidden = nil
	}
	p.why = why
	p.hidden = append(p.hidden, piece{text, Place{Paragraph: r.paragraphs}})
}

// blocks reads an element that holds paragraphs and tables.
func (r *docxReader) blocks(name string) error {
	switch name {
	case "p":
		p, err := r.paragraph()
		r.add(p)
		for _, box := range r.boxes {
			r.add(box)
		}
		r.boxes = nil
		return err
	case "tbl":
		return r.table()
	case "altChunk":
		return errForeignPart
	case "background":
		if c := r.attribute("color"); c != "" {
			r.background = c
		}
		return r.skip()
	case "del", "moveFrom":
		return r.deletion(r.blocks)
	case "sectPr":
		return r.skip()
	}

	return r.each(r.blocks)
}

// add adds a paragraph to the document.
func (r *docxReader) add(p docxParagraph) {
	if p.heading > 0 {
		r.b.heading(p.heading, p.text...)
	} else {
		r.b.paragraph(p.list, p.text...)
	}
	r.b.suspect(p.why, p.hidden...)
}

func (r *docxReader) deletion(read func(string) error) error {
	before := r.deleted
	r.deleted = true
	err := r.each(read)
	r.deleted = before
	return err
}

// notes reads the notes of a part, which have no headings.
func (r *docxReader) notes(name string) error {
	if name == "footnote" || name == "endnote" {
		if kind := r.attribute("type"); kind != "" && kind != "normal" {
			return r.skip() // the lines between text and notes
		}
		r.b.leave()
		return r.each(r.blocks)
	}
	return r.each(r.notes)
}

// comments reports what people, or others, wrote beside the text.
func (r *docxReader) comments(name string) error {
	if name == "p" {
		p, err := r.paragraph()
		r.b.suspect("it is a comment", p.text...)
		return err
	}
	return r.each(r.comments)
}

func (r *docxReader) paragraph() (docxParagraph, error) {
	r.paragraphs++

	var p docxParagraph
	p.paragraphFormat, p.letters = r.styles.paragraph("")

	var inline func(string) error
	inline = func(name string) error {
		switch name {
		case "pPr":
			properties, err := r.properties()
			for _, q := range properties {
				if q.name == "pStyle" {
					p.paragraphFormat, p.letters = r.styles.paragraph(q.get("val"))
				}
			}
			p.apply(properties)
			return err
		case "r":
			return r.run(&p, inline)
		case "del", "moveFrom":
			return r.deletion(inline)
		case "p":
			box, err := r.paragraph()
			r.boxes = append(r.boxes, box)
			return err
		}
		return r.each(inline)
	}

	err := r.each(inline)
	return p, err
}

// run reads text in one format.
func (r *docxReader) run(p *docxParagraph, inline func(string) error) error {
	format := p.letters
	place := Place{Paragraph: r.paragraphs}

	write := func(text string) {
		why := format.hides(first(p.fill, r.background))
		if r.deleted {
			why = "its deletion was tracked"
		}
		if why != "" && strings.TrimSpace(text) != "" {
			r.conceal(p, text, why)
			return
		}
		p.text = append(p.text, piece{text, place})
	}

	return r.each(func(name string) error {
		switch name {
		case "rPr":
			properties, err := r.properties()
			for _, q := range properties {
				if q.name == "rStyle" {
					r.styles.run(q.get("val"), &format)
				}
			}
			format.apply(properties)
			return err
		case "t":
			text, err := r.text()
			write(text)
			return err
		case "delText":
			text, err := r.text()
			r.conceal(p, text, "its deletion was tracked")
			return err
		case "tab", "br", "cr", "ptab":
			write(" ")
		case "noBreakHyphen":
			write("-")
		case "drawing", "pict", "object", "AlternateContent":
			return r.each(inline)
		}
		return r.skip()
	})
}

// table reads a table, row by row. One with a single column only frames blocks.
func (r *docxReader) table() error {
	t := docxTable{}
	background := r.background

	var read func(string) error
	read = func(name string) error {
		switch name {
		case "tblLook":
			t.header = r.attribute("firstRow") == "1" || r.attribute("firstRow") == "true"
			return r.skip()
		case "tr":
			t.rows = append(t.rows, nil)
			return r.each(read)
		case "tblHeader":
			t.header = t.header || len(t.rows) == 1
			return r.skip()
		case "tc":
			if len(t.rows) == 0 {
				return r.skip()
			}
			row := &t.rows[len(t.rows)-1]
			*row = append(*row, nil)
			r.background = background
			return r.each(read)
		case "shd":
			r.background = first(r.attribute("fill"), background)
			return r.skip()
		case "p":
			p, err := r.paragraph()
			t.add(p)
			return err
		}
		return r.each(read)
	}

	err := r.each(read)
	r.background = background
	t.write(r)
	return err
}

// docxTable is a table as the paragraphs of its cells.
type docxTable struct {
	rows   [][][]docxParagraph
	header bool
}

func (t *docxTable) add(p docxParagraph) {
	if len(t.rows) == 0 || len(t.rows[len(t.rows)-1]) == 0 {
		return
	}
	row := t.rows[len(t.rows)-1]
	row[len(row)-1] = append(row[len(row)-1], p)
}

func (t *docxTable) write(r *docxReader) {
	columns := 0
	for _, row := range t.rows {
		columns = max(columns, len(row))
	}

	header := ""
	for i, row := range t.rows {
		var cells [][]piece
		for _, cell := range row {
			var text []piece
			for _, p := range cell {
				if columns == 1 {
					r.add(p)
					continue
				}
				text = append(append(text, p.text...), piece{text: " "})
				r.b.suspect(p.why, p.hidden...)
			}
			cells = append(cells, text)
		}

		if columns == 1 {
			continue
		}
		if text := r.b.row(0, header, cells...); i == 0 && t.header && len(t.rows) > 1 {
			header = text
		}
	}
}
