package main

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/schema"
)

type packCommand struct {
	List   packListCommand   `cmd:"" help:"List the packs."`
	Show   packShowCommand   `cmd:"" help:"Show a pack: what was reviewed, and its contracts."`
	Verify packVerifyCommand `cmd:"" help:"Fetch the present version of a pack's package and say what changed."`
}

// packsNamed returns the packs that an operator names.
func packsNamed(names []string) (pack.Set, error) {
	var out pack.Set
	for _, name := range names {
		p, err := pack.Named(name)
		if err != nil {
			return nil, err
		}
		if p != nil {
			out = append(out, p)
		}
	}
	return out, nil
}

type packListCommand struct{}

// Help is shown below the flags.
func (packListCommand) Help() string {
	return `Example:
  remit contract pack list`
}

// Run lists the packs.
func (packListCommand) Run(s *command.Streams) error {
	packs, err := pack.All()
	if err != nil {
		return err
	}
	p := newPrinter(s)
	names, packages := len("pack"), len("package")
	for _, one := range packs {
		names, packages = max(names, len(one.Name)), max(packages, len(packageOf(one)))
	}
	p.line(0, p.Dim(fmt.Sprintf("%-*s  %5s  %-*s  %s", names, "pack", "tools", packages, "package", "reviewed versions")))
	for _, one := range packs {
		p.line(0, fmt.Sprintf("%-*s  %5d  %-*s  %s", names, one.Name, len(one.File().Tools), packages, packageOf(one), strings.Join(one.Versions, ", ")))
	}

	agents, err := pack.Agents()
	if err != nil {
		return err
	}
	for _, f := range agents {
		p.line(0, fmt.Sprintf("%-*s  %5d  %s", names, f.Server, len(f.Tools), "the coding agent's own tools: remit hook contracts "+f.Server))
	}
	return nil
}

// packageOf names the package of a pack with its registry.
func packageOf(one *pack.Pack) string { return string(one.Registry) + " " + one.Package }

type packShowCommand struct {
	Name string `arg:"" help:"The pack."`
	Tool string `arg:"" optional:"" help:"The tool; without it, all tools are listed."`
	YAML bool   `name:"yaml" help:"Print the contract file."`
}

// Help is shown below the flags.
func (packShowCommand) Help() string {
	return `Example:
  remit contract pack show slack
  remit contract pack show slack slack_post_message
  remit contract pack show slack --yaml`
}

// Run shows a pack.
func (c *packShowCommand) Run(s *command.Streams) error {
	one, err := packNamed(c.Name)
	if err != nil {
		return err
	}
	if c.YAML {
		text, err := one.File().Marshal()
		if err != nil {
			return err
		}
		_, err = s.Out.Write(text)
		return err
	}

	p := newPrinter(s)
	if c.Tool != "" {
		t, ok := one.File().Tool(c.Tool)
		if !ok {
			return fmt.Errorf("the pack %s has no tool %q: remit contract pack show %s lists them", one.Name, c.Tool, one.Name)
		}
		p.tool(t)
		return nil
	}
	p.line(0, p.Bold(one.Name)+"  "+one.About)
	p.line(0, fmt.Sprintf("%s %s, %s, %s", one.Registry, one.Package, one.Licence, one.Source))
	p.line(0, "reviewed: "+strings.Join(one.Versions, ", "))
	for _, note := range one.Notes {
		p.para(0, "note: ", note)
	}
	p.tools(one.File())
	return nil
}

// packNamed returns the pack of a name; an error if it names none.
func packNamed(name string) (*pack.Pack, error) {
	if _, err := hook.Find(name); err == nil {
		return nil, command.UsageError(hint.Wrap(fmt.Errorf("%s is a coding agent, which has its own tools and no package", name), "remit hook contracts "+name+" prints their contracts"))
	}
	one, err := pack.Named(name)
	if err == nil && one == nil {
		err = fmt.Errorf("there is no pack %q: remit contract pack list shows all", name)
	}
	if err != nil {
		return nil, command.UsageError(err)
	}
	return one, nil
}

// packs says which of a server's tools packs cover.
func (p *printer) packs(packs pack.Set, c *schema.Catalogue) {
	for _, one := range packs {
		p.compared(one, one.Compare(c))
	}
}

// compared prints which of a server's tools a pack covers, and how the contracts of
// changed definitions differ from the pack's.
func (p *printer) compared(one *pack.Pack, found pack.Comparison) {
	p.line(0, fmt.Sprintf("pack %s: %s reviewed, %d changed, %d new, %d gone", one.Name,
		display.Count(len(found.Reviewed), "definition", "definitions"), len(found.Changed), len(found.New), len(found.Gone)))
	for _, changed := range found.Changed {
		p.line(2, display.Line(changed.Tool)+": another definition than the pack reviewed; what synthesis says differs from the pack:")
		for _, d := range changed.Contract {
			if !d.Security {
				continue
			}
			mark := ""
			if d.Laxer {
				mark = p.Bad("laxer ")
			}
			p.line(4, mark+display.Line(d.String()))
		}
	}

	for _, name := range found.New {
		p.line(2, display.Line(name)+": the pack doesn't have this tool")
	}
	for _, name := range found.Gone {
		p.line(2, display.Line(name)+": the server doesn't have this tool")
	}
}
