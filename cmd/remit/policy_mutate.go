package main

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/mutation"
)

type policyMutateCommand struct {
	policyFlags
	JSON    bool    `help:"Print the results as JSON."`
	AtLeast float64 `placeholder:"PERCENT" help:"Exit with 4 when the score is lower."`
}

// Help is shown below the flags.
func (policyMutateCommand) Help() string {
	return `Changes each rule in the ways in which rules are got wrong, and prints the changes that no example tells apart, with
values that would. A change under which a rule can't be decided is neither told apart nor counted.

Example:
  remit policy mutate policies --tools airline.json --at-least 95`
}

// policyMutation is the JSON form of what came of all mutants.
type policyMutation struct {
	Score     float64        `json:"mutation_score"`
	Mutants   int            `json:"mutants"`
	Killed    int            `json:"killed"`
	Crashed   int            `json:"crashed"`
	Refused   int            `json:"refused"`
	Skipped   []string       `json:"skipped,omitempty"`
	Survivors []policyMutant `json:"survivors"`
}

type policyMutant struct {
	Tool     string       `json:"tool"`
	Policy   string       `json:"policy"`
	Variable string       `json:"variable,omitempty"`
	Place    string       `json:"place"`
	Change   string       `json:"change"`
	CEL      string       `json:"cel"`
	Apart    *policyApart `json:"apart,omitempty"`
}

type policyApart struct {
	Example string `json:"example"`
	Where   string `json:"where"`
	Value   string `json:"value"`
	Rule    string `json:"rule"`
	Mutant  string `json:"mutant"`
}

// Run makes and judges the mutants of all guards.
func (c *policyMutateCommand) Run(ctx context.Context, s *command.Streams) error {
	p, err := c.read()
	if err != nil {
		return err
	}
	if len(p.mistakes) > 0 {
		return p.mistakes
	}
	total := policyMutation{Survivors: []policyMutant{}}

	var mutants []mutation.Mutant
	for _, g := range p.set.Guards() {
		r, err := mutation.Run(ctx, g)
		if err != nil {
			return err
		}
		total.add(r)
		mutants = append(mutants, r.Mutants...)
	}
	total.Score = mutation.Score(mutants)

	if c.JSON {
		err = writeJSON(s.Out, total)
	} else {
		total.print(s)
	}
	if err == nil && total.Score*100 < c.AtLeast {
		return command.Status(exitFindings)
	}
	return err
}

func (t *policyMutation) add(r *mutation.Result) {
	t.Refused += r.Refused
	for _, policy := range r.Skipped {
		t.Skipped = append(t.Skipped, r.Tool+" "+policy)
	}

	for _, m := range r.Mutants {
		t.Mutants++
		switch m.Fate {
		case mutation.Killed:
			t.Killed++
			continue
		case mutation.Crashed:
			t.Crashed++
			continue
		}
		survivor := policyMutant{Tool: r.Tool, Policy: m.Part.Policy, Variable: m.Part.Variable, Place: m.Part.Expression.Position.String(),
			Change: m.Change, CEL: m.Text}
		if a := m.Apart; a != nil {
			survivor.Apart = &policyApart{a.Example, a.Where, a.Value, string(a.Rule), string(a.Mutant)}
		}
		t.Survivors = append(t.Survivors, survivor)
	}
}

func (t *policyMutation) print(s *command.Streams) {
	shade := display.Paint(s.Color)
	for _, m := range t.Survivors {
		fmt.Fprintf(s.Out, "%s: %s %s, %s\n", display.Line(m.Place), shade.Bad("survived:"), display.Name(m.Policy), display.Line(m.Change))
		fmt.Fprintf(s.Out, "  %s\n", display.Line(m.CEL))
		if a := m.Apart; a != nil {
			fmt.Fprintf(s.Out, "  %s %s with %s = %s: %s becomes %s\n", shade.Dim("told apart by"), display.Line(a.Example), display.Line(a.Where), display.Line(a.Value), a.Rule, a.Mutant)
		}
	}
	for _, policy := range t.Skipped {
		fmt.Fprintf(s.Out, "%s %s: it has no examples, or they fail\n", shade.Bad("skipped:"), display.Line(policy))
	}
	fmt.Fprintf(s.Out, "score: %.1f %%, %d of %s; crashed: %d, refused by types: %d\n", t.Score*100, t.Killed, display.Count(t.Mutants-t.Crashed, "mutant", "mutants"), t.Crashed, t.Refused)
}
