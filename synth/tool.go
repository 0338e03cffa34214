package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// manner is what a verb does to the objects it names, finer than an effect:
// it decides whether an object given by its id is picked or receives something.
type manner uint8

const (
	// looking leaves everything as it is.
	looking manner = iota
	// adding puts something new somewhere.
	adding
	// changing alters an object that exists.
	changing
	// removing takes away, ends or overwrites.
	removing
	// relocating moves or copies from one place to another.
	relocating
	// running executes.
	running
	// sending makes something reach a person or a network address.
	sending
)

var mannerNames = [...]string{
	looking: "looking", adding: "adding", changing: "changing", removing: "removing",
	relocating: "relocating", running: "running", sending: "sending",
}

// String says what a tool does, for reasons.
func (m manner) String() string {
	return [...]string{
		looking: "reads", adding: "adds", changing: "changes", removing: "removes",
		relocating: "moves", running: "runs", sending: "sends",
	}[m]
}

// tool is what is known about one tool while its contract is made.
type tool struct {
	table *table
	def   *schema.Tool
	words []string // of the name, without the server's prefix
	whole []string // of the name
	desc  string   // folded description
	verb  string
	// named is the verb of the name where it says what is done, and isUntold that neither name nor description has one.
	named    candidate
	isUntold bool
	// object are the words of the name that the verb acts on, and acted those of the
	// description.
	object, acted []string
	manner        manner
	effect, base  contract.Effect // base is what the verb says, before the rules
	isVariant     bool            // it is one value of a verb argument
	places        []*place
	why, review   []string
	// version changes with what readings rest on, so that they are kept meanwhile.
	version *int
	current int
	// told is the effect without the server's own hints, and isHinted that they made it
	// stricter.
	told     contract.Effect
	isHinted bool
	// features are those of the arguments, for estimates.
	features map[string][]string
}

// analyse finds a tool's verb, object and effect.
func (x *table) analyse(def *schema.Tool, siblings *schema.Catalogue) *tool {
	def = withTold(def)
	t := &tool{table: x, def: def, desc: fold(def.Description), places: x.places(def), whole: x.split(def.Name), version: new(int)}
	t.words = x.withoutPrefix(t.whole, siblings)
	t.acted = x.acted(t.desc)
	t.findVerb()

	for _, b := range x.effect {
		t.apply(b)
	}
	t.raiseToOperations()
	t.told = t.effect
	t.weighEffect()
	weighed := t.effect
	t.raiseToHints()
	t.isHinted = t.effect != weighed
	return t
}

// withoutPrefix takes off the word that nearly all tools of a server begin
// with: it names the service, and "post" or "google_home" there is not a verb.
func (x *table) withoutPrefix(words []string, siblings *schema.Catalogue) []string {
	if siblings == nil || len(siblings.Tools) < 3 || len(words) < 2 || x.has("never-services", words[0]) {
		return words
	}
	n := 0
	for i := range siblings.Tools {
		if w := x.split(siblings.Tools[i].Name); len(w) > 1 && w[0] == words[0] {
			n++
		}
	}
	if rare := n*10 < len(siblings.Tools)*6; rare {
		return words
	}
	return words[1:]
}

// apply raises the effect by the rules of a block.
func (t *tool) apply(b *block) {
	if !all(b.head, &facts{t: t}) {
		return
	}
	for _, x := range b.rules {
		f := &facts{t: t}
		if !all(x.conditions, f) {
			continue
		}
		m := t.manner
		if x.manner != nil {
			m = *x.manner
		}

		why := x.explain(f)
		if x.verb != "" {
			t.verb = x.verb
			t.touch()
		}
		if x.lower {
			t.effect, t.base, t.manner = x.effect, x.effect, m
			t.why = append(t.why, why)
			t.touch()
			continue
		}
		t.raise(x.effect, m, why)
	}
}

// raise makes the effect stricter, never milder.
func (t *tool) raise(e contract.Effect, m manner, why string) {
	if severity(e) <= severity(t.effect) {
		return
	}
	t.effect, t.manner = e, m
	t.why = append(t.why, why)
	t.touch()
}

// touch drops the readings of arguments, which rest on the verb, manner and effect.
func (t *tool) touch() {
	*t.version++
	t.current = *t.version
}

// raiseToOperations raises the effect to the worst that a verb argument may ask for.
func (t *tool) raiseToOperations() {
	for _, p := range t.places {
		if p.depth != 1 || t.reading(p).concept != operation {
			continue
		}
		strongRead := t.effect == contract.Read && !t.table.verbs[t.verb].weak
		if strongRead && len(enumeration(p.node)) == 0 {
			continue // "check whether the operation is allowed"
		}
		for _, v := range t.table.verbsIn(p) {
			if t.effect == contract.Read && v.isState {
				continue // "list what is running"
			}
			t.raise(v.verb.effect, t.manner, fmt.Sprintf("%s may be %q", p.name, v.word))
		}
	}
}

