package provenance

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/wordlist"
)

// deed is a kind of act: what a request asks for, and what a tool does. Each is
// one bit.
type deed uint32

// The deeds, in the order of their names.
const (
	toLook deed = 1 << iota
	toMake
	toChange
	toSend
	toShare
	toInvite
	toPay
	toOrder
	toDelete
	toClear
	toCancel
	toClose
	toRun
	toMerge
	toPublish
	toApprove
	toStop
	toSuspend
	toArchive
	toReject
	toRefund
	toRestart
	toRevert
	toLeave
	toClick
)

var deedNames = [...]string{
	"look", "make", "change", "send", "share", "invite", "pay", "order", "delete", "clear", "cancel",
	"close", "run", "merge", "publish", "approve", "stop", "suspend", "archive", "reject", "refund",
	"restart", "revert", "leave", "click",
}

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
}

// mark is what a word does to the request that it appears in.
type mark uint16

const (
	// negator rules out what the clause asks for.
	negator mark = 1 << iota
	// hedge makes a request a question, a thought, or the words of another person.
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

// markNames are the marks as deeds.txt names them.
var markNames = map[string]mark{
	"negator": negator, "hedge": hedge, "modal": modal, "pronoun": pronouns, "conjunction": conjunction, "opener": opener,
	"lenient": lenient, "function": function, "copula": copula, "agreement": agreement, "all": universalWord, "relation": relation,
}

// lists are the second words of the heads of deeds.txt: languages, and the lists that
// only deeds have.
var (
	tableLanguages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja", "ko", "pl", "tr", "ar"}
	deedLists      = []string{"said", "tool", "answers"}
)

var requests = sync.OnceValue(func() *lexicon { return wordlist.Must(readLexicon(deedTable)) })

// readLexicon reads deeds.txt.
func readLexicon(table string) (*lexicon, error) {
	rows, err := wordlist.Read(table)
	if err != nil {
		return nil, err
	}

	x := &lexicon{
		deeds: map[string]deed{}, english: map[string]bool{}, tools: map[string]deed{}, answers: map[deed]deed{},
		marks: map[string]mark{},
	}
	for i := range deedNames {
		x.answers[1<<i] = 1 << i
	}
	for _, r := range rows {
		name, list, _ := strings.Cut(r.Name, " ")
		m, marks := markNames[name]
		d := deedNamed(name)
		known := slices.Contains(tableLanguages, list)

		switch {
		case marks && known:
			x.addMarks(m, r.Words)
		case d != 0 && list == "answers":
			err = x.addAnswers(d, r.Words)
		case d != 0 && (known || slices.Contains(deedLists, list)):
			x.addDeed(d, list, r.Words)
		default:
			err = fmt.Errorf("%q is not a deed or a mark with a language", r.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// deedNamed returns the deed with a name, or none.
func deedNamed(name string) deed {
	i := slices.Index(deedNames[:], name)
	if i < 0 {
		return 0
	}
	return 1 << i
}

func (x *lexicon) addMarks(m mark, words []string) {
	for _, w := range words {
		if unspacedScript(w) {
			x.unspaced = append(x.unspaced, joinedMark{w, m})
			continue
		}
		x.marks[plainWord(w)] |= m
	}
}

func (x *lexicon) addAnswers(d deed, names []string) error {
	for _, name := range names {
		other := deedNamed(name)
		if other == 0 {
			return fmt.Errorf("%q is not a deed", name)
		}
		x.answers[d] |= other
	}
	return nil
}

func (x *lexicon) addDeed(d deed, list string, words []string) {
	for _, w := range words {
		switch {
		case list == "tool":
			x.tools[w] |= d
		case unspacedScript(w):
			x.joined = append(x.joined, joinedWord{w, d})
		default:
			x.deeds[plainWord(w)] |= d
			x.english[w] = x.english[w] || list == "en" || list == "said"
			if list == "en" {
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
		if atom.IsUnspaced(r) || unicode.Is(unicode.Hangul, r) {
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
			if d, ok := x.tools[w]; ok && d != toLook {
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
