package reply

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// table lists the words: see the file's own head.
//
//go:embed words.txt
var table string

// kind is what a phrase does to a reply.
type kind uint8

const (
	yes kind = iota
	good
	fine
	no
	stop
	not
	aside
	thanks
	ask
	aux
	filler
	mind
	open
	or
	given
	limit
	back
	common
	small
	whole
	each
	thing
	further
	done
	alike
	why
	cause
	hint
	point
	report
	mine
	weak
	loose
	postpone
	settle
	being
	sole
	meanwhile
	unreal
	speech
	speaker
	paper
	duty
	iffy
	polite
	resume
	look
	plea
	wants
	yesno
	person
	kin
	wish
	hearsay
	source
	self
	kinds
)

var kindNames = [kinds]string{"yes", "good", "fine", "no", "stop", "not", "aside", "thanks", "ask", "aux", "filler", "mind", "open", "or", "given", "limit", "back", "common", "small", "whole", "each", "thing", "further", "done", "alike", "why", "cause", "hint", "point", "report", "mine", "weak", "loose", "postpone", "settle", "being", "sole", "meanwhile", "unreal", "speech", "speaker", "paper", "duty",
	"iffy", "polite", "resume", "look", "plea", "wants", "yesno", "person", "kin", "wish", "hearsay", "source", "self"}

// isOrdinary reports whether the words of a kind change nothing where they stand alone beside an agreement.
func (k kind) isOrdinary() bool {
	return k != thanks && k != back && k != report && k != mine && k < weak
}

// everyLanguage is the name of the phrases that all languages share.
const everyLanguage = "any"

// phrase is words of a kind: tokens, or one token for a script without spaces.
type phrase struct {
	kind   kind
	tokens []string
}

// lexicon is the phrases of one language.
type lexicon struct {
	language string
	// byFirst has the phrases by their first token, the longest first. A language
	// without spaces has all of them under the empty one.
	byFirst map[string][]phrase
	// begun has the kinds of the phrases by their first token, and under the empty one those of all.
	begun  map[string]kindSet
	words  map[string]bool // those of its phrases
	alike  [][]string      // groups of words that say the same
	joined bool            // the language is written without spaces
}

// kindSet has a bit for each kind.
type kindSet uint64

func setOf(of ...kind) kindSet {
	var out kindSet
	for _, k := range of {
		out |= 1 << k
	}
	return out
}

// begins returns the kinds of the phrases that may begin in some words.
func (l *lexicon) begins(words []string) kindSet {
	var out kindSet
	for _, w := range words {
		out |= l.begun[w]
	}
	return out
}

// dictionary is the lexicons of all languages.
type dictionary struct {
	languages []*lexicon
	// words has a bit for each language, by its place, of those that know a word.
	words map[string]uint32
}

// known is the dictionary of the program, read once.
var known = sync.OnceValue(func() *dictionary {
	d, err := parse(table)
	if err != nil {
		panic(err) // a mistake in the program's own table
	}
	return d
})

// parse reads a table.
func parse(text string) (*dictionary, error) {
	lines := map[string][]phrase{}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, list, ok := strings.Cut(line, ": ")
		name, language, named := strings.Cut(head, " ")
		k := slices.Index(kindNames[:], name)
		if !ok || !named || k < 0 {
			return nil, fmt.Errorf("words.txt:%d: write KIND LANGUAGE: phrase, phrase", n+1)
		}
		for p := range strings.SplitSeq(list, ", ") {
			tokens := tokensOf(p)
			if len(tokens) == 0 {
				return nil, fmt.Errorf("words.txt:%d: %q has no word", n+1, p)
			}
			lines[language] = append(lines[language], phrase{kind(k), tokens})
		}
	}

	shared := lines[everyLanguage]
	delete(lines, everyLanguage)
	d := &dictionary{words: map[string]uint32{}}
	for i, language := range slices.Sorted(maps.Keys(lines)) {
		phrases := slices.Concat(lines[language], shared)
		d.languages = append(d.languages, newLexicon(language, phrases))
		for _, p := range phrases {
			if p.kind >= small {
				continue // they tell no language: others have some of them as well
			}
			for _, w := range p.tokens {
				d.words[w] |= 1 << i
			}
		}
	}
	return d, nil
}

func newLexicon(language string, phrases []phrase) *lexicon {
	l := &lexicon{language: language, byFirst: map[string][]phrase{}, words: map[string]bool{}, begun: map[string]kindSet{}, joined: language == "zh" || language == "ja"}
	for _, p := range phrases {
		l.begun[""] |= setOf(p.kind)
		for _, w := range p.tokens {
			l.words[w] = l.words[w] || p.kind.isOrdinary()
		}
		if p.kind == alike {
			l.alike = append(l.alike, p.tokens)
			continue
		}
		first := p.tokens[0]
		if l.joined {
			p.tokens = []string{strings.Join(p.tokens, "")}
			first = ""
		}
		l.byFirst[first] = append(l.byFirst[first], p)
		l.begun[first] |= setOf(p.kind)
	}

	for _, list := range l.byFirst {
		slices.SortStableFunc(list, func(a, b phrase) int { return length(b) - length(a) })
	}
	return l
}

// length orders two phrases by their length.
func length(p phrase) int {
	n := 0
	for _, w := range p.tokens {
		n += 1 + len(w)
	}
	return n
}
