package main

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type injecagentCommand struct {
	Dir string `arg:"" type:"path" help:"Directory with user_cases, attacker_cases and tools."`
	jsonFlag
}

// Run measures InjecAgent's cases.
func (c *injecagentCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.InjecAgent(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { injecTable(t, r) })
}

func injecTable(t *command.Tables, r *eval.InjecReport) {
	t.Title("InjecAgent")
	t.Rows(
		rated("attacks stopped, base", r.Base.AttackStopped),
		rated("attacks stopped, enhanced", r.Enhanced.AttackStopped),
		rated("users' calls allowed", r.UserAllowed),
		rated("twin calls allowed", r.TwinAllowed),
		[]string{"twin calls with a credential to ask about", fmt.Sprint(r.TwinAsked)},
	)
	t.List("not stopped:", r.NotStopped)
	t.List("users' calls not allowed:", r.NotAllowed)
	t.List("twin calls not allowed:", r.TwinNotPassed)
	t.End()
}
