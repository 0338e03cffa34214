package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/policydoc/report"
)

type policyCoverageCommand struct {
	policyFlags
	JSON bool `help:"Print the tools as JSON."`
}

// Help is shown below the flags.
func (policyCoverageCommand) Help() string {
	return `Lists the tools with the number of their own policies, and of the policies for every tool that apply to them. Only its
contract limits a tool without policies.

Example:
  remit policy coverage policies --tools airline.json`
}

// Run lists the tools.
func (c *policyCoverageCommand) Run(s *command.Streams) error {
	if len(c.Tools) == 0 {
		return command.UsageError(hint.Wrap(errors.New("there are no tools to cover"), "name the tool definitions with --tools FILE"))
	}
	p, err := c.read()
	if err != nil {
		return err
	}
	if len(p.mistakes) > 0 {
		return p.mistakes
	}

	tools := report.Coverage(p.set, p.scope)
	if c.JSON {
		return writeJSON(s.Out, tools)
	}
	printCoverage(s, tools)
	return nil
}

func printCoverage(s *command.Streams, tools []report.Covered) {
	shade := display.Paint(s.Color)
	width, bare, shared := len("tool"), 0, 0
	for _, t := range tools {
		width = max(width, len([]rune(display.Name(t.Tool))))
	}
	fmt.Fprintf(s.Out, "%s\n", shade.Bold(fmt.Sprintf("%-*s  %-11s  %8s  %10s  %6s  %8s  %10s", width, "tool", "effect", "policies", "unenforced", "duties", "examples", "every tool")))

	for _, t := range tools {
		line := fmt.Sprintf("%-*s  %-11s  %8d  %10d  %6d  %8d  %10d", width, display.Name(t.Tool), t.Effect, t.Rules, t.Unenforced, t.Duties, t.Examples, t.EveryTool)
		switch {
		case t.Own() == 0 && t.EveryTool > 0:
			shared++
			line += "  none of its own"
		case t.Own() == 0:
			bare++
			if t.Bare() {
				line = shade.Bad(line) + "  no policies"
			}
		}
		fmt.Fprintln(s.Out, line)
	}

	fmt.Fprintf(s.Out, "%d of %s without policies", bare, display.Count(len(tools), "tool", "tools"))
	if shared > 0 {
		fmt.Fprintf(s.Out, ", %d with only those for every tool", shared)
	}
	fmt.Fprintln(s.Out)
}
