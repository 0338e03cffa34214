package provenance

import (
	_ "embed"
	"strings"
	"unicode"
)

// deed is a kind of act: what a request asks for, and what a tool does. Each is
// one bit.
type deed uint32

// deedTable lists the words of each deed: see the file's own head.
//
//go:embed deeds.txt
var deedTable string

// lexicon is what is known about the words of requests.
type lexicon struct {
	deeds    map[string]deed // words that ask for a deed, in any language
	english  map[string]bool // those that are English, and may be nouns as well
	tools    map[string]deed // words in the names of tools, English only
	answers  map[deed]deed   // for a deed of a tool, the deeds that ask for it
	joined   []joinedWord    // words of scripts without spaces
	marks    map[string]mark // words that change what a clause says
	unspaced []joinedMark
	byName   map[string]deed
}

// mark is what a word does to the request that it appears in.
type mark uint16

const (
	// negator rules out what the clause asks for.
	negator mark = 1 << iota
	// hedge makes a request a question, a thought, or somebody else's words.
	hedge
	// modal is a hedge that goes on over "and".
	modal
	// pronouns take up an object that was named before.
	pronouns
	// conjunction may come before the next request of a sentence.
	conjunction
	// opener may come between the beginning of a clause and its verb.
	opener
	// lenient makes a negation none: "don't forget to".
	lenient
	// function words tell that the language is one that is read here.
	function
	// copula joins a value to the noun that says what it is.
	copula
	// universalWord says that all are meant.
	universalWord
	// relation puts a value after it beside the deed, not into it: "from", "about".
	relation
	// agreement says yes to what was proposed.
	agreement
)

type joinedWord struct {
	text string
	deed deed
}

type joinedMark struct {
	text string
	mark mark
}

// words of the file's first column that are marks, not deeds.
var markNames = map[string]mark{
	"negator": negator, "hedge": hedge, "modal": modal, "pronoun": pronouns, "conjunction": conjunction, "opener": opener,
	"lenient": lenient, "function": function, "copula": copula, "agreement": agreement, "all": universalWord, "relation": relation,
}

var requests = readLexicon(deedTable)

// readLexicon reads the table: a line "name language: words", in which a name is
// a deed's or a mark's, "tool" lines list words of tools' names, and "answers"
// lines the deeds that ask for another.
func readLexicon(table string) *lexicon {
	x := &lexicon{
		deeds: map[string]deed{}, english: map[string]bool{}, tools: map[string]deed{}, answers: map[deed]deed{},
		marks: map[string]mark{}, byName: map[string]deed{},
	}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		head, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		name, language, _ := strings.Cut(head, " ")
		if m, ok := markNames[name]; ok {
			x.addMarks(m, list)
			continue
		}
		d, known := x.byName[name]
		if !known {
			d = 1 << len(x.byName)
			x.byName[name] = d
			x.answers[d] = d
		}
		x.addDeed(d, language, list)
	}
	return x
}

func (x *lexicon) addMarks(m mark, list string) {
	for _, w := range strings.Fields(list) {
		if unspacedScript(w) {
			x.unspaced = append(x.unspaced, joinedMark{w, m})
			continue
		}
		x.marks[plainWord(w)] |= m
	}
}

func (x *lexicon) addDeed(d deed, language, list string) {
	for _, w := range strings.Fields(list) {
		switch {
		case language == "answers":
			x.answers[d] |= x.byName[w]
		case language == "tool":
			x.tools[w] |= d
		case unspacedScript(w):
			x.joined = append(x.joined, joinedWord{w, d})
		default:
			x.deeds[plainWord(w)] |= d
			x.english[w] = x.english[w] || language == "en" || language == "said"
			if language == "en" {
				x.tools[w] |= d
			}
		}
	}
}

// unspacedScript reports whether a word is of a script that puts no spaces
// between words, or, as Hangul, joins endings to them, so that it is looked for
// inside of others.
func unspacedScript(w string) bool {
	for _, r := range w {
		if scriptless(r) || unicode.Is(unicode.Hangul, r) {
			return true
		}
	}
	return false
}

// asksFor returns the deeds by which a user asks for a tool: those of the verb in
// its name or variant, and of what it acts upon.
func (x *lexicon) asksFor(tool, variant string) deed {
	var out deed
	for _, name := range [...]string{variant, tool} {
		for _, w := range Words(name) {
			if d, ok := x.tools[w]; ok && d != x.byName["look"] {
				out |= d
			}
		}
		if out != 0 {
			break
		}
	}
	all := out
	for d := deed(1); d <= out && d != 0; d <<= 1 {
		if out&d != 0 {
			all |= x.answers[d]
		}
	}
	return all
}
