package synth

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
)

//go:embed table/words.txt
var wordsText string

//go:embed table/rules.txt
var rulesText string

// builtin returns the table that the package embeds. A mistake in it is found by the
// package's tests.
var builtin = sync.OnceValue(func() *table {
	x, err := readTable(wordsText, rulesText)
	if err != nil {
		panic(err)
	}
	return x.with(Estimates{Roles: estimate.Roles(), Floors: estimate.Floors(), Effects: estimate.Effects(), Outputs: estimate.Outputs()})
})

// concept is what an argument is about: a name that words.txt declares. The empty
// concept says nothing.
type concept string

// Concepts that the code itself speaks of.
const (
	object    concept = "object"
	operation concept = "operation"
	quantity  concept = "quantity"
	limit     concept = "limit"
	look      concept = "look"
	pattern   concept = "pattern"
	kind      concept = "kind"
	path      concept = "path"
)

// table is what is known about tools: the words of words.txt and the rules of
// rules.txt. It doesn't change once it is read.
type table struct {
	concepts map[concept]string // by name, the description
	verbs    map[string]verb
	nouns    map[string]noun
	pairs    map[string]noun // by canonical words, joined by spaces
	leading  map[string]noun
	before   map[string][]concept // for a leading word, the nouns that it is read before
	trailing map[string]noun
	cues     []cue
	formats  map[string]noun
	values   []members
	means    map[string]string
	foreign  map[string]string // of means, what is of another language than English
	unspaced []string          // verbs in scripts without spaces, sorted
	stems    []string          // what verbs in other scripts than Latin begin with, sorted
	sets     map[string]map[string]bool
	ordered  map[string][]string // the words of sets in their order
	phrases  map[string][]string
	groups   []members

	whens    map[string]*block
	roles    map[string]*block
	effect   []*block
	evidence []*block
	floor    *block

	// likely estimates roles and floors by what labelled arguments were.
	likely Estimates
}

// noun is what a word is evidence for, and how much.
type noun struct {
	concept concept
	weight  int
}

// verb is what is known about one verb.
type verb struct {
	effect contract.Effect
	manner manner
	// weak verbs say little ("manage", "handle", "post" of an HTTP method) or
	// are nouns as often ("list", "report"): another verb beside them wins.
	weak bool
}

// cue is phrases of descriptions, in one row, that are evidence for a concept.
type cue struct {
	noun
	phrases []string
}

// members are words that belong together under a name or concept.
type members struct {
	noun
	name  string // of a group, or what values are about
	words map[string]bool
}

// weights are the names of weights. A word that means one thing nearly always is
// strong; a word that needs a look at the description is weak.
var weights = map[string]int{"certain": 95, "strong": strong, "fair": fair, "weak": 40, "faint": faint}

const (
	strong = 80
	fair   = 60
	faint  = 20
)

// needed are the names that the code looks up in the table.
var needed = map[string][]string{
	"set": {
		"handles", "fillers", "qualifiers", "articles", "links", "clauses", "bounds", "adverbs", "starts", "http-methods", "looks", "never-services",
		"edges", "graphs", "toggles", "untoggles", "directories", "members", "groups", "look-ups", "spoken-keys", "settled", "gives-least",
		"harmless-switches", "dangerous", "answers", "only-read", "judgements", "directions", "passive",
	},
	"phrases": {"leads", "introductions", "orders"},
	"when":    {"unfit", "answers-with-text", "self-made", "drawn", "answers-for-itself", "worked-out", "returns-content", "identifier", "destination"},
	"role":    {"handle", "name", "free"},
}

// reader reads the table's two files and gathers every mistake.
type reader struct {
	*table
	file     string
	line     int
	mistakes []error
	used     map[*block]int // the line at which a condition is first used
	block    *block         // whose rules are read
}

