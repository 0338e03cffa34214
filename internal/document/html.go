package document

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readHTML reads a page as a browser shows it, without its scripts.
func readHTML(b *builder, data []byte) error {
	in, err := charset.NewReader(bytes.NewReader(data), "text/html")
	if err != nil {
		return err
	}
	line := lineAttribute(b.doc)
	page, err := numberLines(in, line)
	if err != nil {
		return err
	}
	return readPage(b, page, line)
}

// lineAttribute returns the name of the attribute that has an element's line in the original. An
// author can't write it into a document, as it depends on the whole of it.
func lineAttribute(d *Document) string {
	return "data-line-" + strings.TrimPrefix(d.Digest, "sha256:")
}

// numberLines adds to each tag the number of its line.
func numberLines(in io.Reader, attribute string) ([]byte, error) {
	var out bytes.Buffer
	z := html.NewTokenizer(in)
	line := 1
	for {
		kind := z.Next()
		raw := z.Raw()
		begin := line
		line += bytes.Count(raw, []byte("\n"))

		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			at := bytes.IndexAny(raw, " \n\r\t\f/>")
			out.Write(raw[:at])
			out.WriteString(" " + attribute + `="` + strconv.Itoa(begin) + `" `)
			raw = raw[at:]
		}

		out.Write(raw)
		if out.Len() > maxNumbered {
			return nil, errTags
		}

		if kind == html.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return out.Bytes(), nil
		}
	}
}

// maxNumbered is how large a page may become with the lines of its tags. Text has
// far fewer tags than would make it that large.
const maxNumbered = 4 * MaxSize

var errTags = errors.New("the page consists of tags: save its text alone")

// readPage reads a page whose tags have their lines in an attribute.
func readPage(b *builder, page []byte, attribute string) error {
	root, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		return err
	}
	p := pageReader{b: b, attribute: attribute, line: 1, styles: sheets(root)}
	p.node(root, visible)
	p.flush()
	return nil
}

// pageReader walks a page. The parser holds elements to a depth of 512.
type pageReader struct {
	b         *builder
	attribute string
	styles    styleSheet
	line      int
	// lists is how many lists the walk is in, and level that of the heading, 0
	// outside of one.
	lists, level int
	inline       []piece
	hidden       []piece
	why          string
	// inCell is set where the walk is in a cell of a table, where blocks are no more than words;
	// header is the text of the table's header row.
	inCell bool
	header string
}

// node reads an element or text, which is shown in a style.
func (p *pageReader) node(n *html.Node, s style) {
	switch n.Type {
	case html.TextNode:
		p.text(n.Data, s)
		p.line += strings.Count(n.Data, "\n")
		return
	case html.CommentNode:
		p.conceal(n.Data, "it is a comment")
		p.line += strings.Count(n.Data, "\n")
		return
	case html.ElementNode:
		for _, a := range n.Attr {
			if a.Key == p.attribute {
				p.line, _ = strconv.Atoi(a.Val)
			}
		}
		s = s.within(n, p.styles)
	case html.DoctypeNode:
		return
	}

	if notText[n.DataAtom] {
		return
	}

	if n.DataAtom == atom.Br {
		p.text("\n", s)
		return
	}

	if !block[n.DataAtom] || p.inCell {
		p.children(n, s)
		return
	}

	p.flush()
	p.block(n, s)
	p.flush()
}

func (p *pageReader) children(n *html.Node, s style) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.node(c, s)
		if p.inCell && block[c.DataAtom] {
			p.text(" ", s)
		}
	}
}

// block reads an element that begins and ends a block.
func (p *pageReader) block(n *html.Node, s style) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.level = int(n.Data[1] - '0')
		p.children(n, s)
		p.flush()
		p.level = 0
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir, atom.Dd:
		// The term leads in its description.
		p.lists++
		p.children(n, s)
		p.flush()
		p.lists--
	case atom.Table:
		p.table(n, s)
	default:
		p.children(n, s)
	}
}

// text adds shown or hidden text to the block.
func (p *pageReader) text(text string, s style) {
	if why := s.hides(); why != "" && strings.TrimSpace(text) != "" {
		p.conceal(text, why)
		return
	}
	// Each line of the source has a place of its own.
	line := p.line
	for part := range strings.SplitAfterSeq(text, "\n") {
		p.inline = append(p.inline, piece{part, Place{Line: line}})
		line++
	}
}

// conceal adds text that isn't shown; what is hidden for one reason is one text.
func (p *pageReader) conceal(text, why string) {
	if p.why != why {
		p.reveal()
	}
	p.why = why
	p.hidden = append(p.hidden, piece{text + " ", Place{Line: p.line}})
}

// reveal reports the hidden text.
func (p *pageReader) reveal() {
	p.b.suspect(p.why, p.hidden...)
	p.hidden = nil
}

// flush ends a block.
func (p *pageReader) flush() {
	if p.inCell {
		return
	}
	text := p.inline
	p.inline = nil
	if p.level > 0 {
		p.b.heading(p.level, text...)
	} else {
		p.b.paragraph(p.lists, text...)
	}
	p.reveal()
}

// table reads a table's rows; one that has headings, lists or tables in it only
// arranges blocks, and its cells are read as such.
func (p *pageReader) table(n *html.Node, s style) {
	if arranges(n) {
		p.children(n, s)
		return
	}
	p.header = ""
	p.rows(n, s)
	p.header = ""
}

func (p *pageReader) rows(n *html.Node, s style) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.Tr:
			p.row(c, s.within(c, p.styles))
		case c.DataAtom == atom.Thead, c.DataAtom == atom.Tbody, c.DataAtom == atom.Tfoot:
			p.rows(c, s.within(c, p.styles))
		default:
			p.node(c, s)
			p.flush()
		}
	}
}

func (p *pageReader) row(n *html.Node, s style) {
	var cells [][]piece
	head := true

	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			p.node(c, s)
			continue
		}
		head = head && c.DataAtom == atom.Th
		p.inCell, p.inline = true, nil
		p.node(c, s)
		cells = append(cells, p.inline)
		p.inCell, p.inline = false, nil
	}

	if head {
		p.header = p.b.row(p.lists, "", cells...)
	} else {
		p.b.row(p.lists, p.header, cells...)
	}

	p.reveal()
}

// arranges reports whether a table has blocks in it that are not text of cells.
func arranges(n *html.Node) bool {
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl:
			return true
		}
	}
	return false
}

// notText are elements whose content no reader is meant to see as text.
var notText = atoms(atom.Head, atom.Script, atom.Style, atom.Svg, atom.Math)

// block are elements that begin and end a block of text.
var block = atoms(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details,
	atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1,
	atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav,
	atom.Ol, atom.Option, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot,
	atom.Th, atom.Thead, atom.Tr, atom.Ul)

func atoms(list ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, a := range list {
		out[a] = true
	}
	return out
}
