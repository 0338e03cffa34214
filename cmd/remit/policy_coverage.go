package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/contract"
)

type policyCoverageCommand struct {
	policyFlags
	JSON bool `help:"Print the tools as JSON."`
}

// Help is shown below the flags.
func (policyCoverageCommand) Help() string {
	return `Lists the tools with their rules. A tool that has none is held to its contract alone.

Example:
  remit policy coverage policies --tools airline.json`
}

// policyTool is a tool with its rules.
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
}

// Run lists the tools.
func (c *policyCoverageCommand) Run(s *streams) error {
	if len(c.Tools) == 0 {
		return usage{hint(errors.New("there are no tools to cover"), "name the tool definitions with --tools FILE")}
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
		return writeJSON(s.out, tools)
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
	g, ok := p.set.Guard(server, tool)
	if !ok {
		return out
	}
	for _, policy := range g.File.Policies {
		out.Examples += len(policy.Examples)
		if policy.Require.Empty() {
			out.Unenforced++
		} else {
			out.Rules++
		}
	}
	out.Duties = len(g.File.Duties)
	for _, d := range g.File.Duties {
		out.Examples += len(d.Examples)
	}
	return out
}

func printCoverage(s *streams, tools []policyTool) {
	shade := paint(s.color)
	width, bare := len("tool"), 0
	for _, t := range tools {
		width = max(width, len([]rune(name(t.Tool))))
	}
	fmt.Fprintf(s.out, "%s\n", shade.bold(fmt.Sprintf("%-*s  %-11s  %5s  %10s  %6s  %8s", width, "tool", "effect", "rules", "unenforced", "duties", "examples")))
	for _, t := range tools {
		line := fmt.Sprintf("%-*s  %-11s  %5d  %10d  %6d  %8d", width, name(t.Tool), t.Effect, t.Rules, t.Unenforced, t.Duties, t.Examples)
		if t.Rules+t.Unenforced == 0 {
			bare++
			if t.Effect != contract.Read {
				line = shade.bad(line) + "  no rules"
			}
		}
		fmt.Fprintln(s.out, line)
	}
	fmt.Fprintf(s.out, "%d of %s without rules\n", bare, plural(len(tools), "tool", "tools"))
}