// readTable reads the words and the rules of a table.
func readTable(words, rules string) (*table, error) {
	r := &reader{used: map[*block]int{}, table: &table{
		concepts: map[concept]string{}, verbs: map[string]verb{}, nouns: map[string]noun{}, pairs: map[string]noun{},
		leading: map[string]noun{}, before: map[string][]concept{}, trailing: map[string]noun{}, formats: map[string]noun{},
		means: map[string]string{}, foreign: map[string]string{}, sets: map[string]map[string]bool{}, ordered: map[string][]string{}, phrases: map[string][]string{},
		whens: map[string]*block{}, roles: map[string]*block{},
	}}
	r.readWords(words)
	r.readRules(rules)
	r.checkWords()
	r.checkRules()
	return r.table, errors.Join(r.mistakes...)
}

// fail notes a mistake at the current line; the hint says what to write instead.
func (r *reader) fail(hint, format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Errorf("%s:%d: %s; %s", r.file, r.line, fmt.Sprintf(format, args...), hint))
}

// readWords reads the rows of words.txt: a head, a colon, and words, which go on in
// indented lines.
func (r *reader) readWords(text string) {
	r.file = "words.txt"
	var head, body string
	start, n := 0, 0
	flush := func() {
		if head != "" {
			r.line = start
			r.row(strings.Fields(head), strings.TrimSpace(body))
		}
		head = ""
	}

	for line := range strings.Lines(text) {
		n++
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
			continue
		case line[0] == ' ' && head != "":
			body += " " + trimmed
		default:
			flush()
			var ok bool
			start = n
			if head, body, ok = strings.Cut(trimmed, ":"); !ok {
				r.line, head = n, ""
				r.fail("write KIND NAME: words", "no colon")
			}
		}
	}
	flush()
}

// row reads one row of words.txt.
func (r *reader) row(head []string, body string) {
	name := strings.Join(head[1:], " ")

	switch head[0] {
	case "concept":
		r.concepts[concept(name)] = body
	case "verb":
		r.verbRow(head[1:], body)
	case "noun":
		r.nounRow(head[1:], body, r.nouns)
	case "pair":
		r.nounRow(head[1:], strings.ReplaceAll(body, "_", "\x00"), r.pairs)
	case "leading":
		r.nounRow(head[1:min(3, len(head))], body, r.leading)
		for _, w := range strings.Fields(body) {
			for _, c := range head[min(3, len(head)):] {
				r.before[w] = append(r.before[w], r.conceptOf(c))
			}
		}
	case "trailing":
		r.nounRow(head[1:], body, r.trailing)
	case "format":
		r.nounRow(head[1:], body, r.formats)
	case "phrase":
		r.cues = append(r.cues, cue{r.noun(head[1:]), splitPhrases(body)})
	case "values":
		r.values = append(r.values, members{r.noun(head[1:min(3, len(head))]), strings.Join(head[3:], " "), r.set(body)})
	case "group":
		r.groups = append(r.groups, members{name: name, words: r.set(body)})
	case "means":
		r.meansRow(name, body)
	case "set":
		if r.sets[name] != nil {
			r.fail("give one of them another name", "set %q is there already", name)
		}
		r.sets[name], r.ordered[name] = r.set(body), strings.Fields(body)
	case "phrases":
		r.phrases[name] = splitPhrases(body)
	default:
		r.fail("write concept, verb, noun, pair, leading, trailing, phrase, format, values, group, means, set or phrases", "unknown kind of row %q", head[0])
	}
}

// noun reads a concept and a weight.
func (r *reader) noun(head []string) noun {
	if len(head) != 2 {
		r.fail("write a concept and a weight", "%q is not CONCEPT WEIGHT", strings.Join(head, " "))
		return noun{}
	}
	return noun{r.conceptOf(head[0]), r.weightOf(head[1])}
}

func (r *reader) conceptOf(name string) concept {
	if _, ok := r.concepts[concept(name)]; !ok {
		r.fail("declare it before with a row \"concept\"", "unknown concept %q", name)
	}
	return concept(name)
}

