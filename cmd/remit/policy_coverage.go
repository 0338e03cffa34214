package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
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

// policyTool is a tool with the number of its policies.
type policyTool struct {
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool"`
	Effect contract.Effect `json:"effect,omitempty"`
	// Rules are the policies that are checked, Unenforced those that have no
	// check, Duties what must follow a call, and Examples those of all.
	Rules      int `json:"rules"`
	Unenforced int `json:"unenforced"`
	Duties     int `json:"duties"`
	Examples   int `json:"examples"`
	// EveryTool counts the policies and duties that hold for every tool, and so for
	// this one.
	EveryTool int `json:"every_tool"`
}

// own counts the policies of the tool's own file.
func (t policyTool) own() int { return t.Rules + t.Unenforced }

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

	tools := []policyTool{}
	for _, catalogue := range p.scope.Tools {
		for _, t := range catalogue.Tools {
			tools = append(tools, p.tool(catalogue.Server, t.Name))
		}
	}

	if c.JSON {
		return writeJSON(s.Out, tools)
	}
	printCoverage(s, tools)
	return nil
}

func (p *policies) tool(server, tool string) policyTool {
	out := policyTool{Server: server, Tool: tool}
	for _, f := range p.scope.Contracts {
		if t, ok := f.Tool(tool); ok && f.Server == server {
			out.Effect = t.Effect
		}
	}
	for _, g := range p.set.Applying(server, tool) {
		if g.Tool == guard.EveryTool {
			out.EveryTool += len(g.File.Policies) + len(g.File.Duties)
		} else {
			out.add(g.File)
		}
	}
	return out
}

// add counts what is in the tool's own file.
func (t *policyTool) add(f *guard.File) {
	for _, policy := range f.Policies {
		t.Examples += len(policy.Examples)
		if policy.Require.Empty() {
			t.Unenforced++
		} else {
			t.Rules++
		}
	}
	t.Duties += len(f.Duties)
	for _, d := range f.Duties {
		t.Examples += len(d.Examples)
	}
}

func printCoverage(s *command.Streams, tools []policyTool) {
	shade := display.Paint(s.Color)
	width, bare, shared := len("tool"), 0, 0
	for _, t := range tools {
		width = max(width, len([]rune(display.Name(t.Tool))))
	}
	fmt.Fprintf(s.Out, "%s\n", shade.Bold(fmt.Sprintf("%-*s  %-11s  %8s  %10s  %6s  %8s  %10s", width, "tool", "effect", "policies", "unenforced", "duties", "examples", "every tool")))

	for _, t := range tools {
		line := fmt.Sprintf("%-*s  %-11s  %8d  %10d  %6d  %8d  %10d", width, display.Name(t.Tool), t.Effect, t.Rules, t.Unenforced, t.Duties, t.Examples, t.EveryTool)
		switch {
		case t.own() == 0 && t.EveryTool > 0:
			shared++
			line += "  none of its own"
		case t.own() == 0:
			bare++
			if t.Effect != contract.Read {
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
