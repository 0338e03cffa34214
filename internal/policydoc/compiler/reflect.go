package compiler

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

type reflectRequest struct {
	aboutTool
	Blocks             []block
	Policies, Archived []shownPolicy
}

type reflectAnswer struct {
	Missing       []policyAnswer  `json:"missing" jsonschema:"requirements that no policy has"`
	Changes       []policyAnswer  `json:"changes" jsonschema:"policies under their names, with the right description and sentences"`
	Drop          []droppedPolicy `json:"drop"`
	Restore       []droppedPolicy `json:"restore" jsonschema:"archived policies that a program can enforce"`
	WrongExamples []wrongExample  `json:"wrong_examples"`
	Unused        []unusedAnswer  `json:"unused" jsonschema:"marked sentences that no policy names"`
}

type droppedPolicy struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type wrongExample struct {
	Policy string `json:"policy"`
	Text   string `json:"text" jsonschema:"the example word by word"`
	Reason string `json:"reason"`
}

// reflect has the policies read against the document once more, and mends what
// was found. What is dropped is archived with the reason, so that people see it.
func (m *mapper) reflect(ctx context.Context, drafts []*draft, unused map[string]string) ([]*draft, error) {
	out := slices.Clone(drafts)
	taken := names{}
	for _, d := range drafts {
		taken[d.name] = true
	}
	var fresh, changed []*draft
	parts := split(drafts, maxPolicies)
	for i, part := range parts {
		enforced := live(part)
		archived := selected(part, func(d *draft) bool { return d.archived != "" })
		marked := m.work.focus
		if len(parts) > 1 {
			marked = nil // of all policies, no part can be said to miss a sentence
			for _, d := range part {
				marked = append(marked, d.sentences...)
			}
		}

		request := reflectRequest{m.about(), m.corpus.excerpt(marked), m.corpus.shown(enforced), m.corpus.shown(archived)}
		answer, err := ask(ctx, m.Compiler, stageReflect, m.subject(i, len(parts)), request, func(a *reflectAnswer) error {
			return m.checkReflection(part, a)
		})
		if err != nil {
			return nil, err
		}

		for _, d := range answer.Drop {
			named(part, d.Name).archived = "dropped when the policies were read again: " + d.Reason
		}
		for _, r := range answer.Restore {
			if d := named(part, r.Name); d.archived != "" {
				d.archived = ""
				changed = append(changed, d)
			}
		}
		for _, c := range answer.Changes {
			d := named(part, c.Name)
			d.description, d.sentences = strings.TrimSpace(c.Description), m.corpus.idsOf(c.Sentences)
			if !slices.Contains(changed, d) {
				changed = append(changed, d)
			}
		}

		for _, w := range answer.WrongExamples {
			named(part, w.Policy).without(w.Text)
		}
		m.unused(unused, answer.Unused)
		fresh = append(fresh, m.corpus.drafts(answer.Missing, taken)...)
	}

	if len(fresh) > 0 {
		if err := m.complete(ctx, fresh); err != nil {
			return nil, err
		}
	}
	if err := m.examples(ctx, live(changed)); err != nil {
		return nil, err
	}
	return append(out, fresh...), nil
}

func (m *mapper) checkReflection(drafts []*draft, a *reflectAnswer) error {
	var wrong []string
	known := func(name string) {
		if named(drafts, name) == nil {
			wrong = append(wrong, fmt.Sprintf("there is no policy %q", name))
		}
	}

	for i := range a.Missing {
		wrong = append(wrong, a.Missing[i].check(m.corpus)...)
	}
	for i := range a.Changes {
		known(a.Changes[i].Name)
		wrong = append(wrong, a.Changes[i].check(m.corpus)...)
	}

	for _, d := range slices.Concat(a.Drop, a.Restore) {
		known(d.Name)
	}
	for _, w := range a.WrongExamples {
		known(w.Policy)
	}
	return mistakes(wrong)
}

// without takes an example out.
func (d *draft) without(text string) {
	is := func(t string) bool { return t == text }
	d.compliance, d.violations = slices.DeleteFunc(d.compliance, is), slices.DeleteFunc(d.violations, is)
}
