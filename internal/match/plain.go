package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// Most conditions look for a word or a name as a whole, which few records of a listing have. Those are found by a look at their texts as they
// are written, and alone are held to all that a condition means.

// mayMeet returns the places of the records that may meet conditions, where the first one is plain; false where each record has to be held to
// them. It takes the steps that it takes to hold every record to that one. A plain one behind others doesn't do: how records write the names
// of the others counts in all of them.
func (m *matcher) mayMeet(all [][]held, r *Result) (places []int, known bool) {
	if len(all) == 0 || len(all[0]) != 1 || len(r.atPlace) == 0 || !m.isPlain(&all[0][0]) {
		return nil, false
	}

	want := &all[0][0]
	m.steps -= r.outerFields
	for i := range r.fields {
		f := &r.fields[i]
		if !want.isNamed(f) {
			continue
		}
		if !r.isPlaced(f) {
			return nil, false
		}
		isOwn := r.atPlace[f.place].outermost && m.work(want.work(len(f.text)))
		isLast := len(places) > 0 && places[len(places)-1] == f.place
		if isOwn && !isLast && mayBeAny(want.Is, f.text) {
			places = append(places, f.place)
		}
	}
	if !slices.IsSorted(places) {
		slices.Sort(places)
		places = slices.Compact(places)
	}
	return places, true
}

// isPlain reports whether only a record that is in no other may meet a condition, by a text that is a plain value of it.
func (m *matcher) isPlain(h *held) bool {
	plain := h.own && !m.against && !h.against && h.lists == nil && h.From == nil && len(h.Is) > 0
	return plain && !slices.ContainsFunc(h.Is, func(v scope.Value) bool { return !isPlainValue(string(v)) })
}

// isPlainValue reports whether a value is ASCII that begins with a letter, and neither a link nor a path: what is the same is written so, but for case
// and the form of a company.
func isPlainValue(v string) bool {
	return v != "" && isASCII(v) && ('a' <= v[0]|0x20 && v[0]|0x20 <= 'z') && strings.IndexByte(v, '/') < 0 && v[len(v)-1] > ' '
}

// mayBeAny reports whether a text may be one of several plain values, or a company of that name, which is longer.
func mayBeAny(values []scope.Value, text string) bool {
	text = strings.TrimSpace(text)
	mayBe := func(v scope.Value) bool {
		before := len(text) - len(v)
		return before >= 0 && (strings.EqualFold(text[:len(v)], string(v)) || strings.EqualFold(text[before:], string(v)))
	}
	return slices.ContainsFunc(values, mayBe) || !isASCII(text)
}
