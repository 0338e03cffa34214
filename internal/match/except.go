package match

import (
	"slices"

	"github.com/remit-project/remit/scope"
)

// "All but the newest" has to leave out the one that a program finds to be the newest: a
// criterion that no program checks leaves out nothing.

// singledOut says why a value may be the one that a criterion leaves out; empty where it isn't.
// The value has to be in the same listing, and a program has to find which one the criterion is
// about: what is left out is found as strictly as what is chosen.
func (m *matcher) singledOut(s *Source, c *Constraint, a Argument) string {
	chosen := m.mode
	chosen.against, chosen.strict = false, true
	m = m.as(chosen)

	of := Constraint{Kind: c.Kind, Pick: scope.Choice, By: s.By, From: []Source{*s}}
	o := m.offers(of.From, &of, c.idOf(a))
	if !o.called {
		return m.say("the request leaves out %s in %s: %s", s.By, s.Tool, m.unanswered(of.From, &of))
	}
	is := func(v candidate) bool { return m.work(len(v.text)) && same(v.text, a.Text, a.authority()) }
	if !slices.ContainsFunc(o.values, is) {
		return m.say("%s is not in the result of %s, of which the request leaves out %s", short(a.Text), s.Tool, s.By)
	}
	best := m.extremes(&of, o)
	doubtful := slices.ContainsFunc(o.values, func(v candidate) bool { return v.doubt != "" })
	if unknown := slices.ContainsFunc(best, func(values []candidate) bool { return len(values) == 0 }); best == nil || unknown || doubtful {
		return m.say("which of %s is left out (%s) can't be checked", s.Tool, s.By)
	}
	if slices.ContainsFunc(slices.Concat(best...), func(v candidate) bool { return same(v.text, a.Text, false) }) {
		return m.say("%s is %s of %s, which the request leaves out", short(a.Text), s.By, s.Tool)
	}
	return ""
}

// unfound returns the name that a constraint leaves out by the user's words where no record has it; empty where one has, or where no name
// is left out. The record that is meant may be called otherwise, and would not be left out.
func (m *matcher) unfound(c *Constraint) string {
	name := ""
	for i := range c.Except {
		s := &c.Except[i]
		isNaming := func(w Match) bool { return !w.isOnState() && !w.bounded() && (m.statedMatch(w) || m.statedWords(w)) }
		at := slices.IndexFunc(s.Where, isNaming)
		if s.By != "" || at < 0 {
			continue
		}

		listing := Constraint{Pick: scope.All, From: c.From}
		for _, r := range m.results {
			if !m.answers(s, r, &listing) && !m.offeredBy(c, s, r) {
				continue
			}
			where, _ := m.where(s, r)
			if r.structured && len(m.allMeeting(where, r)) > 0 {
				return ""
			}
			name = cond(name, slices.Concat(s.Where[at].looked(), s.Where[at].edges())[0])
		}
	}
	return name
}

// undoubted returns the values of a choice that may be chosen: what is listed beside what the request is about doesn't compete with it. Where
// all are in doubt, they are left.
func undoubted(all []candidate) []candidate {
	if sure := slices.DeleteFunc(slices.Clone(all), func(v candidate) bool { return v.doubt != "" }); len(sure) > 0 {
		return sure
	}
	return all
}

// withoutAside returns the values of which one is looked for without those that others may have added to what is listed, where another one is
// sure: who is invited doesn't compete with the people of that name.
func withoutAside(all []candidate) []candidate {
	isSure := func(v candidate) bool { return v.doubt == "" && !v.missing }
	isAside := func(v candidate) bool { return v.aside }
	if !slices.ContainsFunc(all, isAside) || !slices.ContainsFunc(all, isSure) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), isAside)
}

// withoutExcepted returns the values of a choice without those that it leaves out for sure: of the plans with a graphics card, the cheapest
// one without is none. What may be left out goes on competing, and where it is the one that is meant, which one it is is a question.
func (m *matcher) withoutExcepted(c *Constraint, all []candidate, id string) []candidate {
	if len(c.Except) == 0 {
		return all
	}
	out := map[occurrence]bool{} // in another listing than those that offer the values, by the text alone
	offered := map[string]bool{}
	for _, v := range all {
		offered[v.call] = true
	}

	listing := Constraint{Kind: c.Kind, Pick: scope.All, From: c.From}
	for i := range c.Except {
		s := &c.Except[i]
		for _, r := range m.results {
			if s.By == "" && r.structured && m.answers(s, r, c) {
				for _, v := range m.fields(s, &listing, r, id) {
					if !offered[v.call] {
						v.record = recordID{}
					}
					out[v.occurrence()] = true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(v candidate) bool { return out[v.occurrence()] || out[occurrence{text: v.text}] })
}
