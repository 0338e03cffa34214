package match

import (
	"slices"

	"github.com/remit-project/remit/label"
)

// errClears is why a call may not give an empty value for what its object has.
const errClears = "left empty, and not left out, which may clear it"

// clears reports whether an empty value may clear what the object of a call has: the call has an effect and makes nothing new, another argument says
// which object it is about, and the definition doesn't say that it is empty anyhow. Null is how many programs leave something out.
func (p *Proposal) clears(a *Argument) bool {
	return p.mayClear(a) && slices.ContainsFunc(p.Args, func(other Argument) bool {
		return other.Pointer != a.Pointer && !other.Empty && other.Role == label.Selector
	})
}

// mayClear reports whether an empty value may clear something, whatever object the call is about: what is to stay as it is, isn't emptied.
func (p *Proposal) mayClear(a *Argument) bool {
	if p.Read || !a.Empty || a.Null || lexicon().Creating.In(words(p.Tool)) {
		return false
	}
	if p.Default != nil {
		if text, known := p.Default(a.Pointer); known && text == "" {
			return false
		}
	}
	return true
}

// isEmptyNow reports whether the latest record of a call's object has a member without a value where the call gives none.
func (m *matcher) isEmptyNow(p *Proposal, a *Argument) bool {
	r, records := m.objectNow(p, a.Pointer)
	if r == nil {
		return false
	}
	isNamed, _ := m.member(r, argumentName(a.Pointer), "")
	isEmpty := func(i int) bool { f := &r.fields[i]; return isNamed(f) && (f.null || f.list || f.text == "") }
	return !slices.ContainsFunc(records, func(record string) bool { return !slices.ContainsFunc(r.records[record], isEmpty) })
}
