package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

const (
	// maxUnpacked is how many bytes the parts of a Word document may have together
	// when they are unpacked. A book's text has a few MiB.
	maxUnpacked = 128 << 20
	// maxRatio is how many times larger a part may be than it is packed, from
	// minRatioSize on. XML of people's text is packed to a tenth or twentieth.
	maxRatio     = 200
	minRatioSize = 1 << 20
	// maxParts is how many parts a document may have. Each picture is one.
	maxParts = 10_000
)

// unpack returns the parts of a Word document that have text.
func unpack(data []byte) (map[string]string, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("it isn't a Word document: %w", err)
	}
	if len(archive.File) > maxParts {
		return nil, fmt.Errorf("it has more than %d parts", maxParts)
	}

	parts := map[string]string{}
	left := int64(maxUnpacked)
	for _, f := range archive.File {
		switch f.Name {
		case "word/document.xml", "word/styles.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml":
		default:
			continue
		}

		if _, ok := parts[f.Name]; ok {
			return nil, fmt.Errorf("it has two parts %s", f.Name)
		}

		limit := min(left, max(minRatioSize, int64(min(f.CompressedSize64, MaxSize))*maxRatio))
		text, err := unpackPart(f, limit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		left -= int64(len(text))
		parts[f.Name] = text
	}

	if _, ok := parts["word/document.xml"]; !ok {
		return nil, errors.New("it isn't a Word document: it has no word/document.xml")
	}
	return parts, nil
}

func unpackPart(f *zip.File, limit int64) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(text)) > limit {
		return "", errors.New("it unpacks to more than a document has")
	}
	return string(text), nil
}

// A property is an element of a format.
type property struct {
	name  string
	attrs []xml.Attr
}

func (p property) get(name string) string { return attributeOf(p.attrs, name) }

func (p property) integer() int {
	n, err := strconv.Atoi(p.get("val"))
	if err != nil {
		return -1
	}
	return n
}

// properties reads a format. It leaves out the format before a tracked change, and that
// of a paragraph's mark.
func (x *xmlReader) properties() ([]property, error) {
	var out []property
	var read func(string) error
	read = func(name string) error {
		switch name {
		case "rPr", "rPrChange", "pPrChange", "sectPr":
			return x.skip()
		}
		out = slices.DeleteFunc(out, func(p property) bool { return p.name == name })
		if formats[name] {
			out = append(out, property{name, x.start.Attr})
		}
		return x.each(read)
	}
	err := x.each(read)
	return out, err
}

// formats are the properties that matter here.
var formats = map[string]bool{
	"pStyle": true, "rStyle": true, "outlineLvl": true, "shd": true, "ilvl": true, "numId": true,
	"vanish": true, "specVanish": true, "strike": true, "dstrike": true, "sz": true, "color": true, "highlight": true,
}

// paragraphFormat is what a paragraph is by its format.
type paragraphFormat struct {
	// heading is the level, 0 for others; list is the number of lists around it.
	heading, list int
	// fill is the colour behind it.
	fill string
}

func (f *paragraphFormat) apply(properties []property) {
	for _, p := range properties {
		f.set(p)
	}
}

func (f *paragraphFormat) set(p property) {
	switch p.name {
	case "outlineLvl":
		// Level 9 is body text.
		f.heading = 0
		if n := p.integer(); n >= 0 && n < maxLevel {
			f.heading = n + 1
		}
	case "shd":
		f.fill = first(p.get("fill"), f.fill)
	case "ilvl":
		f.list = min(max(p.integer(), 0), maxDepth) + 1
	case "numId":
		// Number 0 takes the paragraph out of its style's list.
		if f.list = max(f.list, 1); p.integer() == 0 {
			f.list = 0
		}
	}
}

// runFormat is what decides whether text can be seen.
type runFormat struct {
	vanish, strike bool
	// halfPoints is the size, 0 unknown; color and background are hexadecimal
	// digits, "" or "auto" where the program chooses.
	halfPoints        int
	color, background string
}

