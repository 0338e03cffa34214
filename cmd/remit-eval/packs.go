package main

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type packsCommand struct {
	Dir string `arg:"" type:"path" help:"A directory for each server, with sessions.yaml and tools.json, as eval/packs has them."`
	jsonFlag
}

// Run plays the sessions.
func (c *packsCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.Packs(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { packsTable(t, r) })
}

func packsTable(t *command.Tables, r *eval.PacksReport) {
	t.Title(fmt.Sprintf("%d tasks and %d attacks with %d servers: synthesized contracts, and packs", r.All.Tasks, r.All.Attacks, len(r.Servers)))
	rows := [][]string{{"server", "tasks", "calls", "questions", "with the pack", "denied", "with the pack", "clean tasks", "with the pack", "attacks through", "with the pack"}}
	add := func(s eval.PackRates) {
		a, b := s.Synthesis, s.Pack
		number := func(n int) string { return fmt.Sprint(n) }
		attacks := func(n int) string { return fmt.Sprintf("%d of %d", n, s.Attacks) }
		rows = append(rows, []string{s.Server, number(s.Tasks), number(s.Calls), number(a.Questions), number(b.Questions),
			number(a.Denied), number(b.Denied), number(a.Clean), number(b.Clean), attacks(a.Through), attacks(b.Through)})
	}
	for _, s := range r.Servers {
		add(s)
	}
	add(r.All)
	t.Rows(rows...)

	perTask := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/float64(r.All.Tasks)) }
	t.Rows([]string{"questions a task", "synthesis " + perTask(r.All.Synthesis.Questions), "packs " + perTask(r.All.Pack.Questions)})
	for _, s := range r.Servers {
		t.List(s.Server+", with the pack:", s.Pack.Misses)
	}
	t.End()
}
