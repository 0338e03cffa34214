package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type gatewayCommand struct {
	Sessions []int  `default:"1,16,128" placeholder:"N,…" help:"How many sessions call at the same time, one run each (1,16,128)."`
	Calls    int    `default:"2000" help:"How many calls to time each way in a run, at least (2000)."`
	Dir      string `type:"existingdir" placeholder:"DIR" help:"Where the SQLite stores lie meanwhile: on the disk to measure. The folder for temporary files by default."`
	Postgres string `placeholder:"URL" help:"Measure this database as well, postgres://…. What is written stays in it."`
	Serve    bool   `hidden:"" help:"Be the server that is called over stdio."`
	jsonFlag
}

// Help is shown below the flags.
func (gatewayCommand) Help() string {
	return `Compares calls through the gateway with direct ones, in turns of one run: over HTTP,
and for one session over stdio as well, with sessions in memory, in SQLite and in PostgreSQL.

Example:
  remit-eval gateway --sessions 1,16 --dir /var/lib/remit`
}

// Run times calls through the gateway.
func (c *gatewayCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Serve {
		return eval.GatewayServer(ctx)
	}
	if c.Calls < 1 {
		return command.UsageError(fmt.Errorf("--calls %d: time at least one", c.Calls))
	}
	for _, n := range c.Sessions {
		if n < 1 || n > eval.MaxGatewaySessions {
			return command.UsageError(fmt.Errorf("--sessions %d: measure 1 to %d", n, eval.MaxGatewaySessions))
		}
	}

	if c.Postgres != "" && !strings.HasPrefix(c.Postgres, "postgres://") && !strings.HasPrefix(c.Postgres, "postgresql://") {
		return command.UsageError(fmt.Errorf("--postgres %q: write an address that begins with postgres://", c.Postgres))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r, err := eval.Gateway(ctx, eval.GatewayOptions{Server: []string{self, "gateway", "--serve"}, Dir: c.Dir, Postgres: c.Postgres, Sessions: c.Sessions, Calls: c.Calls})
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { gatewayTables(t, r) })
}

func gatewayTables(t *command.Tables, r *eval.GatewayReport) {
	t.Title(fmt.Sprintf("tools/call with a result of %d bytes, direct and through the gateway", r.ResultBytes))
	rows := [][]string{{"store", "transport", "sessions", "direct P50", "P99", "gateway P50", "P99", "ratio P50", "P99", "added P50", "calls/s"}}
	for _, run := range r.Runs {
		rows = append(rows, []string{run.Store, run.Transport, fmt.Sprint(run.Sessions), millis(run.Direct.P50), millis(run.Direct.P99),
			millis(run.Gateway.P50), millis(run.Gateway.P99), fmt.Sprintf("%.2f", run.RatioP50), fmt.Sprintf("%.2f", run.RatioP99),
			millis(run.AddedP50), fmt.Sprintf("%.0f of %.0f", run.Gateway.PerSecond, run.Direct.PerSecond)})
	}
	t.Rows(rows...)
	t.End()

	t.Title("where the time of a call through the gateway goes, at the median")
	rows = [][]string{{"stage"}}
	var names []string
	for i, run := range r.Runs {
		rows[0] = append(rows[0], fmt.Sprintf("%s %s %d", run.Store, run.Transport, run.Sessions))
		for _, stage := range run.Stages {
			at := -1
			for j, name := range names {
				if name == stage.Name {
					at = j + 1
				}
			}
			if at < 0 {
				names = append(names, stage.Name)
				rows = append(rows, []string{stage.Name})
				at = len(names)
			}
			for len(rows[at]) <= i {
				rows[at] = append(rows[at], "-")
			}
			rows[at] = append(rows[at], millis(stage.Time))
		}
	}
	t.Rows(rows...)
	t.End()

	t.Title(fmt.Sprintf("a bare write with a sync takes %s at the median", millis(r.Sync)))
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
