package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

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
