package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictyaml"
)

// policyNames say which policies of a compiled directory are decided about.
type policyNames struct {
	Dir   string   `arg:"" help:"The directory that the policy document was compiled into."`
	Tool  string   `arg:"" help:"The tool, as TOOL or SERVER/TOOL; \"*\" for policies about every call."`
	Names []string `arg:"" optional:"" name:"policy" help:"The policies by their names."`
}

// each decides about the named policies, or all that the function takes, and
// writes the files.
func (n policyNames) each(all bool, takes func(*policydoc.Policy) bool, decide func(d *policydoc.Directory, i *policydoc.Policy) error) error {
	if all == (len(n.Names) > 0) {
		return command.UsageError(hint.Wrap(errors.New("it isn't said which policies are meant"), "name some, or give --all"))
	}
	d, err := policydoc.ReadDirectory(n.Dir)
	if err != nil {
		return err
	}
	m, err := d.MappingOf(n.Tool)
	if err != nil {
		return err
	}

	for i := range m.Policies {
		if all && takes(&m.Policies[i]) {
			n.Names = append(n.Names, m.Policies[i].Name)
		}
	}

	for _, name := range n.Names {
		i, err := m.Policy(name)
		if err != nil {
			return err
		}
		if err := decide(d, i); err != nil {
			return err
		}
	}

	return d.Write()
}

type policyApproveCommand struct {
	policyNames
	All bool `help:"Approve all policies of the tool that nobody decided about yet."`
}

// Help is shown below the flags.
func (policyApproveCommand) Help() string {
	return `Records in the mapping that somebody looked at the policies and found them right. One that was archived gets its rule by
the next compilation.

Example:
  remit policy approve policies cancel_reservation refund-within-a-day`
}

// Run approves policies.
func (c *policyApproveCommand) Run(s *command.Streams) error {
	proposed := func(i *policydoc.Policy) bool { return i.Status == policydoc.Proposed }
	return c.each(c.All, proposed, func(d *policydoc.Directory, i *policydoc.Policy) error {
		if err := d.Approve(c.Tool, i.Name); err != nil {
			return err
		}
		shade := display.Paint(s.Color)
		fmt.Fprintf(s.Out, "%s %s %s\n", shade.Good("approved:"), display.Name(c.Tool), display.Name(i.Name))
		if i.Status == policydoc.Archived {
			fmt.Fprintf(s.Out, "  %s it was archived, and gets its rule by the next compilation\n", shade.Dim("note:"))
		}
		for _, conflict := range i.Conflicts {
			fmt.Fprintf(s.Out, "  %s a later run has %s otherwise: remit policy resolve decides\n", shade.Dim("note:"), display.Name(conflict.Field))
		}
		return nil
	})
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
	active := func(i *policydoc.Policy) bool { return i.Status != policydoc.Archived }
	return c.each(c.All, active, func(d *policydoc.Directory, i *policydoc.Policy) error {
		if err := d.Archive(c.Tool, i.Name, c.Reason); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s %s %s\n", display.Paint(s.Color).Warn("archived:"), display.Name(c.Tool), display.Name(i.Name))
		return nil
	})
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
