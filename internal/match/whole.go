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
	listed := p.listed(c.Pointer)
	if listed == nil {
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

// listed returns the arguments of a call that are in a list at a place; nil where there is none.
func (p *Proposal) listed(place string) []Argument {
	isList := strings.Contains(place, "/*")
	for i := range p.Args {
		rest, isBelow := strings.CutPrefix(p.Args[i].Pointer, place)
		isList = isList || (isBelow && len(rest) > 0 && rest[0] == '/' && !p.Args[i].Empty && elementOf(rest) != "")
	}
	if !isList {
		return nil
	}

	var out []Argument
	for i := range p.Args {
		if a := &p.Args[i]; !a.Empty && within(place, a.Pointer) {
			out = append(out, *a)
		}
	}
	return out
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
