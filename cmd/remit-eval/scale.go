package main

import (
	"context"
	"fmt"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type scaleCommand struct {
	Stores []string      `name:"store" sep:"none" placeholder:"NAME" help:"Measure this store as well: postgres://… or nats://…. What is written stays in it. Repeatable."`
	Dir    string        `type:"existingdir" placeholder:"DIR" help:"Where the SQLite store lies meanwhile: on the disk to measure. The folder for temporary files by default."`
	Rounds int           `default:"9" help:"How often every point is measured (9)."`
	Time   time.Duration `default:"500ms" help:"How long each time (500ms)."`
	jsonFlag
}

// Help is shown below the flags.
func (scaleCommand) Help() string {
	return `Measures what the parts of a durable decision cost, fits a simulation to one and to 64 sessions
at the same time, holds it against what 4 and 16 do in the same run, and says what it predicts
for companies of agents.

Example:
  remit-eval scale --dir /var/lib/remit --store postgres://remit@db/test`
}

// Run measures and predicts.
func (c *scaleCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Rounds < 1 || c.Time <= 0 {
		return command.UsageError(fmt.Errorf("--rounds %d, --time %s: measure one round at least, of some time", c.Rounds, c.Time))
	}
	r, err := eval.Scale(ctx, eval.ScaleOptions{Stores: c.Stores, Dir: c.Dir, Rounds: c.Rounds, Time: c.Time})
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { scaleTables(t, r) })
}

func scaleTables(t *command.Tables, r *eval.ScaleReport) {
	t.Title(fmt.Sprintf("what a step costs, on %d cores: a call decided and its result labelled, without a store %s", r.Cores, r.Decide.Round(time.Microsecond)))
	rows := [][]string{{"store", "in the store", "a commit waits", "bytes an event", "cores given", fmt.Sprintf("steps/s with P99 under %s", eval.ScaleBound)}}
	for _, s := range r.Stores {
		bytes := "-"
		if s.Bytes > 0 {
			bytes = fmt.Sprint(s.Bytes)
		}
		rows = append(rows, []string{s.Name, s.Model.Each.Round(time.Microsecond).String(), s.Model.Sync.Round(time.Microsecond).String(), bytes, fmt.Sprintf("%.2f", s.Given), fmt.Sprintf("%.0f", s.Capacity)})
	}
	t.Rows(rows...)
	t.End()

	t.Title("the simulation beside the measurement, steps a second")
	rows = [][]string{{"store", "sessions", "measured", "simulated", "error", "of the rounds"}}
	for _, s := range r.Stores {
		for _, p := range s.Points {
			off, rounds := fmt.Sprintf("%+.0f %%", 100*p.Error), fmt.Sprintf("%+.0f to %+.0f %%", 100*p.Low, 100*p.High)
			if p.Fitted {
				off, rounds = "fitted", ""
			}
			rows = append(rows, []string{s.Name, fmt.Sprint(p.Sessions), fmt.Sprintf("%.0f", p.Measured), fmt.Sprintf("%.0f", p.Predicted), off, rounds})
		}
	}
	t.Rows(rows...)
	t.End()

	t.Title("what agents ask for at the busiest hour, and machines like this one at half of what they can")
	rows = [][]string{{"", "at work", "sessions/s", "decisions/s", "events/s", "GB a day", "cores to decide"}}
	for _, s := range r.Stores {
		rows[0] = append(rows[0], "machines, "+s.Name)
	}
	for _, l := range r.Loads {
		row := []string{l.What, fmt.Sprintf("%.0f", l.Agents), fmt.Sprintf("%.2f", l.Sessions), fmt.Sprintf("%.1f", l.Decisions), fmt.Sprintf("%.1f", l.Events), fmt.Sprintf("%.2f", l.BytesDay/1e9), fmt.Sprintf("%.2f", l.Cores)}
		for _, m := range l.Machines {
			row = append(row, fmt.Sprintf("%.0f", m))
		}
		rows = append(rows, row)
	}
	t.Rows(rows...)
}
