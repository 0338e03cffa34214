package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/strictyaml"
)

// policyNames say which policies of a compiled directory are decided about.
type policyNames struct {
	Dir   string   `arg:"" help:"The directory that the policy document was compiled into."`
	Tool  string   `arg:"" help:"The tool, as TOOL or SERVER/TOOL; \"*\" for policies about every call."`
	Names []string `arg:"" optional:"" name:"policy" help:"The policies by their names."`
}

// named returns the policies that are named, or all that the function takes.
func (n policyNames) named(all bool, takes func(*policydoc.Policy) bool) (*policydoc.Directory, []*policydoc.Policy, error) {
	if all == (len(n.Names) > 0) {
		return nil, nil, command.UsageError(hint.Wrap(errors.New("it isn't said which policies are meant"), "name some, or give --all"))
	}
	d, err := policydoc.ReadDirectory(n.Dir)
	if err != nil {
		return nil, nil, err
	}
	m, err := d.MappingOf(n.Tool)
	if err != nil {
		return nil, nil, err
	}

	var out []*policydoc.Policy
	for i := range m.Policies {
		if all && takes(&m.Policies[i]) {
			out = append(out, &m.Policies[i])
		}
	}
	for _, name := range n.Names {
		p, err := m.Policy(name)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, p)
	}
	return d, out, nil
}

type policyApproveCommand struct {
	policyNames
	deploymentFlags
	All     bool `help:"Approve all undecided policies of the tool."`
	Failing bool `help:"Approve policies although tests of their rules fail, and don't run the tests."`
}

// Help is shown below the flags.
func (policyApproveCommand) Help() string {
	return `Records in the mapping that somebody looked at the policies and found them right. One that was archived gets its rule by
the next compilation.

The tests of the rules are run first. If one fails, no policy is approved, and the exit code is 4. Rules that look things up
need --tools for that.

Example:
  remit policy approve policies cancel_reservation refund-within-a-day --tools airline.json`
}

// Run approves policies.
func (c *policyApproveCommand) Run(ctx context.Context, s *command.Streams) error {
	d, chosen, err := c.named(c.All, func(p *policydoc.Policy) bool { return p.Status == policydoc.Proposed })
	if err != nil {
		return err
	}
	if !c.Failing {
		if err := c.pass(ctx, s, d, chosen); err != nil {
			return err
		}
	}

	shade := display.Paint(s.Color)
	for _, p := range chosen {
		if err := d.Approve(c.Tool, p.Name); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s %s %s\n", shade.Good("approved:"), display.Name(c.Tool), display.Name(p.Name))
		if p.Status == policydoc.Archived {
			fmt.Fprintf(s.Out, "  %s it was archived, and gets its rule by the next compilation\n", shade.Dim("note:"))
		}
		for _, conflict := range p.Conflicts {
			fmt.Fprintf(s.Out, "  %s a later run has %s otherwise: remit policy resolve decides\n", shade.Dim("note:"), display.Name(conflict.Field))
		}
	}
	return d.Write()
}

// pass returns an error unless the rules of the policies pass their tests. It prints the tests
// that fail.
func (c *policyApproveCommand) pass(ctx context.Context, s *command.Streams, d *policydoc.Directory, chosen []*policydoc.Policy) error {
	deployment, err := c.scope()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range chosen {
		names = append(names, p.Name)
	}
	failing, err := desk.Failing(ctx, d, c.Tool, names, deployment)
	if err != nil {
		return hint.Wrap(err, "remit policy lint says more; --tools FILE gives the tools that rules look things up with; --failing approves without running the tests")
	}
	if len(failing) == 0 {
		return nil
	}

	for _, r := range failing {
		printFailure(s, r)
	}
	fmt.Fprintf(s.Out, "%s: %s; correct the rule or the test, or give --failing\n", display.Paint(s.Color).Bad("nothing is approved"),
		display.Count(len(failing), "test fails", "tests fail"))
	return command.Status(exitFindings)
}

type policyArchiveCommand struct {
	policyNames
	Reason string `placeholder:"TEXT" help:"Why the policies are not enforced, for whoever reads the mapping."`
	All    bool   `help:"Archive all policies of the tool."`
}

// Help is shown below the flags.
func (policyArchiveCommand) Help() string {
	return `Takes policies out of force: they stay in the mapping, and their rules are taken out of the guard file.
remit policy approve brings them back.

Example:
  remit policy archive policies send_email be-polite --reason "nothing in a call tells"`
}

// Run archives policies.
func (c *policyArchiveCommand) Run(s *command.Streams) error {
	d, chosen, err := c.named(c.All, func(p *policydoc.Policy) bool { return p.Status != policydoc.Archived })
	if err != nil {
		return err
	}
	for _, p := range chosen {
		if err := d.Archive(c.Tool, p.Name, c.Reason); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s %s %s\n", display.Paint(s.Color).Warn("archived:"), display.Name(c.Tool), display.Name(p.Name))
	}
	return d.Write()
}

type policyResolveCommand struct {
	Dir    string `arg:"" help:"The directory that the policy document was compiled into."`
	Tool   string `arg:"" help:"The tool, as TOOL or SERVER/TOOL; \"*\" for policies about every call."`
	Policy string `arg:"" help:"The policy by its name."`
	Field  string `placeholder:"FIELD" required:"" help:"The field that the conflict is about, such as description or guard/require."`
	Mine   bool   `xor:"side" required:"" help:"Keep what is in the file."`
	Theirs bool   `xor:"side" required:"" help:"Take over what the later run says."`
}

// Help is shown below the flags.
func (policyResolveCommand) Help() string {
	return `Decides a conflict between what people wrote and what a later run says. remit policy review shows both.

Example:
  remit policy resolve policies cancel_reservation refund-within-a-day --field guard/require --theirs`
}

// Run resolves a conflict.
func (c *policyResolveCommand) Run(s *command.Streams) error {
	d, err := policydoc.ReadDirectory(c.Dir)
	if err != nil {
		return err
	}
	if err := d.Resolve(c.Tool, c.Policy, c.Field, c.Theirs); err != nil {
		return err
	}
	if err := d.Write(); err != nil {
		return err
	}

	m, err := d.MappingOf(c.Tool)
	if err != nil {
		return err
	}
	i, err := m.Policy(c.Policy)
	if err != nil {
		return err
	}
	var left []string
	for _, conflict := range i.Conflicts {
		left = append(left, display.Name(conflict.Field))
	}

	fmt.Fprintf(s.Out, "%s %s %s %s", display.Paint(s.Color).Good("resolved:"), display.Name(c.Tool), display.Name(c.Policy), display.Name(c.Field))
	if len(left) > 0 {
		fmt.Fprintf(s.Out, "; left: %s", strictyaml.Listing(left, " and "))
	}
	fmt.Fprintln(s.Out)
	return nil
}
