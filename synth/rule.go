package synth

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// block is one block of rules.txt.
type block struct {
	kind, name string
	line       int
	head       []condition
	rules      []*rule
}

// rule is one line of a block: conditions that all have to hold, and the result of
// the block's kind.
type rule struct {
	line       int
	conditions []condition
	text       string // the reason, or what a person has to look at

	noun          // of evidence
	lower  bool   // an effect that replaces the other, though it is milder
	verb   string // with an effect, the verb that the tool has from then on
	effect contract.Effect
	manner *manner // nil leaves it

	role   label.Role
	floor  label.Trust
	floats bool // the floor is that of a selector
	form   contract.Form
	next   string // the block that goes on
}

// condition is one condition of a rule, ready to be asked.
type condition struct {
	holds func(*facts) bool
	// block is the named condition that it refers to, and inner are the conditions
	// in its parentheses. They are kept for the checks of the table.
	block *block
	inner []condition
	// reads is set where the answer rests on what an argument is best read as.
	reads bool
}

// facts are what conditions are asked about: a tool, one of its arguments if there
// is one, and the evidence that is judged.
type facts struct {
	t *tool
	p *place
	noun
	word string // what a condition on words found
	arg  *place // what arg() found
}

func all(conditions []condition, f *facts) bool {
	for i := range conditions {
		if !conditions[i].holds(f) {
			return false
		}
	}
	return true
}

// first returns the first rule of a block that fits.
func (b *block) first(f *facts) *rule {
	if !all(b.head, f) {
		return nil
	}
	for _, x := range b.rules {
		if all(x.conditions, f) {
			return x
		}
	}
	return nil
}

// reaches reports whether a block refers to another one, or, where that is nil, to the
// best reading of an argument.
func (b *block) reaches(other *block, seen []*block) bool {
	if slices.Contains(seen, b) {
		return false
	}
	seen = append(seen, b)
	var any func([]condition) bool
	any = func(cs []condition) bool {
		return slices.ContainsFunc(cs, func(c condition) bool {
			switch {
			case other == nil && c.reads, other != nil && c.block == other:
				return true
			case c.block != nil:
				return c.block.reaches(other, seen)
			}
			return any(c.inner)
		})
	}
	return any(b.head) || slices.ContainsFunc(b.rules, func(x *rule) bool { return any(x.conditions) })
}

// explain fills in the placeholders of a rule's text.
func (x *rule) explain(f *facts) string {
	if !strings.Contains(x.text, "{") {
		return x.text
	}
	values := map[string]string{"word": f.word, "verb": f.t.verb, "manner": f.t.manner.String()}
	if f.arg != nil {
		values["arg"] = f.arg.name
	}
	if f.p != nil {
		values["name"], values["last"] = f.p.name, last(f.p.words)
		if up := parentOf(f.p); up != nil {
			values["up"], values["upis"] = up.name, f.t.table.concepts[f.t.reading(up).concept]
		}
	}
	var pairs []string
	for k, v := range values {
		pairs = append(pairs, `"{`+k+`}"`, strconv.Quote(v), "{"+k+"}", v)
	}
	return strings.NewReplacer(pairs...).Replace(x.text)
}

// conditions reads conditions that are separated by spaces.
func (r *reader) conditions(text string) []condition {
	var out []condition
	for _, term := range r.terms(text) {
		rest, negated := strings.CutPrefix(term, "!")
		c := r.condition(rest)
		if holds := c.holds; negated {
			c.holds = func(f *facts) bool {
				word, arg := f.word, f.arg
				held := holds(f)
				f.word, f.arg = word, arg
				return !held
			}
		}
		out = append(out, c)
	}
	return out
}

// terms cuts a text at the spaces outside of quotes and parentheses.
func (r *reader) terms(text string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i, c := range text + " " {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ' ' && depth == 0:
			if i > from {
				out = append(out, text[from:i])
			}
			from = i + 1
		}
	}

	if quoted || depth != 0 {
		r.fail("close it", "a quote or parenthesis is open")
	}
	return out
}

