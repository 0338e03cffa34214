package document

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
)

// maxBracket is the longest text in brackets or quotation marks, in bytes, within which no
// sentence ends; a bracket that closes later belongs to something else, such as "b)".
const maxBracket = 400

// boundaries returns where the sentences of a text end, its own end included. The
// text has one space for any white space; sentences are divided at spaces alone,
// so that joined by a space they are the text.
//
// In doubt a sentence goes on: two sentences in one are still read together, half
// a sentence may say the opposite.
func boundaries(text string) []int {
	var ends []int
	inside := brackets(text)
	quotations(text, inside)
	start, word := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != ' ' {
			continue
		}
		if !inside[i] && endsSentence(text[word:i], text[i+1:], word == start) {
			ends = append(ends, i)
			start = i + 1
		}
		word = i + 1
	}
	return append(ends, len(text))
}

// brackets reports for each byte whether it is inside closed brackets.
func brackets(text string) []bool {
	within := make([]bool, len(text))
	var open []int

	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			open = append(open, i)
		case ')', ']':
			if len(open) == 0 {
				continue
			}

			from := open[len(open)-1]
			open = open[:len(open)-1]
			if i-from <= maxBracket {
				for j := from; j < i; j++ {
					within[j] = true
				}
			}
		}
	}
	return within
}

// quotations marks each byte that is inside closed quotation marks: what an agent is to say word
// by word is one sentence with the words that say so.
func quotations(text string, within []bool) {
	opened := map[rune]int{} // by the mark that closes it
	last := ' '
	for i, c := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		next := ' '
		if i+size < len(text) {
			next, _ = utf8.DecodeRuneInString(text[i+size:])
		}
		begins := (last == ' ' || strings.ContainsRune("([:", last)) && next != ' '
		ends := last != ' ' && !unicode.IsLetter(next) && !unicode.IsDigit(next)

		from, open := opened[c]
		switch closes, opens := quotes[c]; {
		case open && ends:
			if delete(opened, c); i-from <= maxBracket {
				for j := from; j < i; j++ {
					within[j] = true
				}
			}
		case opens && begins:
			opened[closes] = i
		}
		last = c
	}
}

// quotes are opening quotation marks with those that close them.
var quotes = map[rune]rune{'"': '"', '\'': '\'', '“': '”', '„': '“', '‘': '’', '«': '»'}

const (
	openers = "\"'(“‘«„[{*_"
	closers = "\"')”’»]}*_"
)

// endsSentence reports whether a sentence ends with a word; rest is what follows it
// and a space, and first says that the sentence began with the word.
func endsSentence(word, rest string, first bool) bool {
	bare := strings.TrimRight(word, closers)
	end, size := utf8.DecodeLastRuneInString(bare)
	if !strings.ContainsRune(".!?…", end) {
		return false
	}

	next, _, _ := strings.Cut(rest, " ")
	next = strings.TrimLeft(next, openers)
	begins, _ := utf8.DecodeRuneInString(next)
	if unicode.IsLower(begins) {
		return false
	}

	bare = strings.TrimLeft(bare[:len(bare)-size], openers)
	switch {
	case end == '!', end == '?':
		return true
	case end == '…', strings.HasSuffix(bare, "."):
		return unicode.IsUpper(begins)
	case first && enumerator().MatchString(bare):
		return false
	}

	name := strings.ToLower(bare)
	if i := strings.LastIndexAny(name, "-/("); i >= 0 {
		name = name[i+1:]
	}

	switch {
	case before()[name]:
		return false
	case beforeNumber()[name]:
		return !unicode.IsDigit(begins) && !roman().MatchString(next)
	case within()[name], initials().MatchString(bare):
		return starters()[strings.ToLower(strings.TrimRightFunc(next, unicode.IsPunct))]
	}
	return true
}

var (
	// enumerator is what numbers a heading or item: "1", "3.1", "a", "iv".
	enumerator = pattern.OnUse(`^(\d{1,3}(\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5}|§+)$`)
	roman      = pattern.OnUse(`^[IVX]+\b`)
	// initials are single letters, and letters with points between: "J", "U.S".
	initials = pattern.OnUse(`^(\pL\.)*\pL$`)
)

// before are abbreviations that something always follows.
var before = set("e.g i.e eg ie cf viz vs v approx incl excl resp ca esp mr mrs ms mx dr prof hon rev gen sen rep capt lt sgt st mt messrs mme mlle")

// beforeNumber are abbreviations when a number follows, and words otherwise.
var beforeNumber = set("no nos nr art arts sec secs sect par para paras ch chap fig figs eq eqs vol p pp pg cl cls ver app ex item tab ext tel jan feb mar apr jun jul aug sep sept oct nov dec")

// within are abbreviations that a sentence may end with.
var within = set("etc inc ltd co corp llc plc gmbh bros jr sr al a.m p.m am pm u.s u.s.a u.k e.u u.n dept est div govt assn ave blvd rd hr hrs min mins max sq ft lb lbs oz yr yrs mo wk bn mn")

// starters are words that begin sentences, and seldom names.
var starters = set("the a an this that these those there here if when whenever where while unless until once after before as since because although though in on at by for from with without to of it its he she they we you i our your their his her all any each every no none not only some most many both either neither one other others another such do does did is are was were may must shall should can cannot could will would never always please otherwise however therefore moreover furthermore also then thus instead but and or so nor what who which how why agents customers users passengers members employees refunds requests")

// set returns words as a set, which is made on its first use.
func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			out[word] = true
		}
		return out
	})
}
