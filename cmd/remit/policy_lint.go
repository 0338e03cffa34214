package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/guardtest"
)

type policyLintCommand struct {
	policyFlags
	JSON bool `help:"Print the findings as JSON."`
}

// Help is shown below the flags.
func (policyLintCommand) Help() string {
	return `Prints one finding a line, as file:line:column: message; places inside expressions are their own. What is worth knowing of
rules, and what each enforcement point makes of them, follows where there are no errors. Exit code 4 when a file has errors.

Example:
  remit policy lint policies --tools airline.json --contracts contracts`
}

// policyLint is the JSON form of what lint found.
type policyLint struct {
	Errors []policyMistake `json:"errors"`
	Rules  []policyRule    `json:"rules"`
	// Points are what each enforcement point makes of the rules.
	Points []policyPoint `json:"points"`
}

type policyMistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

type policyRule struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
	// Least and Most are the estimated cost; Most is left out where it has no
	// bound but the limit.
	Least    uint64 `json:"least_cost"`
	Most     uint64 `json:"most_cost,omitempty"`
	Examples int    `json:"examples"`
	Enforced bool   `json:"enforced"`
	guard.Needs
}

// Run checks guard files.
func (c *policyLintCommand) Run(ctx context.Context, s *command.Streams) error {
	p, err := c.read()
	if err != nil {
		return err
	}
	p.sayUnchecked(s)
	for _, g := range p.set.Guards() {
		p.mistakes = append(p.mistakes, guardtest.Mistakes(g, p.scope.Tools)...)
	}

	switch {
	case c.JSON:
		out := lintOf(p)
		out.Points = pointsOf(examine(ctx, p.files, p.scope))
		err = writeJSON(s.Out, out)
	case len(p.mistakes) > 0:
		p.printMistakes(s)
	default:
		c.print(s, p)
		printPoints(s, examine(ctx, p.files, p.scope))
	}
	if err == nil && len(p.mistakes) > 0 {
		return command.Status(exitFindings)
	}
	return err
}

func lintOf(p *policies) policyLint {
	out := policyLint{Errors: []policyMistake{}, Rules: []policyRule{}}
	for _, m := range p.mistakes {
		out.Errors = append(out.Errors, policyMistake{m.Position.File, m.Position.Line, m.Position.Column, m.Message, m.Hint})
	}
	for _, g := range p.set.Guards() {
		for _, r := range g.Costs() {
			rule := policyRule{
				Server: g.Server, Tool: g.Tool, Policy: r.Policy.Name, Least: r.Least,
				Examples: len(r.Policy.Examples), Enforced: !r.Policy.Require.Empty(),
				Needs: g.Needs(r.Policy.Name),
			}
			if r.Most <= guard.MaxCost {
				rule.Most = r.Most
			}
			out.Rules = append(out.Rules, rule)
		}
	}
	return out
}

// print prints what is worth knowing of the rules of every file: first of single ones, then what
// many have in common.
func (c *policyLintCommand) print(s *command.Streams, p *policies) {
	shade := display.Paint(s.Color)
	for _, g := range p.set.Guards() {
		common := map[string][]string{}
		gather := func(kind string, r guard.PolicyCost) {
			common[kind] = append(common[kind], display.Name(r.Policy.Name))
		}

		for _, r := range g.Costs() {
			place := display.Line(r.Policy.Position.String())
			if r.Policy.Require.Empty() {
				fmt.Fprintf(s.Out, "%s: %s %s has no check yet, and every call comes to %s\n", place, shade.Dim("note:"), display.Name(r.Policy.Name), r.Policy.Otherwise)
			} else if len(r.Policy.Examples) == 0 {
				fmt.Fprintf(s.Out, "%s: %s %s has no examples\n", place, shade.Dim("note:"), display.Name(r.Policy.Name))
			}
			needs := g.Needs(r.Policy.Name)
			if len(needs.Words) > 0 {
				gather("where words don't settle what was said, the judge decides, or the call is asked about", r)
				needs.Words = nil
			}
			for _, remark := range needs.Remarks() {
				gather(remark, r)
			}
			if r.Most > guard.MaxCost {
				gather(fmt.Sprintf("the cost grows with the lists of the call, up to the limit of %d", guard.MaxCost), r)
			}
		}

		file := display.Line(g.File.Position.File)
		for _, kind := range slices.Sorted(maps.Keys(common)) {
			fmt.Fprintf(s.Out, "%s: %s %s: %s\n", file, shade.Dim("note:"), kind, strings.Join(common[kind], ", "))
		}
		has := display.Count(len(g.File.Policies), "policy", "policies")
		if n := len(g.File.Duties); n > 0 {
			has += " and " + display.Count(n, "duty", "duties")
		}
		fmt.Fprintf(s.Out, "%s: %s: %s for %s\n", file, shade.Good("ok"), has, concerning(g))
	}
}
