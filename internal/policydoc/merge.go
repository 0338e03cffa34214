package policydoc

import (
	"slices"

	"github.com/remit-project/remit/guard"
)

// Retired is the reason of a policy that was approved or edited, and whose sentences the
// document no longer has.
const Retired = "the document no longer says this"

// side is where a field of a merge comes from.
type side bool

const (
	yours  side = false
	theirs side = true
)

// merger merges the fields of a policy and collects the conflicts.
type merger struct {
	had       []Conflict // before the merge
	conflicts []Conflict
}

// field merges a field by three hashes: of the file, of what was generated before, and
// of what is generated now; "" means that there is nothing. An edit stays. A new
// generated value is a conflict with it, until people resolve that.
func (m *merger) field(name, mine, base, fresh string, generated func() string) side {
	switch {
	case mine == fresh:
		return yours
	case mine == base:
		return theirs
	case fresh != base:
		m.conflicts = append(m.conflicts, Conflict{name, generated()})
		return yours
	}
	if i := slices.IndexFunc(m.had, func(c Conflict) bool { return c.Field == name }); i >= 0 {
		m.conflicts = append(m.conflicts, m.had[i])
	}
	return yours
}

// MergePolicy merges a policy in a file with the same policy of a later run, field by
// field. A field that people didn't edit becomes the fresh one. An edit stays, and is a
// conflict if the later run has a new value. Base are the hashes of the policy as it was
// generated before: [LockedPolicy.Fields]. Mine is nil if the file has no such policy.
//
// The status is people's once they set it; a later run that finds the policy
// enforceable, or not, is then a conflict. An approval is for what the policy said: with
// another description or other sentences it is proposed again. MergePolicy keeps
// conflicts about the rule, for [MergeRule].
func MergePolicy(mine *Policy, base map[string]string, fresh *Policy) Policy {
	if mine == nil {
		out := fresh.clone()
		out.Status = out.status()
		return out
	}

	out := mine.clone()
	m := &merger{had: mine.Conflicts}
	was, is := mine.Fields(), fresh.Fields()
	changed, another := false, false
	for _, f := range policyFields {
		changed = changed || is[f] != base[f]
		if m.field(f, was[f], base[f], is[f], func() string { return fresh.render(f) }) == theirs {
			out.take(f, fresh)
			another = another || f == fieldDescription || f == fieldTools || f == fieldReferences
		}
	}

	switch {
	case another && mine.Status == Approved && fresh.Status != Archived:
		out.Status, out.Reason = Proposed, ""
	case mine.status() == Proposed, mine.Status == Archived && mine.Reason == Retired:
		out.Status, out.Reason = fresh.status(), fresh.Reason
	case (mine.Status == Archived) != (fresh.Status == Archived):
		before := ""
		if !changed { // only what is new is a conflict
			before = fieldStatus
		}
		m.field(fieldStatus, "mine", before, fieldStatus, func() string { return fresh.render(fieldStatus) })
	}

	for _, c := range mine.Conflicts {
		if c.OfRule() {
			m.conflicts = append(m.conflicts, c)
		}
	}

	out.Conflicts = m.conflicts
	return out
}

func (i *Policy) clone() Policy {
	out := *i
	out.References, out.Compliance, out.Violations = slices.Clone(i.References), slices.Clone(i.Compliance), slices.Clone(i.Violations)
	out.Tools = slices.Clone(i.Tools)
	out.Conflicts = slices.Clone(i.Conflicts)
	return out
}

// policyFields are the generated fields of a policy, in the order of the file.
var policyFields = [...]string{fieldDescription, fieldTools, fieldReferences, fieldCompliance, fieldViolations}

// take copies a field of another policy.
func (i *Policy) take(field string, from *Policy) {
	switch field {
	case fieldDescription:
		i.Description = from.Description
	case fieldTools:
		i.Tools = slices.Clone(from.Tools)
	case fieldReferences:
		i.References = slices.Clone(from.References)
	case fieldCompliance:
		i.Compliance = slices.Clone(from.Compliance)
	case fieldViolations:
		i.Violations = slices.Clone(from.Violations)
	case fieldStatus:
		i.Status, i.Reason = from.status(), from.Reason
	}
}

