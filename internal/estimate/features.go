package estimate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/schema"
)

// What is looked at of a definition. Words beyond it say little about the whole.
const (
	maxWords    = 200 // words of one text
	maxSaid     = 25  // words of an argument's description
	maxBegins   = 12  // words that also count with the one after them
	maxValues   = 8   // values of an enumeration
	maxBeside   = 64  // other arguments
	maxWord     = 32  // bytes of one word
	maxToolSaid = 40  // words of a tool's description
	maxEarly    = 8   // of these that count as its beginning
)

// set collects features, each once.
type set struct {
	in  map[string]bool
	out []string
}

func (s *set) add(parts ...string) {
	f := strings.Join(parts, " ")
	if !s.in[f] {
		s.in[f] = true
		s.out = append(s.out, f)
	}
}

// Meaning returns what a word in the singular and lower case stands for: an abbreviation for
// what it is short for, a word of another language for the English one.
type Meaning func(word string) string

// Tool returns the features of a tool. The effect is that which the rules give it.
func Tool(t *schema.Tool, effect string, means Meaning) []string {
	s := set{in: map[string]bool{}}
	words := means.words
	s.add("any tool")
	s.add("rules", effect)

	name := words(t.Name)
	for i, w := range name {
		s.add("name", w)
		if i > 0 {
			s.add("name", name[i-1], w)
		}
	}
	if len(name) > 0 {
		s.add("name first", name[0])
		s.add("name last", name[len(name)-1])
		s.add("name first", name[0], "rules", effect)
	}
	said := first(words(t.Description), maxToolSaid)
	for i, w := range said {
		s.add("says", w)
		if i < maxEarly {
			s.add("says early", w)
		}
		if i > 0 && i < maxBegins {
			s.add("says", said[i-1], w)
		}
	}
	if len(said) > 0 {
		s.add("says first", said[0])
	}

	takes := 0
	for _, l := range t.Places() {
		if above(l.Pattern) != "" || takes >= maxBeside {
			continue
		}
		takes++
		if w := words(l.Name); len(w) > 0 {
			s.add("takes", strings.Join(w, "_"))
			s.add("takes", w[len(w)-1])
		}
	}
	switch {
	case takes == 0:
		s.add("takes nothing")
	case takes < 3:
		s.add("takes few")
	case takes > 6:
		s.add("takes many")
	}
	return s.out
}

// Arguments returns the features of every argument of a tool, by pattern. The effect is
// that which the rules give the tool.
func Arguments(t *schema.Tool, effect string, means Meaning) map[string][]string {
	words := means.words
	places := t.Places()
	out := map[string][]string{}
	inTool := words(t.Name)
	begins := "nothing"
	if said := words(t.Description); len(said) > 0 {
		begins = said[0]
	}

	beside := map[string][]string{}
	for _, l := range places {
		if w := words(l.Name); len(w) > 0 && len(beside[above(l.Pattern)]) < maxBeside {
			beside[above(l.Pattern)] = append(beside[above(l.Pattern)], w[len(w)-1])
		}
	}
	for _, l := range places {
		a := &argument{set: set{in: map[string]bool{}}, leaf: l, means: means, words: words(l.Name), tool: inTool, begins: begins, effect: effect}
		if len(a.words) == 0 {
			a.words = []string{"unnamed"}
		}
		a.name()
		a.description()
		a.schema()
		a.place(beside[above(l.Pattern)])
		out[l.Pattern] = a.out
	}
	return out
}

// argument is one argument whose features are collected.
type argument struct {
	set
	leaf   schema.Leaf
	means  Meaning
	words  []string // of its name
	tool   []string // of the tool's name
	begins string   // the first word of the tool's description
	effect string
}

