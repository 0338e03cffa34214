package compiler

import (
	"context"
	"fmt"
)

type examplesRequest struct {
	aboutTool
	Policies []shownPolicy
}

type examplesAnswer struct {
	Policies []exemplifiedPolicy `json:"policies"`
}

type exemplifiedPolicy struct {
	Name       string   `json:"name"`
	Compliance []string `json:"compliance" jsonschema:"calls that keep to the policy"`
	Violations []string `json:"violations" jsonschema:"calls that break it"`
}

// examples has examples in words written for policies.
func (m *mapper) examples(ctx context.Context, drafts []*draft) error {
	parts := split(drafts, maxExemplified)
	for i, part := range parts {
		answer, err := ask(ctx, m.Compiler, stageExamples, m.subject(i, len(parts)), examplesRequest{m.about(), m.corpus.shown(part)}, func(a *examplesAnswer) error {
			var wrong, answered []string
			for _, p := range a.Policies {
				answered = append(answered, p.Name)
				if len(p.Violations) == 0 {
					wrong = append(wrong, fmt.Sprintf("the policy %q has no example that breaks it", p.Name))
				}
			}
			return mistakes(append(wrong, checkNamed(part, answered)...))
		})
		if err != nil {
			return err
		}

		for _, p := range answer.Policies {
			d := named(part, p.Name)
			d.compliance, d.violations = p.Compliance, p.Violations
		}
	}

	return nil
}
