package compiler

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// corpus are the sentences of a document, numbered from 1 in its order, without headings: those
// are in the paths of the others.
type corpus struct {
	*document.Document
	name      string
	sentences []document.Sentence
	number    map[string]int   // by id
	size      int              // of all texts, in bytes
	topics    map[string][]int // the numbers under each topic
	texts     map[string]int   // the number of the first sentence of a text
	having    map[string]int   // how many sentences have a word
}

func newCorpus(d *document.Document) *corpus {
	c := &corpus{Document: d, name: d.Name, number: map[string]int{}, topics: map[string][]int{}, texts: map[string]int{}, having: map[string]int{}}
	for _, s := range d.Sentences {
		if s.Kind == document.Heading {
			continue
		}
		c.sentences = append(c.sentences, s)
		n := len(c.sentences)
		c.number[s.ID] = n
		c.topics[topic(s)] = append(c.topics[topic(s)], n)
		if c.texts[s.Text] == 0 {
			c.texts[s.Text] = n
		}
		c.size += len(s.Text)
		for w := range wordsOf(s.Text) {
			c.having[w]++
		}
	}
	return c
}

// common is the share of a document's sentences, one in so many, from which on a word that they
// have tells nothing of what they are about.
const common = 6

// telling returns the words of a text that say what it is about: they are in some sentences of the
// document, and not in all kinds of them.
func (c *corpus) telling(text string) map[string]bool {
	out := wordsOf(text)
	maps.DeleteFunc(out, func(w string, _ bool) bool { return c.having[w] == 0 || common*c.having[w] > len(c.sentences) })
	return out
}

// tellsNumber reports whether a sentence has a number.
func (c *corpus) tellsNumber(n int) bool {
	return strings.ContainsFunc(c.sentences[n-1].Text, unicode.IsDigit)
}

// sharesWord reports whether a sentence has one of some words, or is in a script without spaces,
// where words don't show.
func (c *corpus) sharesWord(n int, words map[string]bool) bool {
	text := c.sentences[n-1].Text
	if strings.ContainsFunc(text, character.IsUnspaced) {
		return true
	}
	for w := range wordsOf(text) {
		if words[w] && c.having[w] <= max(fewRare, len(c.sentences)/rare) {
			return true
		}
	}
	return false
}

// rare is the share of a document's sentences, one in so many, that at most have a word by which one
// that stands elsewhere explains another: the small words of a language are in more. In a short
// document fewRare have it.
const (
	rare    = 20
	fewRare = 3
)

// wordsOf returns the words of a text, in one case and without the plural's s.
func wordsOf(text string) map[string]bool {
	const shortest = 3
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.TrimSuffix(w, "s"); utf8.RuneCountInString(w) >= shortest {
			out[w] = true
		}
	}
	return out
}

// sentence returns a sentence by its number; false when there is none.
func (c *corpus) sentence(number int) (document.Sentence, bool) {
	if number < 1 || number > len(c.sentences) {
		return document.Sentence{}, false
	}
	return c.sentences[number-1], true
}

// ids returns all sentences.
func (c *corpus) ids() []string {
	out := make([]string, len(c.sentences))
	for i, s := range c.sentences {
		out[i] = s.ID
	}
	return out
}

// sorted brings ids into the order of the document, without repetitions and
// without those that it doesn't have.
func (c *corpus) sorted(ids []string) []string {
	out := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return c.number[id] == 0 })
	slices.SortFunc(out, func(a, b string) int { return c.number[a] - c.number[b] })
	return slices.Compact(out)
}

// numbers returns the numbers of ids, in order.
func (c *corpus) numbers(ids []string) []int {
	var out []int
	for _, id := range c.sorted(ids) {
		out = append(out, c.number[id])
	}
	return out
}

// idsOf returns the ids of numbers, in the order of the document.
func (c *corpus) idsOf(numbers []int) []string {
	var out []string
	for _, n := range numbers {
		if s, ok := c.sentence(n); ok {
			out = append(out, s.ID)
		}
	}
	return c.sorted(out)
}

// quoted returns the sentences that have a reference. Of several that say the same, it returns
// the known ones, where some are known.
func (c *corpus) quoted(reference string, known []string) []document.Sentence {
	var out []document.Sentence
	for _, id := range known {
		if n := c.number[id]; n > 0 && c.sentences[n-1].Text == reference {
			out = append(out, c.sentences[n-1])
		}
	}
	if len(out) > 0 {
		return out
	}
	// Nearly all references are whole sentences; to search takes the length of the
	// document.
	if s, ok := c.sentence(c.texts[reference]); ok {
		return []document.Sentence{s}
	}
	q, _ := c.Find(reference)
	return q.Sentences
}

// quotes returns the sentences word by word.
func (c *corpus) quotes(ids []string) []string {
	var out []string
	for _, id := range c.sorted(ids) {
		out = append(out, c.sentences[c.number[id]-1].Text)
	}
	return out
}

// block are neighbouring sentences under one path, as prompts show them.
type block struct {
	// Gap is set where sentences were left out before it.
	Gap       bool
	Path      string
	Sentences []numbered
}

// numbered is a sentence as prompts show it.
type numbered struct {
	Number int
	Text   string
	Marked bool
	// First is set where another paragraph, item or row begins with it.
	First bool
}

const (
	// wholeDocument is the size up to which a document is shown whole, in bytes:
	// some 12,000 tokens. What is more would make the questions of all tools grow
	// with the document.
	wholeDocument = 48 << 10
	// neighbours is how many sentences before and after a marked one are shown of a document that
	// isn't shown whole.
	neighbours = 3
)

// excerpt shows marked sentences in what surrounds them: in the whole document
// where it is small, else between their neighbours under the same heading.
func (c *corpus) excerpt(marked []string) []block {
	mark := map[int]bool{}
	for _, id := range marked {
		mark[c.number[id]] = true
	}
	var shown []int
	if c.size <= wholeDocument {
		for i := range c.sentences {
			shown = append(shown, i+1)
		}
	} else {
		for n := range mark {
			for i := max(1, n-neighbours); i <= min(len(c.sentences), n+neighbours); i++ {
				if i == n || topic(c.sentences[i-1]) == topic(c.sentences[n-1]) {
					shown = append(shown, i)
				}
			}
		}
	}

	return c.blocks(shown, mark)
}

// only shows sentences without what surrounds them.
func (c *corpus) only(ids []string) []block {
	return c.blocks(c.numbers(ids), nil)
}

func (c *corpus) blocks(shown []int, marked map[int]bool) []block {
	var out []block
	last := 0
	slices.Sort(shown)
	for _, n := range slices.Compact(shown) {
		s := c.sentences[n-1]
		path := strings.Join(s.Path, " > ")
		if len(out) == 0 || n != last+1 || out[len(out)-1].Path != prompt.Quoted(path) {
			out = append(out, block{Gap: n != last+1, Path: prompt.Quoted(path)})
		}
		b := &out[len(out)-1]
		first := len(b.Sentences) > 0 && s.Block != c.sentences[last-1].Block
		b.Sentences = append(b.Sentences, numbered{n, prompt.Quoted(s.Text), marked[n], first})
		last = n
	}
	return out
}

// topic returns the outermost part of a path that says where a sentence belongs.
func topic(s document.Sentence) string { return strings.Join(s.Path, "\x00") }

// split cuts a list into parts of at most so many.
func split[T any](list []T, most int) [][]T {
	return slices.Collect(slices.Chunk(list, most))
}
