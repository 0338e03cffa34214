package provenance

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/remit-project/remit/internal/wordlist"
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
	sqlFunctions
	sqlChanging
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
	sqlFunctions:     "sqlFunctions",
	sqlChanging:      "sqlChanging",
}

//go:embed words.txt
var wordTable string

// vocabulary has the words of each class.
var vocabulary = sync.OnceValue(func() *[wordClasses]wordlist.Set { return wordlist.Must(readVocabulary(wordTable)) })

// has reports whether a word is of the class.
func (c wordClass) has(w string) bool { return vocabulary()[c].Has(w) }

// in reports whether one of the words is of the class.
func (c wordClass) in(words []string) bool { return vocabulary()[c].In(words) }

// readVocabulary reads words.txt, in which every class has one list.
func readVocabulary(table string) (*[wordClasses]wordlist.Set, error) {
	rows, err := wordlist.Read(table)
	if err != nil {
		return nil, err
	}

	var out [wordClasses]wordlist.Set
	for _, r := range rows {
		class := slices.Index(classNames[:], r.Name)
		if class < 0 {
			return nil, fmt.Errorf("%q is not a class of words", r.Name)
		}
		out[class] = r.Set()
	}
	for class, set := range out {
		if set.Words() == nil {
			return nil, fmt.Errorf("class %q has no list", classNames[class])
		}
	}
	return &out, nil
}
