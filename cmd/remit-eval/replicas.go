package main

import (
	"context"
	"fmt"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type replicasCommand struct {
	Remit  string        `type:"existingfile" placeholder:"FILE" required:"" help:"The program remit, of which replicas are started."`
	Store  string        `placeholder:"NAME" required:"" help:"The store that they share: postgres://… or nats://…. What is written stays in it."`
	Most   int           `default:"3" help:"The largest number of replicas (3)."`
	Agents int           `default:"16" help:"How many agents ask at the same time (16)."`
	Rounds int           `default:"5" help:"How often every number of replicas is measured (5)."`
	Time   time.Duration `default:"3s" help:"How long each time (3s)."`
	jsonFlag
}

// Help is shown below the flags.
func (replicasCommand) Help() string {
	return `Starts one, two and more servers of the decision API behind a balancer, has agents ask them, and says
how many decisions they make a second. Then it holds every answer against the store.

Example:
  remit-eval replicas --remit bin/remit --store 'postgres://remit@/remit?host=db1,db2'`
}

// Run measures.
func (c *replicasCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Most < 1 || c.Agents < 1 || c.Rounds < 1 || c.Time <= 0 {
		return command.UsageError(fmt.Errorf("--most %d, --agents %d, --rounds %d, --time %s: measure one of each at least, of some time", c.Most, c.Agents, c.Rounds, c.Time))
	}
	r, err := eval.Replicas(ctx, eval.ReplicasOptions{Program: c.Remit, Store: c.Store, Most: c.Most, Agents: c.Agents, Rounds: c.Rounds, Time: c.Time, Log: s.Err})
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { replicasTables(t, r) })
}

func replicasTables(t *command.Tables, r *eval.ReplicasReport) {
	t.Title(fmt.Sprintf("replicas of the decision API, %d agents, on %d cores", r.Agents, r.Cores))
	rows := [][]string{{"replicas", "decisions/s", "of the rounds", "P50", "P99"}}
	for _, p := range r.Points {
		rows = append(rows, []string{fmt.Sprint(p.Replicas), fmt.Sprintf("%.0f", p.PerSecond), fmt.Sprintf("%.0f to %.0f", p.Low, p.High),
			p.P50.Round(100 * time.Microsecond).String(), p.P99.Round(100 * time.Microsecond).String()})
	}
	t.Rows(rows...)
	t.End()

	f := r.Faults
	t.Title(fmt.Sprintf("%d calls were answered: %d lost, %d answered otherwise than logged, %d results lost, %d decided twice", r.Calls, f.Lost, f.Changed, f.Unrecorded, f.Twice))
}