// raiseToHints raises the effect by the server's own hints.
func (t *tool) raiseToHints() {
	a := t.def.Annotations
	destructive := a.Destructive != nil && *a.Destructive
	writes := a.ReadOnly != nil && !*a.ReadOnly
	isVague := t.table.verbs[t.verb].weak || t.base == contract.Read
	if destructive && t.effect == contract.Write && isVague {
		t.raise(contract.Destructive, t.manner, fmt.Sprintf("%q says little, and the server says that it is destructive", t.verb))
	}
	if t.effect != contract.Read || !writes {
		return
	}

	e := contract.Write
	if destructive {
		e = contract.Destructive
	}
	t.raise(e, changing, "the server says that it is not read-only")
	t.review = append(t.review, "named like a read, but the server says that it is not read-only")
}

// severity orders effects: how far one is from harmless.
func severity(e contract.Effect) int {
	switch e {
	case contract.Read:
		return 0
	case contract.Write:
		return 1
	case contract.Egress:
		return 2
	case contract.Destructive:
		return 3
	}
	return 4
}

// isObject reports whether a place names the very object that the verb acts on.
func (t *tool) isObject(p *place) bool {
	if p.depth > 1 || t.ask("destination", p) {
		return false
	}
	if len(t.object) == 0 {
		return t.manner == changing && len(t.acted) > 0 && t.acted[0] == p.words[0]
	}
	if t.manner == adding || t.manner == sending {
		return false
	}

	for _, w := range p.words {
		if t.table.has("handles", w) || t.table.has("fillers", w) {
			continue
		}
		i := slices.Index(t.object, w)
		among := i >= 0 && i <= 1 && len(t.object) < 3
		return w == last(t.object) || among
	}
	return false
}

// toward reports whether the tool says that something goes there: the group of
// "assign_user_to_group", the drive of "copy_to_drive", or what is described as
// "sheet to export to".
func (t *tool) toward(p *place) bool {
	said := strings.TrimRight(p.desc, ". ")
	if t.verb != "" && (strings.HasSuffix(said, t.verb+" to") || strings.HasSuffix(said, t.verb+" into")) {
		return true
	}
	i := slices.Index(t.words, "to")
	if i < 0 || t.effect == contract.Read {
		return false
	}
	return slices.ContainsFunc(p.words, func(w string) bool {
		telling := !t.table.has("handles", w) && !t.table.has("fillers", w)
		return telling && slices.Contains(t.words[i+1:], w)
	})
}

// isSecondID reports whether an argument as much required as this one, and before it,
// is the id that the tool is about.
func (t *tool) isSecondID(p *place) bool {
	for _, q := range t.places {
		if q.depth != 1 || q.required != p.required {
			continue
		}
		if q == p {
			return false
		}
		passive := slices.ContainsFunc(q.words, func(w string) bool { return t.table.has("passive", w) })
		if t.byNameAlone(q) == object && !passive {
			return true
		}
	}
	return false
}

// isPicked reports whether a description says that the argument is what the verb is
// done to: "name of the task to delete", "to search for and complete".
func (t *tool) isPicked(p *place) bool {
	return t.verb != "" && (contains(p.desc, "to "+t.verb) || contains(p.desc, "and "+t.verb))
}

// picksInside reports whether a member of a list of records says which existing
// object the record is about, as against being part of what is written.
func (t *tool) picksInside(p *place) bool {
	up := parentOf(p)
	inList := up != nil && (up.element || up.node.Items != nil)
	if !inList || t.effect == contract.Read {
		return false
	}
	l, noun := last(p.words), ""
	alters := t.manner == changing || t.manner == removing || t.table.verbs[t.verb].manner == changing
	h := t.table.headOf(p.desc)
	switch {
	case len(p.words) > 1:
		noun = p.words[len(p.words)-2]
	case l == "id", l == "identifier":
		return alters
	case t.table.has("edges", p.name):
		return slices.ContainsFunc(up.words, func(w string) bool { return t.table.has("graphs", w) })
	case len(h.head) == 1 && h.head[0] == "id" && len(h.of) > 0:
		l, noun = "id", last(h.of)
	default:
		return false
	}

	if slices.Contains(t.object, noun) || slices.Contains(up.words, noun) {
		return alters && t.table.has("handles", l)
	}
	c := t.table.nouns[noun].concept
	switch l {
	case "id", "identifier":
		return c != "person" && c != "account" && c != "place"
	case "name":
		return c == object || slices.Contains([]string{"entity", "node", "record", "document"}, noun)
	}
	return false
}
