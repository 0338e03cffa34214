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
	for i := range r.fields {
		f := &r.fields[i]
		if !r.isPlaced(f) {
			return nil, false
		}
		if !r.atPlace[f.place].outermost {
			continue
		}
		m.steps--
		isLast := len(places) > 0 && places[len(places)-1] == f.place
		if want.isNamed(f) && m.work(want.work(len(f.text))) && !isLast && mayBeAny(want.Is, f.text) {
			places = append(places, f.place)
		}
	}
	slices.Sort(places)
	return slices.Compact(places), true
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

// mayBeAny reports whether a text may be one of several plain values, or a company of that name.
func mayBeAny(values []scope.Value, text string) bool {
	if !isASCII(text) {
		return true
	}
	return slices.ContainsFunc(values, func(v scope.Value) bool {
		return strings.EqualFold(strings.TrimSpace(text), string(v)) || mayBeCompany(text, string(v))
	})
}