// Retire decides what becomes of a policy whose sentences are gone. It is dropped; it is
// archived if people approved it, or edited it or its rule.
func Retire(mine *Policy, base map[string]string, ruleEdited bool) (kept Policy, keep bool) {
	kept = mine.clone()
	edited := ruleEdited
	for field, hash := range mine.Fields() {
		edited = edited || hash != base[field]
	}
	if !edited && mine.Status != Approved {
		return Policy{}, false
	}
	if kept.Status != Archived {
		kept.Status, kept.Reason = Archived, Retired
	}
	kept.Conflicts = nil
	return kept, true
}

// Edited reports whether people edited a rule. Base are the hashes that it was generated
// with.
func Edited(mine *guard.Policy, base map[string]string) bool {
	now := RuleFields(mine)
	if len(now) != len(base) {
		return true
	}
	for field, hash := range now {
		if hash != base[field] {
			return true
		}
	}
	return false
}

// StaysRemoved reports whether a policy that people removed from the file stays removed:
// it does as long as it refers to the same sentences. The lock has to keep it.
func (l *LockedPolicy) StaysRemoved(sentences []string) bool {
	a, b := slices.Sorted(slices.Values(l.Sentences)), slices.Sorted(slices.Values(sentences))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// MergeRule merges a rule as [MergePolicy] merges a policy. Base is [LockedRule.Fields],
// and had are the policy's conflicts so far; MergeRule returns the conflicts about the
// rule. It merges examples by their names. The references and the tools are the fresh ones,
// which are the mapping's.
func MergeRule(mine *guard.Policy, base map[string]string, fresh *guard.Policy, had []Conflict) (guard.Policy, []Conflict) {
	if mine == nil {
		return *fresh, nil
	}

	out := *mine
	out.References, out.Tools, out.Guessed, out.Forms = fresh.References, fresh.Tools, fresh.Guessed, fresh.Forms
	m := &merger{had: had}
	was, is := RuleFields(mine), RuleFields(fresh)
	from := func(f string) side {
		return m.field(fieldRule+f, was[f], base[f], is[f], func() string { return renderRule(fresh, f) })
	}
	if from(fieldRequire) == theirs {
		out.Variables, out.Require = fresh.Variables, fresh.Require
	}
	if from(fieldMessage) == theirs {
		out.Message = fresh.Message
	}
	if from(fieldOtherwise) == theirs {
		out.Otherwise = fresh.Otherwise
	}
	out.Examples = nil
	generated := map[string]*guard.Example{}
	freshNames := exampleNames(fresh)
	for i, name := range freshNames {
		generated[name] = &fresh.Examples[i]
	}
	for i, name := range exampleNames(mine) {
		if from(fieldExample+name) == yours {
			out.Examples = append(out.Examples, mine.Examples[i])
		} else if e := generated[name]; e != nil {
			out.Examples = append(out.Examples, *e)
		}
	}

	for _, name := range freshNames {
		if was[fieldExample+name] == "" && from(fieldExample+name) == theirs {
			out.Examples = append(out.Examples, *generated[name])
		}
	}

	return out, m.conflicts
}

// MergeUnmapped returns the fresh sentences, with the reasons that people edited. Base
// are the reasons that were generated before, by the text of the sentence, which may
// occur several times in a document.
func MergeUnmapped(mine *Unmapped, base map[string][]string, fresh *Unmapped) Unmapped {
	out := Unmapped{Document: fresh.Document, Sentences: slices.Clone(fresh.Sentences)}
	if mine == nil {
		return out
	}

	edited := map[string][]string{}
	for _, s := range mine.Sentences {
		edited[s.Text] = append(edited[s.Text], s.Reason)
	}
	for i, s := range out.Sentences {
		reasons := edited[s.Text]
		if len(reasons) == 0 {
			continue
		}
		edited[s.Text] = reasons[1:]
		same := func(generated string) bool { return hashWords(generated) == hashWords(reasons[0]) }
		if !slices.ContainsFunc(base[s.Text], same) {
			out.Sentences[i].Reason = reasons[0]
		}
	}

	return out
}
