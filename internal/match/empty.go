package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// A missing record means something only in a listing that came back: an error, a count and a page
// say nothing of what there is.

// nothing are the values that say that there is none.
var nothing = []string{"", "0", "false", "none", "no"}

// failed reports whether the call of a result failed, as who made it knows, or as the result says beside its records.
func (r *Result) failed() bool {
	return r.Failed || r.failing
}

// saysFailed reports whether a result says beside its records that its call failed.
func (r *Result) saysFailed() bool {
	says := func(f field) bool {
		return !f.null && lexicon().Failures.In(f.key) && !isListed(f.record) && !slices.Contains(nothing, fold(f.text))
	}
	return !r.values && (slices.ContainsFunc(r.fields, says) || r.endedBadly())
}

// endedBadly reports whether what a server puts around a list says that the call didn't end well: "success": false, "status": "partial".
func (r *Result) endedBadly() bool {
	isListing := slices.ContainsFunc(r.inOrder, isListed)
	others := map[string]bool{} // records with something of their own, which are looked through once
	isEnvelope := func(record string) bool {
		if others[record] {
			return false
		}
		others[record] = slices.ContainsFunc(r.records[record], func(i int) bool {
			return !lexicon().Wrapping.In(r.fields[i].key) && slices.ContainsFunc(r.fields[i].key, isOfNoWrapper)
		})
		return !others[record]
	}
	ended := func(f field) bool {
		isOutcome := !f.null && f.text != "" && len(f.key) == 1 && lexicon().Outcomes.In(f.key)
		return isOutcome && !isListed(f.record) && !lexicon().Well.Has(fold(f.text)) && isEnvelope(f.record)
	}
	return isListing && slices.ContainsFunc(r.fields, ended)
}

// empty reports whether a result shows an empty list, and nothing that speaks of a record.
func (r *Result) empty() bool {
	list := slices.ContainsFunc(r.fields, func(f field) bool { return f.list })
	other := slices.ContainsFunc(r.fields, func(f field) bool {
		counted := lexicon().Tallies.In(f.key) && f.text != "0"
		ended := lexicon().Outcomes.In(f.key) && !lexicon().Well.Has(fold(f.text))
		return !f.null && (counted || ended || !lexicon().Wrapping.In(f.key))
	})
	return list && !other
}

// hasAny reports whether a result has a record: an element of a list, or all of it where it
// has no list and says more than what became of the call.
func (r *Result) hasAny() bool {
	none := slices.ContainsFunc(r.fields, func(f field) bool { return f.list && !isListed(f.record) })
	return !none && slices.ContainsFunc(r.fields, func(f field) bool {
		says := r.values || !(lexicon().Wrapping.In(f.key) || lexicon().Remarks.In(f.key))
		return !f.null && says && r.outermost(f.record)
	})
}

// comparable reports whether all that a source leaves out can be compared with a value: its
// records have the field, in the form of the value.
func (m *matcher) comparable(s *Source, c *Constraint, a Argument, r *Result) bool {
	if r.empty() {
		return true
	}

	selected := m.selected(s, &Constraint{Pick: scope.All}, r)
	isNamed, _ := m.memberAt(r, selected, s.name(), c.idOf(a), "")
	alike := func(i int) bool {
		f := &r.fields[i]
		return isNamed(f) && !f.null && m.work(len(f.text)) && sameForm(f.text, a.Text, c.Kind)
	}

	compared := 0
	for _, record := range r.inOrder {
		counts := r.outermost(record) && r.isRecord(record) && selected.has(record)
		if !counts {
			continue
		}
		own := slices.Concat(r.records[record], r.nested[record])
		other := slices.ContainsFunc(own, func(i int) bool { return isNamed(&r.fields[i]) && !alike(i) })
		if other || !slices.ContainsFunc(own, alike) {
			return false
		}
		compared++
	}
	return compared > 0 || len(s.Where) > 0
}

// sameForm reports whether two values of a kind are written alike: a name in front of an
// address, or a domain alone, is none.
func sameForm(have, want string, kind scope.Kind) bool {
	for _, k := range []scope.Kind{kind, scope.Email} {
		if shapes[k] != nil && isOf(want, k) && !isOf(have, k) {
			return false
		}
	}
	return strings.TrimSpace(have) != ""
}
