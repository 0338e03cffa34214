package planner

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
)

// A model that reads "if the customer says that it works, close the ticket" may write the call
// and leave the condition out. The words by which languages introduce a condition are few, and
// in conditions.txt. They only tighten: a clause of the user's that has one has to be held by every
// effect that its sentence asks for; else it goes back to the model once, and then these calls wait
// for a person.

// clause is a part of a user's text that has a condition.
type clause struct {
	text  string
	words []string
	// sentence is the index of the sentence that it is in.
	sentence int
	// perhaps reports whether it may be none: "when" says a time as often.
	perhaps bool
	// begins reports whether its sentence begins with it.
	begins bool
}

// asks reports whether a clause is a question by itself: when is the next visit?
func (c *clause) asks(part string) bool {
	whole := strings.TrimSpace(norm.NFKC.String(part)) == c.text
	return c.perhaps && whole && isQuestion(c.text)
}

// isQuestion reports whether a text ends as a question does.
func isQuestion(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "؟")
}

// spoken is what users say, as far as conditions go.
type spoken struct {
	sentences [][]string // their words, with what is quoted in them
	clauses   []clause
	// last is the first sentence of the last message.
	last int
}

// hear adds a message.
func (s *spoken) hear(m *marks, text string) {
	s.last = len(s.sentences)
	text = strings.Map(visible, own(text))
	plain := m.unquoted(text)
	all := map[string]bool{}
	for _, w := range wordsOf(plain) {
		all[w] = true
	}

	question := ""
	for _, at := range sentencesIn(plain) {
		sentence := strings.TrimSpace(plain[at[0]:at[1]])
		if question != "" && m.answers(sentence) {
			s.add(clause{text: question, perhaps: true})
		}
		question = ""
		if isQuestion(sentence) {
			question = sentence
		}

		var before []string
		for i, part := range m.clauseParts(plain[at[0]:at[1]]) {
			found := m.conditionsIn(part, before, all)
			before = wordsOf(part)
			for _, c := range found {
				if i == 0 && c.asks(part) {
					continue
				}
				c.begins = strings.HasPrefix(norm.NFKC.String(sentence), c.text)
				s.add(c)
			}
		}
		s.sentences = append(s.sentences, plainWords(text[at[0]:at[1]]))
	}
}

// add adds a clause of the sentence that is heard.
func (s *spoken) add(c clause) {
	c.words, c.sentence = plainWords(c.text), len(s.sentences)
	c.text = display.Clip(c.text, longestClause)
	s.clauses = append(s.clauses, c)
}

// visible returns a character of a text in which words are looked for: a right quotation mark as
// an apostrophe, and -1 for one that is not seen, but for those that shape letters.
func visible(r rune) rune {
	const nonJoiner, joiner, rightQuote = '\u200c', '\u200d', '’'
	switch {
	case r == rightQuote:
		return '\''
	case character.IsInvisible(r) && r != nonJoiner && r != joiner:
		return -1
	}
	return r
}

// quoted is what a user dictates: its conditions are for those who read it. A quotation begins
// where a word may: after a number it means inches, and after a word it ends another quotation.
var quoted = pattern.OnUse(`(^|[\s\p{Ps}:=,，、：。]|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])` +
	`(?:"[^"\s](?:[^"\n]{0,398}[^"\s])?"|“[^“”\n]{1,400}[“”]|„[^“”"\n]{1,400}[“”"]|«[^»\n]{1,400}»)|「[^」\n]{1,400}」|『[^』\n]{1,400}』`)

// unquoted returns a text of the same length in which what is quoted, and phrases that are no
// condition, are blank.
func (m *marks) unquoted(text string) string {
	b := []byte(text)
	for _, at := range quoted().FindAllSubmatchIndex(b, -1) {
		blank(b[max(at[0], at[3]):at[1]])
	}
	for _, at := range m.courtesies.FindAllIndex(b, -1) {
		phrase := string(b[at[0]:at[1]])
		words := word().FindAllStringIndex(phrase, -1)
		if len(words) > 0 && !joined().MatchString(phrase) {
			blank(b[at[0]+words[0][0] : at[0]+words[len(words)-1][1]])
		}
	}
	for _, at := range m.attached.FindAllIndex(b, -1) {
		blank(b[at[0]:at[1]])
	}
	return string(b)
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// joined are words with which a phrase is not one of the courtesies: its clause is no longer what is
// asked, or is not a courtesy.
var joined = pattern.OnUse(`(?i)\b(?:and|but|or|then|only|not)\b`)

// sentenceEnd parts sentences.
var sentenceEnd = pattern.OnUse(`[.!?…;]+(?:\s|$)|[。！？；\n؟؛۔]+`)

// abbreviated ends in a dot that ends no sentence: Mr., Dr.
var abbreviated = pattern.OnUse(`(?:^|\s)\p{Lu}\pL{0,2}\.\s$`)

// sentencesIn returns where the sentences of a text begin and end.
func sentencesIn(text string) [][2]int {
	var out [][2]int
	begin := 0
	for _, at := range sentenceEnd().FindAllStringIndex(text, -1) {
		if abbreviated().MatchString(text[begin:at[1]]) {
			continue
		}
		out = append(out, [2]int{begin, at[1]})
		begin = at[1]
	}
	return append(out, [2]int{begin, len(text)})
}

// clauseEnd parts clauses.
var clauseEnd = pattern.OnUse(`[.!?…;:]+(?:\s|$)|,\s|[。！？\n，、；،؛؟۔]+|\s[–—-]\s`)

// word is one word of a clause.
var word = pattern.OnUse(`[\pL\pM\pN']+`)

// longestClause bounds a condition, in characters.
const longestClause = 200

// clauseParts parts a text into clauses, each with the sign that ends it: some are part of a mark.
// A mark may have a comma in it: "после того, как".
func (m *marks) clauseParts(text string) []string {
	var out []string
	begin := 0
	for _, at := range clauseEnd().FindAllStringIndex(text, -1) {
		if text[at[0]] == ',' && m.goesOn(text[begin:at[0]], text[at[1]:]) {
			continue
		}
		out = append(out, text[begin:at[1]])
		begin = at[1]
	}
	return append(out, text[begin:])
}

// goesOn reports whether a mark begins in one text and goes on in another one.
func (m *marks) goesOn(text, rest string) bool {
	const longest = 4 // words of a mark
	before, after := wordsOf(text), wordsOf(rest[:min(len(rest), longestClause)])
	after = after[:min(len(after), longest)]
	for n := 1; n <= min(len(before), longest); n++ {
		begin := before[len(before)-n:]
		row := slices.Concat(begin, after)
		goes := func(k mark) bool {
			return len(k.words) > n && len(k.words) <= len(row) && slices.Equal(k.words, row[:len(k.words)])
		}
		if slices.ContainsFunc(m.words[begin[0]], goes) {
			return true
		}
	}
	return false
}
