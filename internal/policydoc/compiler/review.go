package compiler

import (
	"context"
	"fmt"
)

type reviewRequest struct {
	aboutTool
	Policies []shownPolicy
}

type reviewAnswer struct {
	Policies []reviewedPolicy `json:"policies"`
}

type reviewedPolicy struct {
	Name        string `json:"name"`
	Enforceable bool   `json:"enforceable"`
	Reason      string `json:"reason" jsonschema:"one sentence"`
}

// review archives what no program can enforce, with the reason.
func (m *mapper) review(ctx context.Context, drafts []*draft) error {
	parts := split(drafts, maxPolicies)
	for i, part := range parts {
		answer, err := ask(ctx, m.Compiler, stageReview, m.subject(i, len(parts)), reviewRequest{m.about(), m.corpus.shown(part)}, func(a *reviewAnswer) error {
			var wrong, answered []string
			for _, p := range a.Policies {
				answered = append(answered, p.Name)
				if !p.Enforceable && p.Reason == "" {
					wrong = append(wrong, fmt.Sprintf("the policy %q: say why it isn't enforceable", p.Name))
				}
			}
			return mistakes(append(wrong, checkNamed(part, answered)...))
		})
		if err != nil {
			return err
		}

		for _, p := range answer.Policies {
			if d := named(part, p.Name); !p.Enforceable {
				d.archived = p.Reason
			}
		}
	}

	return nil
}

type groundRequest struct {
	aboutTool
	Blocks   []block
	Policies []shownPolicy
}

type groundAnswer struct {
	Policies []groundedPolicy `json:"policies"`
}

type groundedPolicy struct {
	Name      string `json:"name"`
	Sentences []int  `json:"sentences" jsonschema:"numbers of all sentences that the policy rests on"`
}

// ground finds exactly the sentences that policies rest on. They are named by
// number, so that every reference is the document's own text.
func (m *mapper) ground(ctx context.Context, drafts []*draft) error {
	parts := split(drafts, maxPolicies)
	for i, part := range parts {
		shown := m.work.routed
		for _, d := range part {
			shown = append(shown[:len(shown):len(shown)], d.sentences...)
		}
		request := groundRequest{m.about(), m.corpus.excerpt(shown), m.corpus.shown(part)}
		answer, err := ask(ctx, m.Compiler, stageGround, m.subject(i, len(parts)), request, func(a *groundAnswer) error {
			var wrong, answered []string
			for _, p := range a.Policies {
				answered = append(answered, p.Name)
				wrong = append(wrong, m.corpus.checkNumbers(p.Name, p.Sentences)...)
			}
			return mistakes(append(wrong, checkNamed(part, answered)...))
		})
		if err != nil {
			return err
		}

		for _, p := range answer.Policies {
			named(part, p.Name).sentences = m.corpus.idsOf(p.Sentences)
		}
	}

	return nil
}
