package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxContext bounds a heading or lead-in, in bytes. A longer heading is a paragraph; a longer
	// sentence leads in nothing. A reader of a sentence is shown its headings and lead-ins.
	maxContext = 1 << 10
	// maxLevel is the deepest level of headings: HTML knows six, Word nine.
	maxLevel = 9
	// maxDepth is how deep lists are distinguished; a deeper one counts as this deep. Together
	// with maxContext it bounds the headings and lead-ins of a sentence.
	maxDepth = 16
)

// piece is text from one place of the original.
type piece struct {
	text  string
	place Place
}

// builder makes sentences of blocks, which a format gives it in reading order.
type builder struct {
	doc *Document
	// headings and leads are those of the next block; path is their text.
	headings, leads []context
	path            []string
	// last has for each depth the last sentence there, which leads in a deeper list.
	last  []string
	block int
	seen  map[string]int
	err   error
}

// context is a heading or lead-in.
type context struct {
	text  string
	level int
	// digest is of the text and its own headings and lead-ins.
	digest [sha256.Size]byte
}

func newBuilder(d *Document) *builder {
	return &builder{doc: d, seen: map[string]int{}, last: []string{""}}
}

// heading adds a heading; level 1 is the outermost.
func (b *builder) heading(level int, text ...piece) {
	t := clean(text)
	if len(t.text) > maxContext {
		b.sentences(Paragraph, 0, t)
		return
	}
	if t.text == "" {
		b.hidden(t, 0, 0, "")
		return
	}
	level = min(max(level, 1), maxLevel)
	for len(b.headings) > 0 && b.headings[len(b.headings)-1].level >= level {
		b.headings = b.headings[:len(b.headings)-1]
	}
	b.leads, b.last, b.path = nil, []string{""}, nil
	b.block++
	b.add(Heading, t, 0, len(t.text))
	b.headings = append(b.headings, b.under(t.text, level))
	b.path = nil
}

// paragraph adds a paragraph that is nested in depth lists.
func (b *builder) paragraph(depth int, text ...piece) {
	kind := Paragraph
	if depth > 0 {
		kind = Item
	}
	b.sentences(kind, depth, clean(text))
}

func (b *builder) sentences(kind Kind, depth int, t cleaned) {
	if t.text == "" {
		b.hidden(t, 0, 0, "")
		return
	}
	b.descend(min(depth, maxDepth))
	b.block++
	start := 0
	for _, end := range boundaries(t.text) {
		b.add(kind, t, start, end)
		start = end + 1
	}
}

// row adds a row of a table under the header row, "" where there is none, and
// returns its text.
func (b *builder) row(depth int, header string, cells ...[]piece) string {
	var row []piece
	for i, cell := range cells {
		if i > 0 {
			row = append(row, piece{text: " | "})
		}
		row = append(row, cell...)
	}

	t := clean(row)
	if strings.Trim(t.text, "| ") == "" {
		b.hidden(t, 0, 0, "")
		return ""
	}

	b.descend(min(depth, maxDepth))
	leads := len(b.leads)
	// A table is led in by the sentence before it, as a list is.
	for _, text := range [...]string{b.leadIn(), header} {
		if text != "" && len(text) <= maxContext {
			b.leads = append(b.leads, b.under(text, 0))
		}
	}

	b.path = nil
	b.block++
	last := b.last[len(b.last)-1]
	b.add(Row, t, 0, len(t.text))
	b.last[len(b.last)-1] = last
	b.leads, b.path = b.leads[:leads], nil

	return t.text
}

// leave ends all headings and lead-ins.
func (b *builder) leave() { b.headings, b.leads, b.last, b.path = nil, nil, []string{""}, nil }

// descend sets the number of lists that contain the next block to depth.
func (b *builder) descend(depth int) {
	if depth+1 < len(b.last) {
		b.last, b.leads, b.path = b.last[:depth+1], b.leads[:depth], nil
		b.last[depth] = "" // what led in the list doesn't lead in what follows it
	}
	for len(b.last) < depth+1 {
		b.leads = append(b.leads, b.under(b.leadIn(), 0))
		b.last, b.path = append(b.last, ""), nil
	}
}

// leadIn returns the sentence that leads in a list or table that begins here: the last one of the
// item around it, or one that ends in a colon.
func (b *builder) leadIn() string {
	last := b.last[len(b.last)-1]
	announces := len(b.last) != 1 || strings.HasSuffix(last, ":")
	if len(last) > maxContext || !announces {
		return ""
	}
	return last
}

// under returns the context of what follows text.
func (b *builder) under(text string, level int) context {
	outer := b.digest()
	if text == "" {
		return context{digest: outer}
	}
	return context{text, level, sha256.Sum256(append(outer[:], fold(text)...))}
}

func (b *builder) digest() (d [sha256.Size]byte) {
	switch {
	case len(b.leads) > 0:
		return b.leads[len(b.leads)-1].digest
	case len(b.headings) > 0:
		return b.headings[len(b.headings)-1].digest
	}
	return d
}

// add adds a sentence of a block: the bytes start to end of its text.
func (b *builder) add(kind Kind, t cleaned, start, end int) {
	if len(b.doc.Sentences) == MaxSentences {
		b.err = fmt.Errorf("the document has more than %d sentences: split it", MaxSentences)
	}
	if b.err != nil {
		return
	}

	if b.path == nil {
		b.path = []string{}
		for _, c := range slices.Concat(b.headings, b.leads) {
			if c.text != "" {
				b.path = append(b.path, c.text)
			}
		}
	}

	s := Sentence{Text: t.text[start:end], Kind: kind, Path: b.path, Place: t.place(start), Block: b.block}
	under := b.digest()
	hash := sha256.Sum256(append(under[:], fold(s.Text)...))
	s.ID = "s-" + hex.EncodeToString(hash[:6])
	if b.seen[s.ID]++; b.seen[s.ID] > 1 {
		s.ID = fmt.Sprintf("%s-%d", s.ID, b.seen[s.ID])
	}

	b.last[len(b.last)-1] = s.Text
	b.doc.Sentences = append(b.doc.Sentences, s)
	b.hidden(t, start, end, s.ID)

	for _, found := range suspicions(s) {
		b.suspicion(found)
	}
}

// suspect adds a suspicion about text that is hidden, and no sentence.
func (b *builder) suspect(why string, text ...piece) {
	t := clean(text)
	if t.text != "" {
		b.suspicion(Suspicion{Kind: Hidden, Text: cut(t.text), Place: t.place(0), Why: why})
	}
}

func (b *builder) suspicion(s Suspicion) {
	if len(b.doc.Suspicions) == maxSuspicions {
		b.err = fmt.Errorf("the document has more than %d suspicious places: nobody could review them", maxSuspicions)
	}
	if b.err == nil {
		b.doc.Suspicions = append(b.doc.Suspicions, s)
	}
}

// finish makes the sentences findable, and puts the suspicions in their order.
func (b *builder) finish() *Document {
	d := b.doc
	d.byID = make(map[string]int, len(d.Sentences))
	var folded strings.Builder
	for i, s := range d.Sentences {
		d.byID[s.ID] = i
		d.starts = append(d.starts, folded.Len())
		folded.WriteString(words(s.Text))
	}
	d.folded = folded.String() + " "
	slices.SortStableFunc(d.Suspicions, func(a, b Suspicion) int {
		return cmp.Or(cmp.Compare(a.Place.Page, b.Place.Page), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Paragraph, b.Place.Paragraph))
	})
	return d
}
