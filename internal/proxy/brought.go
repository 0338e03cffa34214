package proxy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
)

// brought is what a conversation has read from outside, for finding it in the user's turns of the
// same conversation. There a user takes values from it, to say which one is meant; an agent
// that puts a result into a user's turn says all of it.
type brought struct {
	// words are the keys of texts, of sentences in records, and of the names and values of records, up to quoteTokens.
	words traits
	// small are the latest records that are shorter than a quote.
	small []record
}

// record is a small record: for each value the keys of its spellings.
type record [][]uint64

const (
	// maxRecords bounds the small records that are kept, and maxValues what one has: more
	// is longer than a quote.
	maxRecords, maxValues = 1 << 10, quoteTokens
	// maxRead is the longest text whose records are read, in bytes, and maxGuessed the longest
	// one whose format is looked for. Longer ones are found by their runs of words.
	maxRead, maxGuessed = 1 << 20, 64 << 10
	// maxParts bounds the records that one text has, each in a line.
	maxParts = 64
)

// bring records an event that brings text from outside.
func (l *lineage) bring(e remit.Event) {
	switch {
	case e.Kind == remit.ResultEvent && e.Result != nil:
		l.brought.add(e.Result.Content)
	case e.Kind == remit.AttachmentEvent && e.Name != "assistant": // users repeat what a model said
		l.brought.add(e.Text)
	}
}

// add records a text.
func (b *brought) add(text string) {
	words, _ := tokensOf(text, maxEchoTokens)
	if len(words) == 0 {
		return
	}
	whole := key(0, words)
	if b.words.isKnown(whole) {
		return
	}
	b.words.add(whole, isSeen|formOf(text, words))

	if len(text) > maxRead {
		return
	}
	for _, doc := range recordsIn(text) {
		b.addRecord(doc, len(words))
	}
}

// formOf returns how a text is found; nothing for one that anybody says. Words without a space between them are one value, such
// as an id or an address of a page.
func formOf(text string, words []token) trait {
	switch {
	case spaced(text, words) >= wordyTokens:
		return isWordy
	case worthFinding(text, len(words)):
		return isSingle
	}
	return 0
}

// spaced counts words with space between them, or a line break that JSON or a page writes.
func spaced(text string, words []token) int {
	n := 0
	for i, w := range words {
		first, _ := utf8.DecodeRuneInString(text[w.start:])
		apart := i == 0 || character.IsUnspaced(first) || strings.ContainsFunc(text[words[i-1].end:w.start], func(r rune) bool {
			return unicode.IsSpace(r) || r == '\\' || r == ';'
		})
		if apart {
			n++
		}
	}
	return n
}

// recordsIn reads the records of a text: the text as a whole, or its lines.
func recordsIn(text string) []*strictjson.Document {
	// Whoever wrote it: what is read here only lowers trust.
	anybody, format := serialized.Trust{Closed: true}, serialized.Format("")
	if len(text) > maxGuessed {
		format = serialized.JSON
	}
	if doc := serialized.Read(text, format, anybody); doc != nil {
		return []*strictjson.Document{doc}
	}
	var out []*strictjson.Document
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "{") || len(out) == maxParts {
			continue
		}
		if doc := serialized.Read(line, serialized.JSON, anybody); doc != nil {
			out = append(out, doc)
		}
	}
	return out
}

// addRecord records the parts of a record, in a text of a number of words.
func (b *brought) addRecord(doc *strictjson.Document, of int) {
	var values record
	named := false
	for _, leaf := range doc.Leaves() {
		for i, name := range strings.Split(leaf.Pointer, "/")[min(1, len(leaf.Pointer)):] {
			if !leaf.IsIndex(i) {
				_, ok := b.addUnit(strictjson.UnescapeToken(name), isName)
				named = named || ok
			}
		}
		var spelt []uint64
		for _, text := range spellings(&leaf) {
			if k, ok := b.addUnit(text, isValue); ok {
				spelt = append(spelt, k)
			}
		}
		if len(spelt) > 0 && len(values) <= maxValues {
			values = append(values, spelt)
		}

		words, _ := tokensOf(leaf.Text, maxEchoTokens)
		k := key(0, words)
		if f := formOf(leaf.Text, words); 2*len(words) >= of {
			b.words.add(k, f) // the rest only wraps it
		} else if f == isWordy && leaf.Kind == strictjson.String {
			b.words.add(k, isSaying)
		}
	}

	if named && len(values) > 0 && len(values) <= maxValues && wordyTokens <= of {
		if len(b.small) >= maxRecords {
			b.small = slices.Clone(b.small[maxRecords/2:])
		}
		b.small = append(b.small, values)
	}
}