func (f *runFormat) apply(properties []property) {
	for _, p := range properties {
		val := p.get("val")
		on := val != "0" && val != "false" && val != "off"

		switch p.name {
		case "vanish", "specVanish":
			f.vanish = on
		case "strike", "dstrike":
			f.strike = on
		case "sz":
			f.halfPoints = p.integer()
		case "color":
			f.color = val
		case "shd":
			f.background = first(p.get("fill"), f.background)
		case "highlight":
			if c, ok := cssNamed[strings.ToLower(val)]; ok {
				f.background = fmt.Sprintf("%02x%02x%02x", c.r, c.g, c.b)
			}
		}
	}
}

// hides says why text in this format isn't seen before a background, "" when it is.
func (f runFormat) hides(background string) string {
	on, ok := hexColor(strings.ToLower(first(f.background, background)))
	if !ok {
		on = white
	}
	ink, ok := hexColor(strings.ToLower(f.color))
	switch {
	case f.vanish:
		return "its format is hidden"
	case f.strike:
		return "it is struck out"
	case f.halfPoints > 0 && f.halfPoints < 2*leastSize:
		return "its letters are too small to read"
	case ok && ink.like(on):
		return "it has the colour of its background"
	}
	return ""
}

// first returns the first colour that isn't left to the program.
func first(colors ...string) string {
	for _, c := range colors {
		if c != "" && c != "auto" {
			return c
		}
	}
	return ""
}

// styles are the named formats of a document.
type styles struct {
	defaults []property
	byID     map[string]docxStyle
	// normal is the style of paragraphs that name none.
	normal string
}

// docxStyle is what a style says over the one that it is based on.
type docxStyle struct {
	name, basedOn  string
	paragraph, run []property
}

var (
	headingStyle = pattern.OnUse(`(?i)^heading (\d)$`)
	listStyle    = pattern.OnUse(`(?i)^list (?:bullet|number|continue)(?: (\d))?$`)
)

func readStyles(text string) (styles, error) {
	s := styles{byID: map[string]docxStyle{}}
	x := newXMLReader(text)

	var style docxStyle
	var id string
	var read func(string) error
	read = func(name string) (err error) {
		switch name {
		case "style":
			style, id = docxStyle{}, x.attribute("styleId")
			if x.attribute("type") == "paragraph" && x.attribute("default") == "1" {
				s.normal = id
			}
			err = x.each(read)
			s.byID[id] = style
			return err
		case "name":
			style.name = x.attribute("val")
		case "basedOn":
			style.basedOn = x.attribute("val")
		case "rPrDefault":
			return x.each(func(string) (err error) {
				s.defaults, err = x.properties()
				return err
			})
		case "pPr":
			style.paragraph, err = x.properties()
			return err
		case "rPr":
			style.run, err = x.properties()
			return err
		case "styles", "docDefaults":
			return x.each(read)
		}
		return x.skip()
	}

	err := x.each(read)
	return s, err
}

// maxBased is how many styles may be based on one another.
const maxBased = 32

// chain returns a style and those that it is based on, the last first.
func (s styles) chain(id string) []docxStyle {
	var out []docxStyle
	for range maxBased {
		style, ok := s.byID[id]
		if !ok {
			break
		}
		out = append(out, style)
		id = style.basedOn
	}
	slices.Reverse(out)
	return out
}

// paragraph returns the formats of a paragraph in a style.
func (s styles) paragraph(id string) (p paragraphFormat, r runFormat) {
	r.apply(s.defaults)
	for _, style := range s.chain(first(id, s.normal)) {
		if m := headingStyle().FindStringSubmatch(style.name); m != nil {
			p.heading, _ = strconv.Atoi(m[1])
		} else if strings.EqualFold(style.name, "title") {
			p.heading = 1
		}
		if m := listStyle().FindStringSubmatch(style.name); m != nil {
			n, _ := strconv.Atoi(m[1])
			p.list = max(n, 1)
		}
		p.apply(style.paragraph)
		r.apply(style.run)
	}
	return p, r
}

// run applies the style of a text.
func (s styles) run(id string, f *runFormat) {
	for _, style := range s.chain(id) {
		f.apply(style.run)
	}
}