// condition reads one condition: KEY=VALUES, KEY<NUMBER, PHRASES~, QUANTIFIER(...), or
// a name.
func (r *reader) condition(text string) condition {
	if name, inner, ok := strings.Cut(text, "("); ok {
		return r.quantified(name, strings.TrimSuffix(inner, ")"))
	}
	i := strings.IndexAny(text, "=<>~")
	if i < 0 {
		return r.named(text)
	}

	key, op := text[:i], text[i]
	value := strings.TrimPrefix(text[i+1:], "=")
	if number, ok := numbers[key]; ok {
		return r.compared(number, op, value)
	}
	if find, ok := phrases[key]; ok || key == "desc" {
		if op == '~' {
			find = anywhere
		}
		list := splitPhrases(strings.Trim(value, `"`))
		return condition{holds: func(f *facts) bool { return find(f, list) }}
	}

	match, ok := matchers[key]
	if !ok || op != '=' {
		r.fail("write one of the keys in the head of rules.txt", "unknown key %q", key)
		return condition{holds: func(*facts) bool { return false }}
	}
	v := r.choice(value)
	r.checkValues(key, v)
	return condition{holds: func(f *facts) bool { return match(f, v) }, reads: key == "is"}
}

// named reads a condition of the code, or one that a block "when" defines.
func (r *reader) named(name string) condition {
	if holds, ok := builtins[name]; ok {
		return condition{holds: holds, reads: name == "sure"}
	}
	b := r.when(name)
	if r.used[b] == 0 {
		r.used[b] = r.line
	}
	return condition{holds: func(f *facts) bool { return b.first(f) != nil }, block: b}
}

func (r *reader) compared(number func(*facts) int, op byte, value string) condition {
	n, err := strconv.Atoi(value)
	if err != nil {
		r.fail("write a number", "%q is not a number", value)
	}
	return condition{holds: func(f *facts) bool {
		switch have := number(f); op {
		case '<':
			return have < n
		case '>':
			return have > n
		default:
			return have == n
		}
	}}
}

// quantified reads a condition on other arguments.
func (r *reader) quantified(name, text string) condition {
	others, ok := quantifiers[name]
	if !ok {
		r.fail("write arg, beside, level, above, up or inside", "unknown quantifier %q", name)
		others = quantifiers["arg"]
	}

	inner, within := r.conditions(text), name == "above" || name == "up"
	c := condition{inner: inner, holds: func(f *facts) bool {
		places := f.t.places
		if within {
			places = f.p.parents
		}
		for _, q := range places {
			g := facts{t: f.t, p: q}
			if others(f, q) && all(inner, &g) {
				if name == "arg" {
					f.arg = q
				}
				return true
			}
		}
		return false
	}}
	if name == "up" {
		c.inner = nil // the reading of a container doesn't rest on that of its members
	}
	return c
}

// choice is a list of values, one of which a word has to be.
type choice struct {
	set          map[string]bool
	object, noun bool // the words of the tool's object, its last one
}

// choice reads values separated by commas.
func (r *reader) choice(text string) *choice {
	v := &choice{set: map[string]bool{}}
	for _, w := range strings.Split(text, ",") {
		out, without := strings.CutPrefix(w, "-")
		name, isSet := strings.CutPrefix(w, "@")

		switch {
		case w == "$object":
			v.object = true
		case w == "$noun":
			v.noun = true
		case w == "none":
			v.set[""] = true
		case without:
			if !v.set[out] {
				r.fail("take it out of a set that is named before", "%q is not in the list", out)
			}
			delete(v.set, out)
		case isSet:
			if r.sets[name] == nil {
				r.fail("add it to words.txt", "no set %q", name)
			}
			for m := range r.sets[name] {
				v.set[m] = true
			}
		case v.set[w]:
			r.fail("take it out", "%q is listed twice", w)
		default:
			v.set[w] = true
		}
	}
	return v
}

