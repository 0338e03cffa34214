package document

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// xmlReader reads XML element by element.
type xmlReader struct {
	decoder *xml.Decoder
	start   xml.StartElement
	depth   int
}

func newXMLReader(text string) xmlReader {
	return xmlReader{decoder: xml.NewDecoder(strings.NewReader(text))}
}

// The namespaces of word processing, as it was and as the strict variant has it.
const (
	wordNamespace   = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	strictNamespace = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	// compatible holds variants of one content.
	compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// maxNesting is how deep elements may be nested. Tables in tables in text boxes
// are some tens of them.
const maxNesting = 250

var errNesting = errors.New("the document is nested deeper than programs write it")

// each calls read with the name of each element within the current one, which has
// to read or skip it. Elements of other vocabularies have no name.
func (x *xmlReader) each(read func(name string) error) error {
	if x.depth++; x.depth > maxNesting {
		return errNesting
	}
	defer func() { x.depth-- }()

	for {
		token, err := x.decoder.Token()
		if token == nil && err != nil {
			if x.depth == 1 && errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}

		switch t := token.(type) {
		case xml.StartElement:
			name := ""
			if t.Name.Space == wordNamespace || t.Name.Space == strictNamespace || t.Name.Space == compatible {
				name = t.Name.Local
			}

			if t.Name.Space == compatible && name == "Fallback" {
				// The same again, for older programs.
				if err := x.skip(); err != nil {
					return err
				}
				continue
			}

			x.start = t
			if err := read(name); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

func (x *xmlReader) skip() error { return x.decoder.Skip() }

// attribute returns an attribute of the element that begins here.
func (x *xmlReader) attribute(name string) string { return attributeOf(x.start.Attr, name) }

func attributeOf(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text reads the text of the element.
func (x *xmlReader) text() (string, error) {
	var out strings.Builder
	for {
		token, err := x.decoder.Token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.CharData:
			out.Write(t)
		case xml.StartElement:
			if err := x.skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return out.String(), nil
		}
	}
}
