package main

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
)

type diffCommand struct {
	Old    string `arg:"" help:"The contract file before."`
	New    string `arg:"" help:"The contract file after."`
	FailOn string `enum:"never,laxer,security,any" default:"never" help:"Exit with 1 on changes that are laxer, that are enforced at all (security), or any."`
}

// Run compares two contract files.
func (c *diffCommand) Run(s *streams) error {
	before, err := readContract(c.Old)
	if err != nil {
		return err
	}
	after, err := readContract(c.New)
	if err != nil {
		return err
	}
	p := s.printer()
	changes := contract.Diff(before, after)
	laxer, enforced := 0, 0
	for _, change := range changes {
		mark := strings.Repeat(" ", len("enforced"))
		switch {
		case change.Laxer:
			laxer++
			mark = p.bad("laxer   ")
		case change.Security:
			mark = p.good("enforced")
		}
		if change.Security {
			enforced++
		}
		p.line(0, mark+"  "+visible(change.String()))
	}
	p.line(0, fmt.Sprintf("%s: %d enforced, %d laxer", plural(len(changes), "change", "changes"), enforced, laxer))
	if c.FailOn == "laxer" && laxer > 0 || c.FailOn == "security" && enforced > 0 || c.FailOn == "any" && len(changes) > 0 {
		return status(exitLaxer)
	}
	return nil
}