// checkValues holds the values of a key to the names that it can have.
func (r *reader) checkValues(key string, v *choice) {
	for w := range v.set {
		switch key {
		case "effect", "base", "does":
			r.effectOf(w)
		case "manner":
			r.mannerOf(w)
		case "as", "is", "named":
			r.conceptOf(w)
		}
	}
}

func (v *choice) has(f *facts, word string) bool {
	isObject := v.object && slices.Contains(f.t.object, word)
	isNoun := v.noun && word != "" && word == last(f.t.object)
	return v.set[word] || isObject || isNoun
}

// any finds the first of some words; no words are "none".
func (v *choice) any(f *facts, words []string) bool {
	for _, w := range words {
		if v.has(f, w) {
			f.word = w
			return true
		}
	}
	return len(words) == 0 && v.set[""]
}

// quiet is any without keeping the word.
func (v *choice) quiet(f *facts, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return v.has(f, w) })
}

// matchers are the keys whose values are words.
var matchers = map[string]func(*facts, *choice) bool{
	"verb":   func(f *facts, v *choice) bool { return v.has(f, f.t.verb) },
	"manner": func(f *facts, v *choice) bool { return v.set[mannerNames[f.t.manner]] },
	"effect": func(f *facts, v *choice) bool { return v.set[string(f.t.effect)] },
	"base":   func(f *facts, v *choice) bool { return v.set[string(f.t.base)] },
	"does":   func(f *facts, v *choice) bool { return v.set[string(f.t.table.verbs[f.t.verb].effect)] },
	"object": func(f *facts, v *choice) bool { return v.any(f, f.t.object) },
	"about":  func(f *facts, v *choice) bool { return v.any(f, f.t.object) || v.any(f, f.t.acted) },
	"heads": func(f *facts, v *choice) bool {
		return v.any(f, f.t.table.headsOf(f.t.object)) || v.any(f, f.t.table.headsOf(f.t.acted))
	},
	"tool":   func(f *facts, v *choice) bool { return v.any(f, f.t.words) },
	"within": func(f *facts, v *choice) bool { return v.any(f, f.t.words) || v.any(f, f.t.acted) },
	"whole":  func(f *facts, v *choice) bool { return v.quiet(f, f.t.whole) },
	"objects": func(f *facts, v *choice) bool {
		return !slices.ContainsFunc(f.t.object, func(w string) bool { return !v.has(f, w) })
	},
	"first": func(f *facts, v *choice) bool { return v.has(f, f.p.words[0]) },
	"last":  func(f *facts, v *choice) bool { return v.has(f, last(f.p.words)) },
	"penult": func(f *facts, v *choice) bool {
		return len(f.p.words) > 1 && v.has(f, f.p.words[len(f.p.words)-2])
	},
	"word": func(f *facts, v *choice) bool { return v.quiet(f, f.p.words) },
	"noun": func(f *facts, v *choice) bool {
		return slices.ContainsFunc(f.p.words, func(w string) bool { return !f.t.table.sets["handles"][w] && v.has(f, w) })
	},
	"name":    func(f *facts, v *choice) bool { return v.has(f, f.p.name) },
	"head":    func(f *facts, v *choice) bool { return v.has(f, strings.Join(f.t.table.headOf(f.p.desc).head, " ")) },
	"format":  func(f *facts, v *choice) bool { return v.has(f, f.p.node.Format) },
	"default": func(f *facts, v *choice) bool { return v.has(f, plain(f.p.node.Default)) },
	"as":      func(f *facts, v *choice) bool { return v.set[string(f.concept)] },
	"is":      func(f *facts, v *choice) bool { return v.set[string(f.t.reading(f.p).concept)] },
	"named":   func(f *facts, v *choice) bool { return v.set[string(f.t.byNameAlone(f.p))] },
}

var numbers = map[string]func(*facts) int{
	"words":  func(f *facts) int { return len(f.p.words) },
	"depth":  func(f *facts) int { return f.p.depth },
	"weight": func(f *facts) int { return f.weight },
}

// nearBeginning is how far into a description a phrase may begin that is early.
const nearBeginning = 40

