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

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
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
	return x
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
	unspaced []string // meanings in scripts without spaces, sorted
	sets     map[string]map[string]bool
	ordered  map[string][]string // the words of sets in their order
	phrases  map[string][]string
	groups   []members

	whens    map[string]*block
	roles    map[string]*block
	effect   []*block
	evidence []*block
	floor    *block
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
		"edges", "graphs", "directories", "members", "groups", "look-ups", "spoken-keys", "settled", "gives-least",
		"harmless-switches", "dangerous", "judgements", "directions", "passive",
	},
	"phrases": {"leads", "introductions", "orders"},
	"when":    {"unfit", "answers-with-text", "self-made", "worked-out", "returns-content", "identifier", "destination"},
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
		means: map[string]string{}, sets: map[string]map[string]bool{}, ordered: map[string][]string{}, phrases: map[string][]string{},
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
		r.meansRow(body)
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

func (r *reader) meansRow(body string) {
	for _, f := range strings.Fields(body) {
		k, v, ok := strings.Cut(f, "=")
		switch was, there := r.means[k]; {
		case !ok || k == "" || v == "":
			r.fail("write word=meaning", "%q says no meaning", f)
		case there:
			r.fail("take one of them out", "%q already means %q", k, was)
		}
		r.means[k] = v
		if k != "" && k[0] >= 0x80 {
			r.unspaced = append(r.unspaced, k)
		}
	}
	slices.Sort(r.unspaced)
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

	for _, w := range r.unspaced {
		if _, ok := r.verbs[r.means[w]]; !ok {
			r.fail("write a verb", "%q means %q, which is not a verb", w, r.means[w])
		}
	}
}

// readRules reads the blocks of rules.txt.
func (r *reader) readRules(text string) {
	r.file, r.line = "rules.txt", 0
	for line := range strings.Lines(text) {
		r.line++
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] == ' ' && r.block != nil:
			r.rule(trimmed)
		case line[0] == ' ':
			r.fail("write the block's first line at the margin", "a rule outside a block")
		default:
			r.begin(trimmed)
		}
	}
}

// begin reads the first line of a block.
func (r *reader) begin(text string) {
	head, conditions, _ := strings.Cut(text, ":")
	f := strings.Fields(head)
	b := &block{kind: f[0], line: r.line}
	r.block = b
	b.head = r.conditions(conditions)

	names := f[1:]
	wanted := 0
	switch b.kind {
	case "effect":
		r.effect = append(r.effect, b)
	case "evidence":
		r.evidence = append(r.evidence, b)
	case "floor":
		r.floor = b
	case "role":
		wanted = max(1, len(names))
		for _, n := range names {
			if r.roles[n] != nil {
				r.fail("join the two blocks", "role %s is there already", n)
			}
			r.roles[n] = b
		}
	case "when":
		wanted = 1
		if len(names) == 1 {
			r.define(names[0], b)
		}
	default:
		r.fail("write effect, evidence, role, floor or when", "unknown kind of block %q", b.kind)
	}
	if len(names) != wanted {
		r.fail("write role CONCEPT..., when NAME, or the kind alone", "%q has %d names", head, len(names))
	}
}

// define gives a named condition its block, which others may refer to already.
func (r *reader) define(name string, b *block) {
	if _, ok := builtins[name]; ok {
		r.fail("give it another name", "condition %s is part of the code", name)
	}
	known := r.when(name)
	if known.line != 0 {
		r.fail("join the two blocks", "condition %s is there already", name)
	}
	b.name = name
	*known = *b
	r.block = known
}

// when returns the block of a named condition, which may be defined later.
func (r *reader) when(name string) *block {
	b := r.whens[name]
	if b == nil {
		b = &block{name: name, kind: "when"}
		r.whens[name] = b
	}
	return b
}

// rule reads one indented line.
func (r *reader) rule(text string) {
	b := r.block
	if b.kind == "when" {
		b.rules = append(b.rules, &rule{line: r.line, conditions: r.conditions(text)})
		return
	}

	conditions, result, ok := strings.Cut(" "+text, " -> ")
	if !ok {
		r.fail("write CONDITIONS -> RESULT", "no arrow")
		return
	}
	result, reason, _ := strings.Cut(result, ":")
	x := &rule{line: r.line, conditions: r.conditions(conditions), text: strings.TrimSpace(reason)}
	words := strings.Fields(result)
	if len(words) == 0 {
		r.fail("write CONDITIONS -> RESULT", "nothing after the arrow")
		return
	}

	switch b.kind {
	case "effect":
		r.effectResult(x, words)
	case "evidence":
		x.noun = r.noun(words)
	case "floor":
		r.label(&x.floor, words[0])
	case "role":
		r.roleResult(x, words)
	}
	b.rules = append(b.rules, x)
}

