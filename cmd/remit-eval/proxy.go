package main

import (
	"context"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type proxyCommand struct {
	Lengths  []int `default:"10240,1048576,10485760" placeholder:"N,…" help:"How long the conversations are, in bytes (10240,1048576,10485760)."`
	Requests int   `default:"1000" help:"How many requests to time each way for the shortest length (1000)."`
	Sessions int   `default:"10000" help:"How many conversations to hold at the same time; 0 for none (10000)."`
	jsonFlag
}

// Help is shown below the flags.
func (proxyCommand) Help() string {
	return `Compares requests to a model through the proxy with direct ones, in turns of one run. The model answers at once,
so that the ratios are upper bounds.

Example:
  remit-eval proxy --lengths 10240 --sessions 0`
}

// Run times requests through the proxy.
func (c *proxyCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Requests < eval.ProxyLeast {
		return command.UsageError(fmt.Errorf("--requests %d: time at least %d", c.Requests, eval.ProxyLeast))
	}
	r, err := eval.Proxy(ctx, eval.ProxyOptions{Lengths: c.Lengths, Requests: c.Requests, Sessions: c.Sessions})
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { proxyTables(t, r) })
}

func proxyTables(t *command.Tables, r *eval.ProxyReport) {
	t.Title("requests to a model that answers at once, direct and through the proxy")
	rows := [][]string{{"bytes", "what", "requests", "direct P50", "P99", "proxy P50", "P99", "ratio P50", "P99", "added P50"}}
	for _, l := range r.Lengths {
		for _, k := range []struct {
			name  string
			times eval.ProxyTimes
		}{{"first", l.First}, {"following", l.Following}, {"first token", l.FirstToken}} {
			rows = append(rows, []string{fmt.Sprint(l.Bytes), k.name, fmt.Sprint(k.times.Requests), millis(k.times.Direct.P50), millis(k.times.Direct.P99),
				millis(k.times.Proxy.P50), millis(k.times.Proxy.P99), fmt.Sprintf("%.2f", k.times.RatioP50), fmt.Sprintf("%.2f", k.times.RatioP99), millis(k.times.AddedP50)})
		}
	}
	t.Rows(rows...)
	t.End()

	if m := r.Many; m != nil {
		t.Title(fmt.Sprintf("%d conversations of %d bytes at the same time", m.Sessions, m.Bytes))
		t.Rows(
			[]string{"memory of one", fmt.Sprintf("%d KiB", m.Memory>>10)},
			[]string{"decision, median and P99", millis(m.Decision.P50) + "  " + millis(m.Decision.P99)},
			[]string{"request, median and P99", millis(m.Request.P50) + "  " + millis(m.Request.P99)},
		)
	}
}