func (a *argument) name() {
	last := a.words[len(a.words)-1]
	a.add("any argument")
	a.add("effect", a.effect)
	a.add("named", strings.Join(a.words, "_"))
	a.add("ends", last)
	a.add("begins", a.words[0])
	a.add("ends", last, "effect", a.effect)
	a.add("ends", last, "in", a.begins)
	if len(a.words) == 1 {
		a.add("one word")
	}
	for _, w := range a.words {
		a.add("has", w)
		a.add("has", w, "effect", a.effect)
	}

	if len(a.tool) > 0 {
		a.add("in tool", a.tool[0])
	}
	for _, w := range a.tool {
		a.add("in tool with", w)
		a.add("ends", last, "in tool with", w)
	}
	noun := last
	if handles[last] && len(a.words) > 1 {
		noun = a.words[len(a.words)-2]
	}
	if slices.Contains(a.tool, noun) {
		a.add("names the object")
		a.add("names the object effect", a.effect)
	}
	if handles[last] {
		a.add("handle effect", a.effect)
	}
}

// handles are the last words of names that name something by its id.
var handles = map[string]bool{"id": true, "key": true, "uuid": true, "slug": true, "number": true, "guid": true}

func (a *argument) description() {
	said := first(a.means.words(a.leaf.Node.Description), maxSaid)
	if len(said) == 0 {
		a.add("not described")
		return
	}
	a.add("said first", said[0])
	for i, w := range said {
		a.add("said", w)
		if i > 0 && i < maxBegins {
			a.add("said", said[i-1], w)
		}
	}
}

func (a *argument) schema() {
	n := a.leaf.Node
	types := slices.Clone(n.Types)
	for _, alternative := range n.Alternatives {
		types = append(types, alternative.Types...)
	}
	last := a.words[len(a.words)-1]
	for _, t := range types {
		a.add("type", t)
		a.add("type", t, "effect", a.effect)
		a.add("type", t, "ends", last)
	}

	values := n.Enum
	if n.Items != nil && len(values) == 0 {
		values = n.Items.Enum
	}
	if len(values) > 0 {
		a.add("enumerated")
		a.add("enumerated effect", a.effect)
	}
	for _, v := range first(values, maxValues) {
		a.add("value", strings.Join(a.means.words(v), "_"))
	}
	if n.Format != "" {
		a.add("format", clip(n.Format))
	}
	if n.Default != "" {
		a.add("has a default")
	}
	if a.leaf.Required {
		a.add("required")
	}
}

func (a *argument) place(beside []string) {
	segments := strings.Split(strings.TrimPrefix(above(a.leaf.Pattern), "/"), "/")
	depth := 0
	for i, up := range segments {
		if up == "*" || up == "" {
			continue
		}
		depth++
		for _, w := range a.means.words(up) {
			a.add("within", w)
			if i == len(segments)-1 || (i == len(segments)-2 && segments[i+1] == "*") {
				a.add("part of", w)
			}
		}
	}

	switch {
	case depth == 0:
		a.add("depth 0")
	case depth == 1:
		a.add("depth 1")
	default:
		a.add("depth 2")
	}
	if depth > 0 {
		a.add("inside effect", a.effect)
	}
	for _, w := range beside {
		a.add("beside", w)
	}
}

// above returns the pattern of what holds a place.
func above(pattern string) string { return pattern[:strings.LastIndexByte(pattern, '/')] }

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func clip(w string) string { return strings.ToValidUTF8(w[:min(maxWord, len(w))], "") }

// words cuts a name or a text into words: lower case, singular, at separators and
// capitals, by what they mean. Digits are left out.
func (m Meaning) words(s string) []string {
	var out []string
	runes := []rune(s)
	start := -1
	flush := func(end int) {
		if start >= 0 && end > start {
			out = append(out, m(singular(clip(strings.ToLower(string(runes[start:end]))))))
		}
		start = -1
	}

	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
		case start >= 0 && unicode.IsUpper(r) && begins(runes, i):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		if len(out) > maxWords {
			return out
		}
	}
	flush(len(runes))
	return out
}

// begins reports whether the capital at i begins a word: after a small letter, or before
// one ("HTMLBody").
func begins(runes []rune, i int) bool {
	return !unicode.IsUpper(runes[i-1]) || (i+1 < len(runes) && unicode.IsLower(runes[i+1]))
}

func singular(w string) string {
	keeps := strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is")
	switch {
	case len(w) < 4 || keeps || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	}
	return w[:len(w)-1]
}
