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
	jsonFlag
}

// Run plays the scenarios.
func (c *scenariosCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.Scenarios(ctx, c.File, c.Tools, c.Scopes, eval.ScenarioOptions{Mentions: contract.Mode(c.Mentions), Refined: c.Refined, Pinned: c.Pinned})
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
	t.List("left out, their tools are not given:", r.LeftOut)
	t.End()
}