func (r *reader) label(into interface{ UnmarshalText([]byte) error }, word string) {
	if err := into.UnmarshalText([]byte(word)); err != nil {
		r.fail("write a name of docs/reference/contracts.md", "%v", err)
	}
}

// effectResult reads "[lower] EFFECT [MANNER] [as VERB]".
func (r *reader) effectResult(x *rule, words []string) {
	if words[0] == "lower" {
		x.lower, words = true, words[1:]
	}
	if n := len(words); n > 2 && words[n-2] == "as" {
		x.verb, words = words[n-1], words[:n-2]
	}
	if len(words) < 1 || len(words) > 2 || x.text == "" {
		r.fail("write [lower] EFFECT [MANNER] [as VERB]: reason", "the result is not an effect with a reason")
		return
	}
	x.effect = r.effectOf(words[0])
	if len(words) == 2 {
		m := r.mannerOf(words[1])
		x.manner = &m
	}
}

// roleResult reads "ROLE [FLOOR] [FORM]" or "rules of NAME".
func (r *reader) roleResult(x *rule, words []string) {
	if len(words) == 3 && words[0] == "rules" && words[1] == "of" {
		x.next = words[2]
		return
	}
	r.label(&x.role, words[0])
	x.floor = contract.DefaultFloor(x.role)
	x.floats = x.role == label.Selector
	for _, w := range words[1:] {
		if w == strings.ToUpper(w) {
			r.label(&x.floor, w)
			x.floats = false
			continue
		}
		r.label(&x.form, w)
	}
}

// checkRules looks for names that are not defined, conditions that nothing uses or that
// rest on themselves, and arguments that no rule is for.
func (r *reader) checkRules() {
	r.file, r.line = "rules.txt", 0
	r.checkNeeded()
	r.checkWhens()
	r.checkRoles()

	for _, b := range append(slices.Clone(r.evidence), r.whens["unfit"]) {
		if b != nil && b.reaches(nil, nil) {
			r.line = b.line
			r.fail("use named, as or up(is=...)", "evidence rests on the best reading, which it decides")
		}
	}
}

// checkNeeded looks for the names that the code looks up.
func (r *reader) checkNeeded() {
	for kind, names := range needed {
		for _, n := range names {
			found := map[string]bool{"set": r.sets[n] != nil, "phrases": r.phrases[n] != nil, "when": r.whens[n] != nil, "role": r.roles[n] != nil}
			if !found[kind] {
				r.fail("the code looks it up", "no %s %s", kind, n)
			}
			if b := r.whens[n]; kind == "when" && b != nil {
				r.used[b] = max(1, r.used[b])
			}
		}
	}
}

func (r *reader) checkWhens() {
	for _, b := range r.whens {
		switch r.line = b.line; {
		case b.line == 0:
			r.line = r.used[b]
			r.fail(fmt.Sprintf("define it with \"when %s\"", b.name), "unknown condition %q", b.name)
		case r.used[b] == 0:
			r.fail("take it out", "condition %s is used nowhere", b.name)
		case b.reaches(b, nil):
			r.fail("say it without itself", "condition %s rests on itself", b.name)
		}
	}
}

// checkRoles holds that every concept has a role for every argument.
func (r *reader) checkRoles() {
	for name, b := range r.roles {
		r.checkLast("role "+name, b)
		if _, ok := r.concepts[concept(name)]; !ok && !slices.Contains(needed["role"], name) {
			r.fail("write the name of a concept", "no concept %s", name)
		}
		for _, x := range b.rules {
			if x.next != "" && !slices.Contains(needed["role"], x.next) {
				r.line = x.line
				r.fail("write handle, name or free", "no rules of %s", x.next)
			}
		}
	}
	r.checkLast("floor", r.floor)

	r.line = 0
	for c := range r.concepts {
		if r.roles[string(c)] == nil {
			r.fail("add a block \"role\"", "concept %s has no role", c)
		}
	}
}

// checkLast holds that a block decides in every case.
func (r *reader) checkLast(name string, b *block) {
	if b == nil {
		r.line = 0
		r.fail("write it", "no block %s", name)
		return
	}
	r.line = b.line
	if n := len(b.rules); n == 0 || len(b.rules[n-1].conditions) > 0 {
		r.fail("end it with a rule without conditions", "%s doesn't decide in every case", name)
	}
}
