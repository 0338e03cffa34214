package compiler

import (
	"context"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/policydoc/prompt"
)

type findRequest struct {
	aboutTool
	Blocks []block
	// Known are policies that stay as they are, Previous those that are made again.
	Known, Previous []shownPolicy
}

type findAnswer struct {
	Policies []foundPolicy  `json:"policies"`
	Unused   []unusedAnswer `json:"unused" jsonschema:"marked sentences that give no policy of this tool"`
}

type foundPolicy struct {
	policyAnswer
	Ensured string `json:"ensured" jsonschema:"what of the tool's schema ensures it for every call; empty where nothing does"`
}

type unusedAnswer struct {
	Number int    `json:"number"`
	Reason string `json:"reason" jsonschema:"in a few words"`
}

// find searches the sentences that changed for policies.
func (m *mapper) find(ctx context.Context, unused map[string]string) ([]*draft, error) {
	var out []*draft
	parts := split(m.work.focus, maxMarked)
	taken := names{}
	for i, part := range parts {
		request := findRequest{aboutTool: m.about(), Blocks: m.corpus.excerpt(part), Known: m.work.known, Previous: m.work.previous}
		answer, err := ask(ctx, m.Compiler, stageFind, m.subject(i, len(parts)), request, func(a *findAnswer) error {
			var wrong []string
			for i := range a.Policies {
				wrong = append(wrong, a.Policies[i].check(m.corpus)...)
			}
			return mistakes(wrong)
		})
		if err != nil {
			return nil, err
		}
		for _, p := range answer.Policies {
			found := m.corpus.drafts([]policyAnswer{p.policyAnswer}, taken)[0]
			if ensured := prompt.OneLine(p.Ensured); ensured != "" {
				found.archived = "the tool's schema ensures it: " + ensured
			}
			out = append(out, found)
		}
		m.unused(unused, answer.Unused)
	}

	return out, nil
}

// unused notes why sentences give no policy.
func (m *mapper) unused(into map[string]string, answers []unusedAnswer) {
	for _, u := range answers {
		if s, ok := m.corpus.sentence(u.Number); ok && u.Reason != "" {
			into[s.ID] = u.Reason
		}
	}
}

type refineRequest struct {
	aboutTool
	Blocks   []block
	Policies []shownPolicy
}

type refineAnswer struct {
	Keep     []string        `json:"keep" jsonschema:"names of the policies that stay as they are"`
	Policies []refinedPolicy `json:"policies" jsonschema:"what the others become"`
}

type refinedPolicy struct {
	policyAnswer
	From []string `json:"from" jsonschema:"names of the policies that it was made of"`
}

// refine merges what is one policy and splits what are several. What the schema ensures
// stays as it is.
func (m *mapper) refine(ctx context.Context, drafts []*draft) ([]*draft, error) {
	taken := names{}
	out := selected(drafts, func(d *draft) bool { return d.archived != "" })
	for _, d := range out {
		d.name = taken.take(d.name)
	}
	drafts = live(drafts)
	parts := split(drafts, maxPolicies)
	for i, part := range parts {
		var sentences []string
		for _, d := range part {
			sentences = append(sentences, d.sentences...)
		}
		request := refineRequest{aboutTool: m.about(), Blocks: m.corpus.only(sentences), Policies: m.corpus.shown(part)}
		answer, err := ask(ctx, m.Compiler, stageRefine, m.subject(i, len(parts)), request, func(a *refineAnswer) error {
			return m.checkRefined(part, a)
		})
		if err != nil {
			return nil, err
		}

		keep := selected(part, func(d *draft) bool {
			return slices.ContainsFunc(answer.Keep, func(name string) bool { return slug(name) == d.name })
		})
		for _, d := range keep {
			d.name = taken.take(d.name)
			out = append(out, d)
		}

		for _, p := range answer.Policies {
			out = append(out, m.corpus.drafts([]policyAnswer{p.policyAnswer}, taken)...)
		}
	}

	return out, nil
}

// checkRefined says where policies got lost.
func (m *mapper) checkRefined(drafts []*draft, a *refineAnswer) error {
	var wrong []string
	from := slices.Clone(a.Keep)
	for i := range a.Policies {
		p := &a.Policies[i]
		for _, name := range p.From {
			if slices.ContainsFunc(a.Keep, func(kept string) bool { return slug(kept) == slug(name) }) {
				wrong = append(wrong, fmt.Sprintf("the policy %q can't stay as it is and become another", name))
			}
		}
		wrong = append(wrong, p.check(m.corpus)...)
		from = append(from, p.From...)
		if len(p.From) == 0 {
			wrong = append(wrong, fmt.Sprintf("the policy %q: name under \"from\" the policies that it was made of", p.Name))
		}
	}
	slices.Sort(from)
	return mistakes(append(wrong, checkNamed(drafts, slices.Compact(from))...))
}
