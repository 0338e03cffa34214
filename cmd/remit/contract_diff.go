package main

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/inputs"
)

type diffCommand struct {
	Old    string `arg:"" help:"The contract file before."`
	New    string `arg:"" help:"The contract file after."`
	FailOn string `enum:"never,laxer,security,any" default:"never" help:"Exit with 1 on changes that are laxer, that are enforced at all (security), or any."`
}

// Help is shown below the flags.
func (diffCommand) Help() string {
	return `Prints each difference with its place, and marks those by which a contract became laxer.

Example:
  remit contract diff contracts/mail.yaml new/mail.yaml --fail-on laxer`
}

// Run compares two contract files.
func (c *diffCommand) Run(s *command.Streams) error {
	before, err := inputs.Contract(c.Old)
	if err != nil {
		return err
	}
	after, err := inputs.Contract(c.New)
	if err != nil {
		return err
	}
	p := newPrinter(s)
	changes := contract.Diff(before, after)

	laxer, enforced := 0, 0
	for _, change := range changes {
		mark := strings.Repeat(" ", len("enforced"))
		switch {
		case change.Laxer:
			laxer++
			mark = p.Bad("laxer   ")
		case change.Security:
			mark = p.Good("enforced")
		}
		if change.Security {
			enforced++
		}
		p.line(0, mark+"  "+display.Line(change.String()))
	}

	p.line(0, fmt.Sprintf("%s: %d enforced, %d laxer", display.Count(len(changes), "change", "changes"), enforced, laxer))
	found := map[string]int{"laxer": laxer, "security": enforced, "any": len(changes)}
	if found[c.FailOn] > 0 {
		return command.Status(exitLaxer)
	}
	return nil
}
