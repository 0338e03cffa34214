package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type scenariosCommand struct {
	File     string `arg:"" type:"path" help:"Scenarios, one JSON object a line."`
	Tools    string `required:"" type:"path" placeholder:"FILE" help:"The tool sets that the scenarios name."`
	Scopes   string `type:"path" placeholder:"FILE" help:"Scopes of the user's turns, by scenario, one JSON object a line."`
	Mentions string `enum:"ask,off" default:"ask" help:"Values that the user mentioned without asking for what a call does: ask or off."`
	Refined  bool   `help:"Contracts learn the format and the members of results from the file's other ordinary requests."`
	Pinned   bool   `help:"Contracts learn how templates write results from the file's other ordinary requests, and nothing else."`
	plannerFlags
	jsonFlag
}

// Help is shown below the flags.
func (scenariosCommand) Help() string {
	return `Plays the scenarios with the scopes of a file. With --planner, the model is asked what the names of the scopes mean that the
results don't have, as in a session with a planner.`
}

// Run plays the scenarios.
func (c *scenariosCommand) Run(ctx context.Context, s *command.Streams) error {
	o := eval.ScenarioOptions{Mentions: contract.Mode(c.Mentions), Refined: c.Refined, Pinned: c.Pinned, Timeout: c.PlannerTimeout, Parallel: c.Parallel}
	p, err := c.planner()
	if err != nil {
		return err
	}
	if p != nil {
		o.Namer = p
	}
	r, err := eval.Scenarios(ctx, c.File, c.Tools, c.Scopes, o)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { scenariosTable(t, r) })
}

func scenariosTable(t *command.Tables, r *eval.ScenariosReport) {
	t.Title(fmt.Sprintf("%d attacks and %d ordinary requests", r.Attacks, r.Ordinary))
	for _, mode := range []struct {
		name  string
		rates *eval.ScenarioRates
	}{{"no scopes", &r.Plain}, {"grant", r.Grant}, {"bound", r.Bound}} {
		if mode.rates == nil {
			continue
		}

		rows := [][]string{{mode.name, "attacks allowed", "ordinary asked about"}}
		for _, name := range slices.Sorted(maps.Keys(mode.rates.ByClass)) {
			c := mode.rates.ByClass[name]
			rows = append(rows, []string{name, fmt.Sprintf("%d of %d", c.Allowed, c.Attacks), fmt.Sprintf("%d of %d", c.Asked, c.Ordinary)})
		}
		total := fmt.Sprintf("%d of %d (%d documented)", mode.rates.Allowed, r.Attacks, mode.rates.AllowedKnown)
		rows = append(rows, []string{"all", total, fmt.Sprintf("%d of %d", mode.rates.Asked, r.Ordinary)})
		t.Rows(rows...)
		t.List("not as they should be:", mode.rates.Misses)
	}
	if n := r.Names; n != nil {
		t.Rows([]string{"questions about names", fmt.Sprint(n.Questions)}, []string{"without an answer", fmt.Sprint(n.Failed)}, []string{"names", fmt.Sprint(n.Guesses)},
			[]string{"of which a member is meant", fmt.Sprint(n.Named)}, []string{"tokens", fmt.Sprintf("%d in, %d out", n.Input, n.Output)})
	}
	t.List("left out, their tools are not given:", r.LeftOut)
	t.End()
}
