package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// A call that is made once for all that a source lists has all of it: what is split among the members but for one of them is
// split otherwise.

// withoutSome returns a value that a list of the call lacks, where an entry takes all of a source for one call; empty where it has all
// of one of the sources.
func (m *matcher) withoutSome(c *Arg, p *Proposal) string {
	isOnce := m.effect && !m.in.Times.Each && m.in.Times.N == 1
	if !isOnce || c.Pick != scope.All || c.Is != nil {
		return ""
	}
	isList := strings.Contains(c.Pointer, "/*")
	var listed []Argument
	for _, a := range p.Args {
		if a.Empty || !within(c.Pointer, a.Pointer) {
			continue
		}
		rest, isBelow := strings.CutPrefix(a.Pointer, c.Pointer)
		isList = isList || (isBelow && elementOf(rest) != "")
		listed = append(listed, a)
	}
	if !isList || listed == nil {
		return ""
	}

	missing := ""
	for i := range c.From {
		lacks, called := m.lacks(&c.Constraint, c.From[i:i+1], listed)
		if called && lacks == "" {
			return ""
		}
		missing = cond(missing, lacks)
	}
	return missing
}

// lacks returns a value of a source that a list doesn't have; empty where it has all that the source offers now.
func (m *matcher) lacks(c *Constraint, source []Source, listed []Argument) (value string, called bool) {
	o := m.offers(source, c, "")
	for _, v := range o.values {
		isListed := func(a Argument) bool { return m.work(len(a.Text)) && a.takes(v.text) }
		isOut := v.missing || v.doubt != "" || m.isStale(v)
		if isOut || slices.ContainsFunc(listed, isListed) || m.excepted(c, Argument{Text: v.text, Role: label.Selector}) != "" {
			continue
		}
		return v.text, true
	}
	return "", len(o.values) > 0
}