// addUnit records a name or a value, and returns its key if it has words, and no more than
// a quote.
func (b *brought) addUnit(text string, is trait) (k uint64, ok bool) {
	words, end := tokensOf(text, quoteTokens)
	if len(words) == 0 || (end < len(text) && len(words) == quoteTokens) {
		return 0, false
	}
	k = key(0, words)
	b.words.add(k, is)
	return k, true
}

// spellings returns how programs may write a value again.
func spellings(leaf *strictjson.Leaf) []string {
	switch leaf.Kind {
	case strictjson.Number:
		n, err := strconv.ParseFloat(leaf.Text, 64)
		if err != nil {
			break
		}
		plain := strconv.FormatFloat(n, 'f', -1, 64)
		return []string{leaf.Text, plain, plain + ".0", strconv.FormatFloat(n, 'f', 2, 64)}
	case strictjson.Null:
		return []string{"null", "none", "nil"}
	}
	return []string{leaf.Text}
}

// marks finds what was brought in a turn's words.
func (b *brought) marks(text string, words []token, lines []quote) []quote {
	found := b.rows(text, words)
	for i := range words {
		for n := wordyTokens; n < quoteTokens && i+n <= len(words); n++ {
			is := b.words.of(key(0, words[i:i+n]))
			if is&isWordy != 0 || (is&isSaying != 0 && standsAlone(text, words, i)) {
				found = append(found, quote{from: i, to: i + n})
			}
		}
	}
	for _, q := range lines {
		if b.words.of(key(0, words[q.from:q.to]))&(isSingle|isWordy) != 0 {
			found = append(found, q)
		}
	}
	return found
}

// standsAlone reports whether a line, or what follows a mark of a frame, begins with a word.
func standsAlone(text string, words []token, i int) bool {
	return i == 0 || strings.ContainsAny(text[words[i-1].end:words[i].start], "\r\n:=|>→])}")
}

// withSentence returns a quote with the lines that it is in, where it goes on from words before it there or into words behind it. A
// page may have guessed a condition of the user's: what it is the condition of is the user's no more than the condition is.
func (q quote) withSentence(text string, words []token) quote {
	const begins, ends = "\r\n:=|>→", "\r\n.!?…。！？\"'”»)]}`"
	between := func(i int, any string) bool { // what is before word i has one of some signs
		return i == 0 || i == len(words) || strings.ContainsAny(text[words[i-1].end:words[i].start], any)
	}
	if between(q.from, begins) && between(q.to, ends) {
		return q
	}
	for !between(q.from, "\r\n") {
		q.from--
	}
	for !between(q.to, "\r\n") {
		q.to++
	}
	return q
}

// rows finds names and values of records that stand together without another word, in any order:
// as much as a quote, or all of a small record. A sign or a line break parts them, as in all forms
// of records: a list of words has those of any sentence, and could take a condition from the user.
func (b *brought) rows(text string, words []token) []quote {
	if b.words.isEmpty() {
		return nil
	}
	// from[i] is where the longest row begins that ends before word i.
	from := make([]int, len(words)+1)
	for i := range from {
		from[i] = i
	}
	for i := range words {
		begin := i
		if i > 0 && strings.Trim(text[words[i-1].end:words[i].start], " ") != "" {
			begin = from[i]
		}
		for n := 1; n <= quoteTokens && i+n <= len(words); n++ {
			if b.words.of(key(0, words[i:i+n]))&(isName|isValue) != 0 {
				from[i+n] = min(from[i+n], begin)
			}
		}
	}

	var rows []quote
	for to, at := range from {
		switch n := len(rows); {
		case to-at < wordyTokens:
		case n > 0 && at < rows[n-1].to:
			rows[n-1] = quote{from: min(at, rows[n-1].from), to: to}
		default:
			rows = append(rows, quote{from: at, to: to})
		}
	}
	return slices.DeleteFunc(rows, func(q quote) bool { return q.to-q.from < quoteTokens && !b.isRecord(words[q.from:q.to]) })
}

// isRecord reports whether a row has a name, and all values of a small record.
func (b *brought) isRecord(row []token) bool {
	named, has := false, map[uint64]bool{}
	for i := range row {
		for n := 1; i+n <= len(row); n++ {
			k := key(0, row[i:i+n])
			named = named || b.words.of(k)&isName != 0
			has[k] = true
		}
	}
	lacks := func(spelt []uint64) bool {
		return !slices.ContainsFunc(spelt, func(k uint64) bool { return has[k] })
	}
	return named && slices.ContainsFunc(b.small, func(r record) bool { return !slices.ContainsFunc(r, lacks) })
}
