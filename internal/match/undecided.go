package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// A record of which nobody can tell whether a bound holds may be the one that is meant. It doesn't make the next one the only, or the newest.

// mayMeanAnother reports whether a record that is not selected may be meant as well. It is in a list with one that is, and meets every condition,
// but for bounds that no program can read there, or that hold in one reading alone.
func (m *matcher) mayMeanAnother(where []Match, selected selection, r *Result) bool {
	if len(selected) == 0 || !haveBound(where) || !m.leavesOut(selected, r) {
		return false
	}

	lists := map[string]bool{}
	for record := range selected {
		lists[r.listOf(record)] = true
	}
	all := m.holdAll(where, r)
	return slices.ContainsFunc(r.inOrder, func(record string) bool {
		isBeside := m.step() && !selected.has(record) && r.outermost(record) && lists[r.listOf(record)]
		return isBeside && !slices.ContainsFunc(all, func(alternatives []held) bool {
			return !slices.ContainsFunc(alternatives, func(h held) bool { return m.meets(&h, r, record) || m.isUndecided(&h, r, record) })
		})
	})
}

// haveBound reports whether one of some conditions is on one side of a number or a time.
func haveBound(where []Match) bool {
	for i := range where {
		for each := range where[i].each {
			if each.bounded() {
				return true
			}
		}
	}
	return false
}

// isUndecided reports whether no program can tell if a record meets a bound: it has something under the name that can't be read, or that is on both
// sides.
func (m *matcher) isUndecided(want *held, r *Result, record string) bool {
	return want.bounded() && slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return m.work(want.work(len(f.text))) && want.isNamed(f) && strings.TrimSpace(f.text) != "" && want.mayBeInBounds(f)
	})
}

// mayBeInBounds reports whether a field is not plainly outside of a condition's bounds.
func (w *Match) mayBeInBounds(f *field) bool {
	mayBe := func(bound scope.Value, side int) bool {
		first, last, known := w.order(strings.TrimSpace(f.text), bound)
		return bound == "" || !known || first == side || last == side
	}
	isRead := rational(strings.TrimSpace(f.text)) != nil
	mayBeyond := func(bound scope.Value, side int) bool {
		return bound == "" || !isRead || w.beyond(f.text, bound, side) || (!f.numeric && w.beyond(ungrouped(f.text), bound, side))
	}
	return mayBe(w.Before, -1) && mayBe(w.After, 1) && mayBeyond(w.Below, -1) && mayBeyond(w.Above, 1)
}
