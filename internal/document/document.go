package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	// MaxSize is how many bytes a document may have. A book is a hundredth of it;
	// reading takes a multiple of it in memory.
	MaxSize = 64 << 20
	// MaxSentences is how many sentences a document may have: some thousand pages.
	// The policy compiler asks a model about each.
	MaxSentences = 100_000
)

// A Document is a text as its sentences.
type Document struct {
	// Name is the file's name without its directory.
	Name string
	// Digest is the SHA-256 of the file, as "sha256:" and hexadecimal digits.
	Digest string
	Format Format
	// Sentences are in reading order. Headings are among them.
	Sentences []Sentence
	// Suspicions are in the order of their places.
	Suspicions []Suspicion

	byID   map[string]int
	folded string
	// starts has, for each sentence, where its words begin in folded.
	starts []int
}

// Format is what kind of file a document is.
type Format string

// The formats that are read.
const (
	Markdown Format = "markdown"
	PDF      Format = "pdf"
	DOCX     Format = "docx"
	HTML     Format = "html"
	Text     Format = "text"
)

// Kind says what a sentence is part of.
type Kind string

// The kinds of sentences.
const (
	Heading   Kind = "heading"
	Paragraph Kind = "paragraph"
	// Item is a sentence in an item of a list.
	Item Kind = "item"
	// Row is a row of a table, its cells divided by " | ".
	Row Kind = "row"
)

// A Sentence is a sentence of a document, or a heading or a row of a table, which
// stay whole.
type Sentence struct {
	// ID is a hash of Path and Text, "s-" and twelve hexadecimal digits: it stays
	// when other text changes. A repetition gets "-2", "-3" and so on.
	ID string
	// Text is the text of the document, with one space for any white space.
	Text string
	Kind Kind
	// Path is the context of the sentence, outermost first: headings, then the lead-ins of the
	// lists around it, and for a table's row the header row.
	Path  []string
	Place Place
	// Block is equal for the sentences of one paragraph, item or row.
	Block int
}

// A Place is a position in the original, by the units that its format has;
// numbers begin with 1, and 0 is unknown.
type Place struct {
	// Page is that of a PDF.
	Page int
	// Line is the line of a text file, or of a PDF's page.
	Line int
	// Paragraph is that of a DOCX, tables' and empty ones among them.
	Paragraph int
}

// String is "page 3, line 12", "line 12" or "paragraph 7", or "" when nothing is known.
func (p Place) String() string {
	var parts []string
	for _, part := range [...]struct {
		name string
		n    int
	}{{"page", p.Page}, {"line", p.Line}, {"paragraph", p.Paragraph}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.name, part.n))
		}
	}
	return strings.Join(parts, ", ")
}

// Sentence returns the sentence of an ID.
func (d *Document) Sentence(id string) (Sentence, bool) {
	i, ok := d.byID[id]
	if !ok {
		return Sentence{}, false
	}
	return d.Sentences[i], true
}

// Read reads a document in the format that the ending of its name says: .md or
// .markdown, .txt, .html or .htm, .docx, .pdf.
func Read(name string, data []byte) (*Document, error) {
	name = filepath.Base(name)
	format, read, err := formatOf(name)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: the document is larger than %d MiB: split it", name, MaxSize>>20)
	}
	digest := sha256.Sum256(data)
	b := newBuilder(&Document{Name: name, Digest: "sha256:" + hex.EncodeToString(digest[:]), Format: format})
	if err := errors.Join(read(b, data), b.err); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.finish(), nil
}

func formatOf(name string) (Format, func(*builder, []byte) error, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return Markdown, readMarkdown, nil
	case ".txt":
		return Text, readText, nil
	case ".html", ".htm":
		return HTML, readHTML, nil
	case ".docx":
		return DOCX, readDOCX, nil
	case ".pdf":
		return PDF, readPDF, nil
	}
	return "", nil, fmt.Errorf("%s: the format of a document is known by the ending of its name: write .md, .markdown, .txt, .html, .htm, .docx or .pdf", name)
}
