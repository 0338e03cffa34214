package synth

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
)

// picking are the concepts of arguments that only tell which things are returned.
var picking = []concept{object, limit, look, pattern, kind, "when", "query", "name", "place", "part"}

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

// isDescribedBy reports whether a description begins with things, with one word before them at
// most: an adjective or an owner. A word of the name may be a verb that no table has ("Shelve reviews").
func (t *tool) isDescribedBy(things string) bool {
	words := strings.FieldsFunc(t.desc, func(r rune) bool { return strings.ContainsRune(" ,.;:\n", r) })
	at := slices.Index(words[:min(len(words), 2)], things)
	mayBeDeed := at == 1 && slices.Contains(t.whole, singular(words[0])) && !t.table.has("describing", words[0])
	if at < 0 || mayBeDeed {
		return false
	}
	ends := strings.Contains(t.desc, things+",") // "Finished rides, newest first"
	return ends || at+1 == len(words) || t.table.has("bounds", words[at+1]) || words[at+1] == "of"
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
	return slices.Contains(picking, named) || (named == "nothing" && slices.ContainsFunc(strings.Fields(t.desc), func(w string) bool {
		return singular(strings.Trim(w, ".,;:")) == p.name
	}))
}