func (r *reader) weightOf(text string) int {
	if w, ok := weights[text]; ok {
		return w
	}
	w, err := strconv.Atoi(text)
	if err != nil || w < 1 || w > 100 {
		r.fail("write certain, strong, fair, weak, faint, or a number up to 100", "unknown weight %q", text)
	}
	return w
}

func (r *reader) nounRow(head []string, body string, into map[string]noun) {
	n := r.noun(head)
	for _, w := range strings.Fields(body) {
		w = strings.ReplaceAll(w, "\x00", " ")
		if _, ok := into[w]; ok {
			r.fail("take one of them out", "%q is there already", w)
		}
		into[w] = n
	}
}

func (r *reader) verbRow(head []string, body string) {
	v := verb{weak: len(head) == 3 && head[2] == "weak"}
	if len(head) != 2 && !v.weak {
		r.fail("write an effect, a manner and perhaps weak", "%q is not EFFECT MANNER", strings.Join(head, " "))
		return
	}
	v.effect, v.manner = r.effectOf(head[0]), r.mannerOf(head[1])
	for _, w := range strings.Fields(body) {
		if _, ok := r.verbs[w]; ok {
			r.fail("take one of them out", "%q is there already", w)
		}
		r.verbs[w] = v
	}
}

func (r *reader) effectOf(name string) contract.Effect {
	var e contract.Effect
	if err := e.UnmarshalText([]byte(name)); err != nil {
		r.fail("write read, write, destructive, execute or egress", "unknown effect %q", name)
	}
	return e
}

func (r *reader) mannerOf(name string) manner {
	i := slices.Index(mannerNames[:], name)
	if i < 0 {
		r.fail("write "+strings.Join(mannerNames[:], ", "), "unknown manner %q", name)
		return looking
	}
	return manner(i)
}

func (r *reader) meansRow(lang, body string) {
	for _, f := range strings.Fields(body) {
		k, v, ok := strings.Cut(f, "=")
		switch was, there := r.means[k]; {
		case !ok || k == "" || v == "":
			r.fail("write word=meaning", "%q says no meaning", f)
		case there:
			r.fail("take one of them out", "%q already means %q", k, was)
		}
		r.means[k] = v
		if lang != "en" {
			r.foreign[k] = v
		}

		switch first, _ := utf8.DecodeRuneInString(k); {
		case unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			r.unspaced = append(r.unspaced, k)
		case first >= utf8.RuneSelf && k != "":
			r.stems = append(r.stems, k)
		}
	}
	slices.Sort(r.unspaced)
	slices.Sort(r.stems)
}

func (r *reader) set(body string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(body) {
		if m[w] {
			r.fail("take one of them out", "%q is there already", w)
		}
		m[w] = true
	}
	return m
}

func splitPhrases(body string) []string {
	out := strings.Split(body, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// checkWords looks for words that can't occur, because names are made canonical
// before they are looked up.
func (r *reader) checkWords() {
	r.file, r.line = "words.txt", 0

	meanings := map[string]bool{}
	for _, w := range r.means {
		meanings[w] = true
	}
	for kind, words := range map[string][]string{
		"noun": slices.Sorted(maps.Keys(r.nouns)), "pair": slices.Sorted(maps.Keys(r.pairs)), "verb": slices.Sorted(maps.Keys(r.verbs)),
	} {
		for _, words := range words {
			var have []string
			for w := range strings.FieldsSeq(words) {
				have = append(have, r.canonicalWords(w)...)
			}
			if s := strings.Join(have, " "); s != words && !meanings[words] {
				r.fail(fmt.Sprintf("write %q", s), "the %s %q can't occur", kind, words)
			}
		}
	}

	for _, w := range slices.Concat(r.unspaced, r.stems) {
		if _, ok := r.verbs[r.means[w]]; !ok {
			r.fail("write a verb", "%q means %q, which is not a verb", w, r.means[w])
		}
	}
}
