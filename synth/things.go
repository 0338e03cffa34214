package synth

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/contract"
)

// picking are the concepts of arguments that only tell which things are returned, and mayPick those that do so where a call can do
// without them: what is written has to be given.
var (
	picking = []concept{object, limit, look, pattern, kind, "when", "query", "name", "place", "part", "geo"}
	mayPick = []concept{"nothing", "handle"}
)

// readsThings reads a tool without any verb that is called by things ("venue_reviews"), is described
// by them ("Guests' reviews of a restaurant"), and takes nothing but what tells which are meant: it
// returns them.
func (t *tool) readsThings() bool {
	things := t.things()
	if things == "" || !t.isDescribedBy(things) || slices.ContainsFunc(t.places, func(p *place) bool { return !t.onlyPicks(p) }) {
		return false
	}
	t.effect, t.manner = contract.Read, looking
	t.why = append(t.why, "named and described by "+things+", and without a verb")
	t.review = append(t.review, "neither name nor description has a verb; it was taken to return "+things)
	return true
}

// things is the word in the plural that a tool's name ends in; empty for none.
func (t *tool) things() string {
	end := last(cut(t.def.Name))
	if singular(end) == end || t.table.has("runnables", last(t.words)) {
		return ""
	}
	return end
}

// isDescribedBy reports whether a description begins with things: those of the name or others ("Vignettes on sale"), with one word
// before them at most. It is an adjective or an owner, since a word may be a verb that no table has ("Shelve reviews").
func (t *tool) isDescribedBy(things string) bool {
	words := strings.FieldsFunc(t.desc, func(r rune) bool { return strings.ContainsRune(" ,.;:\n", r) })
	at := slices.Index(words[:min(len(words), 2)], things)
	if at < 0 {
		at = t.otherThings(words)
	}
	mayBeDeed := at == 1 && slices.Contains(t.whole, singular(words[0])) && !t.table.has("describing", words[0])
	if at < 0 || mayBeDeed {
		return false
	}
	ends := strings.Contains(t.desc, words[at]+",") // "Finished rides, newest first"
	return ends || at+1 == len(words) || t.table.has("bounds", words[at+1]) || t.table.has("behind-things", words[at+1])
}

// otherThings returns where a description has other things than the name: as its first word, or behind one that nothing but a
// noun follows ("Your appointments", "The gifts"), with an adjective between; -1 if it has none.
func (t *tool) otherThings(words []string) int {
	at := 0
	if len(words) > 0 && t.table.has("before-things", words[0]) {
		at++
	}
	if at < len(words) && t.table.has("describing", words[at]) {
		at++
	}
	if at == len(words) {
		return -1
	}
	w := words[at]
	_, _, isVerb := t.table.verbOf(w)
	isPlural := singular(w) != w && !strings.HasSuffix(w, "ss") && isWord(w)
	if !isPlural || (isVerb && at == 0) {
		return -1
	}
	return at
}

// namesKinds reports whether an argument has a few values of which each may be a kind of things: none is a deed, nor what a thing
// is put into by one ("armed", "up", "21").
func (t *tool) namesKinds(p *place) bool {
	mayBeSet := func(w string) bool {
		_, _, isVerb := t.table.verbOf(w)
		return isVerb || !isWord(w) || strings.HasSuffix(w, "ed") || t.table.has("states", w)
	}
	mayBeDeed := func(v string) bool { return slices.ContainsFunc(t.table.split(v), mayBeSet) }
	return len(p.node.Enum) > 0 && !slices.ContainsFunc(p.node.Enum, mayBeDeed)
}

// canDoWithout reports whether a call can do without an argument. A definition that requires nothing may only leave that out.
func (t *tool) canDoWithout(p *place) bool {
	return !p.required && slices.ContainsFunc(t.places, func(o *place) bool { return o.required })
}

// isWord reports whether a text has only letters.
func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// onlyPicks reports whether an argument does no more than tell which things are meant.
func (t *tool) onlyPicks(p *place) bool {
	if p.depth > 1 || p.opaque || len(p.node.Types) != 1 || p.node.Items != nil {
		return false
	}
	named := t.byNameAlone(p)
	for _, e := range t.own(p) {
		if e.concept == "when" {
			return true // "from", of a span of days
		}
	}
	isChoice := p.depth == 1 && t.canDoWithout(p) && slices.Contains(mayPick, named) && !slices.Contains(t.words, singular(p.name))
	return slices.Contains(picking, named) || isChoice || (named == "option" && t.namesKinds(p)) || (named == "nothing" && slices.ContainsFunc(strings.Fields(t.desc), func(w string) bool {
		return singular(strings.Trim(w, ".,;:")) == p.name
	}))
}
