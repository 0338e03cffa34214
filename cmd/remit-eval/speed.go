package main

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type speedCommand struct {
	Checks int `default:"100000" help:"How many decisions to time."`
	jsonFlag
}

// Run times decisions.
func (c *speedCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Checks < 1 {
		return command.UsageError(fmt.Errorf("--checks %d: time at least one", c.Checks))
	}
	r, err := eval.Speed(ctx, c.Checks)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) {
		t.Title(fmt.Sprintf("%d decisions about five arguments, one after the other, in sessions of %d bytes", r.Checks, r.SessionBytes))
		t.Rows(
			[]string{"checks a second", fmt.Sprintf("%.0f", r.PerSecond)},
			[]string{"median", r.P50.String()},
			[]string{"P99", r.P99.String()},
			[]string{"longest", r.Max.String()},
		)
	})
}
