package provenance

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// wordClass is a class of words: see words.txt.
type wordClass uint8

const (
	quantityWords wordClass = iota
	moneyWords
	percentNames
	shareWords
	rightNames
	methodNames
	flagFiller
	nameWords
	memberships
	envelope
	amountNames
	oneLineNames
	sentAlongNames
	shownNames
	filterNames
	limitNames
	offsetNames
	moreNames
	identifierNames
	verbatimNames
	networkNames
	momentNames
	totalNames
	generic
	fileExtensions
	starters
	addressing
	possessives
	asRight
	ofRight
	rolesSaid
	determiners
	answering
	lightVerbs
	vagueVerbs
	fronting
	picking
	correcting
	hostWords
	running
	saying
	beforeQuantity
	computing
	permitted
	everybody
	universal
	people
	states
	rights
	beforeTime
	beforeRight
	negations
	harmless
	verdicts
	verdictNegations
	verdictVerbs
	verdictFiller
	wanting
	actors
	uncounted
	destining
	recipientWords
	sourceWords
	smallOr
	answerWords
	making
	labels
	smallConnectives
	modifiers
	fractions
	filler
	units
	percentWords
	currencyWords
	minorWords
	currencyPrefixes
	dottedCurrency
	wordClasses
)

var classNames = [wordClasses]string{
	quantityWords:    "quantityWords",
	moneyWords:       "moneyWords",
	percentNames:     "percentNames",
	shareWords:       "shareWords",
	rightNames:       "rightNames",
	methodNames:      "methodNames",
	flagFiller:       "flagFiller",
	nameWords:        "nameWords",
	memberships:      "memberships",
	envelope:         "envelope",
	amountNames:      "amountNames",
	oneLineNames:     "oneLineNames",
	sentAlongNames:   "sentAlongNames",
	shownNames:       "shownNames",
	filterNames:      "filterNames",
	limitNames:       "limitNames",
	offsetNames:      "offsetNames",
	moreNames:        "moreNames",
	identifierNames:  "identifierNames",
	verbatimNames:    "verbatimNames",
	networkNames:     "networkNames",
	momentNames:      "momentNames",
	totalNames:       "totalNames",
	fileExtensions:   "fileExtensions",
	generic:          "generic",
	starters:         "starters",
	addressing:       "addressing",
	possessives:      "possessives",
	asRight:          "asRight",
	ofRight:          "ofRight",
	rolesSaid:        "rolesSaid",
	determiners:      "determiners",
	answering:        "answering",
	lightVerbs:       "lightVerbs",
	vagueVerbs:       "vagueVerbs",
	fronting:         "fronting",
	picking:          "picking",
	correcting:       "correcting",
	hostWords:        "hostWords",
	running:          "running",
	saying:           "saying",
	beforeQuantity:   "beforeQuantity",
	computing:        "computing",
	permitted:        "permitted",
	everybody:        "everybody",
	universal:        "universal",
	people:           "people",
	states:           "states",
	wanting:          "wanting",
	actors:           "actors",
	uncounted:        "uncounted",
	destining:        "destining",
	recipientWords:   "recipientWords",
	sourceWords:      "sourceWords",
	smallOr:          "smallOr",
	answerWords:      "answerWords",
	beforeRight:      "beforeRight",
	negations:        "negations",
	harmless:         "harmless",
	verdicts:         "verdicts",
	verdictNegations: "verdictNegations",
	verdictVerbs:     "verdictVerbs",
	verdictFiller:    "verdictFiller",
	beforeTime:       "beforeTime",
	making:           "making",
	rights:           "rights",
	labels:           "labels",
	smallConnectives: "smallConnectives",
	modifiers:        "modifiers",
	fractions:        "fractions",
	filler:           "filler",
	units:            "units",
	percentWords:     "percentWords",
	currencyWords:    "currencyWords",
	minorWords:       "minorWords",
	currencyPrefixes: "currencyPrefixes",
	dottedCurrency:   "dottedCurrency",
}

//go:embed words.txt
var wordTable string

// vocabulary has the words of each class.
var vocabulary = sync.OnceValue(func() *[wordClasses]map[string]bool { return must(readVocabulary(wordTable)) })

// has reports whether a word is of the class.
func (c wordClass) has(w string) bool { return vocabulary()[c][w] }

// in reports whether one of the words is of the class.
func (c wordClass) in(words []string) bool { return slices.ContainsFunc(words, c.has) }

// readVocabulary reads words.txt, in which every class has one list.
func readVocabulary(table string) (*[wordClasses]map[string]bool, error) {
	rows, err := readRows(table)
	if err != nil {
		return nil, err
	}

	var out [wordClasses]map[string]bool
	for _, r := range rows {
		class := slices.Index(classNames[:], r.head)
		if class < 0 {
			return nil, fmt.Errorf("%q is not a class of words", r.head)
		}
		out[class] = r.set()
	}
	for class, set := range out {
		if set == nil {
			return nil, fmt.Errorf("class %q has no list", classNames[class])
		}
	}
	return &out, nil
}

// row is a list of a table of words.
type row struct {
	head  string
	words []string
}

func (r row) set() map[string]bool {
	set := map[string]bool{}
	for _, w := range r.words {
		set[w] = true
	}
	return set
}

// readRows reads a table of words: a line for each list, "head: words", which goes on
// in lines that begin with a blank. It refuses lines of another form, a head that comes
// twice, and a list without words or with one word twice.
func readRows(table string) ([]row, error) {
	var out []row
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, " \n")
		if line == "" || line[0] == '#' {
			continue
		}

		if line[0] == ' ' && len(out) > 0 {
			last := &out[len(out)-1]
			last.words = append(last.words, strings.Fields(line)...)
			continue
		}
		head, words, ok := strings.Cut(line, ": ")
		if !ok || head == "" {
			return nil, fmt.Errorf("%q is not a list: write NAME: words", line)
		}
		if slices.ContainsFunc(out, func(r row) bool { return r.head == head }) {
			return nil, fmt.Errorf("list %q comes twice", head)
		}
		out = append(out, row{head, strings.Fields(words)})
	}

	for _, r := range out {
		if n := len(r.set()); n == 0 || n < len(r.words) {
			return nil, fmt.Errorf("list %q is empty or has a word twice", r.head)
		}
	}
	return out, nil
}

// must returns a table that is part of the program. A mistake in it stops every test.
// Tables are read when they are first used: hooks start the program for every event, and
// many of these starts decide no call.
func must[T any](table T, err error) T {
	if err != nil {
		panic(err)
	}
	return table
}