// phrases are the keys whose values are phrases.
var phrases = map[string]func(*facts, []string) bool{
	"told": func(f *facts, list []string) bool {
		for _, ph := range list {
			if says(f.t.desc, ph) {
				f.word = ph
				return true
			}
		}
		return false
	},
	"desc": func(f *facts, list []string) bool {
		return slices.ContainsFunc(list, func(ph string) bool { return contains(f.p.desc, ph) })
	},
	"opens": func(f *facts, list []string) bool {
		return slices.ContainsFunc(list, func(ph string) bool { return strings.HasPrefix(f.p.desc, ph) })
	},
	"early": func(f *facts, list []string) bool {
		return slices.ContainsFunc(list, func(ph string) bool {
			return strings.Contains(f.p.desc[:min(len(f.p.desc), nearBeginning+len(ph))], ph)
		})
	},
}

// anywhere finds phrases of an argument's description, also within words.
func anywhere(f *facts, list []string) bool {
	return slices.ContainsFunc(list, func(ph string) bool { return strings.Contains(f.p.desc, ph) })
}

// says reports whether a description has a phrase that is not negated.
func says(desc, phrase string) bool {
	return contains(desc, phrase) && !contains(desc, "never "+phrase) && !contains(desc, "not "+phrase)
}

// quantifiers select the arguments that a condition in parentheses is about.
var quantifiers = map[string]func(f *facts, q *place) bool{
	"arg":    func(*facts, *place) bool { return true },
	"beside": func(f *facts, q *place) bool { return q != f.p && q.pattern != f.p.pattern },
	"level":  func(f *facts, q *place) bool { return q != f.p && q.depth == f.p.depth },
	"above":  func(*facts, *place) bool { return true },
	"up":     func(f *facts, q *place) bool { return parentOf(f.p) == q },
	"inside": func(f *facts, q *place) bool { return strings.HasPrefix(q.pattern, f.p.pattern+"/") },
}

// builtins are the conditions that need more than words.
var builtins = map[string]func(*facts) bool{
	"boolean":         func(f *facts) bool { return isBoolean(f.p.node) },
	"number":          func(f *facts) bool { return isNumber(f.p.node) },
	"record":          func(f *facts) bool { return isRecord(f.p.node) },
	"list":            func(f *facts) bool { return f.p.node.Items != nil },
	"listed":          func(f *facts) bool { return len(f.p.node.Properties) > 0 },
	"textual":         func(f *facts) bool { return len(types(f.p.node)) == 0 || slices.Contains(types(f.p.node), "string") },
	"enumerated":      func(f *facts) bool { return len(enumeration(f.p.node)) > 1 },
	"opaque":          func(f *facts) bool { return f.p.opaque },
	"free":            func(f *facts) bool { return isFree(f.p.node) },
	"element":         func(f *facts) bool { return f.p.element },
	"required":        func(f *facts) bool { return f.p.required },
	"variant":         func(f *facts) bool { return f.t.isVariant },
	"outward":         func(f *facts) bool { return f.t.effect.Outward() },
	"sure":            func(f *facts) bool { return f.t.reading(f.p).weight >= strong },
	"picks-inside":    func(f *facts) bool { return f.t.picksInside(f.p) },
	"is-object":       func(f *facts) bool { return f.t.isObject(f.p) },
	"toward":          func(f *facts) bool { return f.t.toward(f.p) },
	"second-id":       func(f *facts) bool { return f.t.isSecondID(f.p) },
	"picked":          func(f *facts) bool { return f.t.isPicked(f.p) },
	"example-of-path": func(f *facts) bool { return exampleOfPath(f.p.node.Description) },
}

// ask reports whether a named condition holds for a tool, or for one of its arguments.
func (t *tool) ask(name string, p *place) bool {
	return t.table.whens[name].first(&facts{t: t, p: p}) != nil
}

// has reports whether a word is in a set of words.txt.
func (x *table) has(set, word string) bool { return x.sets[set][word] }
