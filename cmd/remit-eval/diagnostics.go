package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type diagnosticsCommand struct {
	Dir string `arg:"" optional:"" type:"path" help:"Directory with tools.json, contracts.yaml and files of scenarios; the shipped ones without it."`
	jsonFlag
}

// Run plays the scenarios.
func (c *diagnosticsCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.Diagnostics(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) {
		ratesTable(t, "scenarios", "group", r.Groups)
		ratesTable(t, "precision", "level", r.Precisions)
		ratesTable(t, "replanning", "steps", r.Replanning)
		ratesTable(t, "replanning without labels that persist", "steps", r.ReplanningForgetful)
		noiseTable(t, r.Noise)
		t.List("outcomes other than the files say:", r.Unexpected)
	})
}

func ratesTable(t *command.Tables, title, key string, rates map[string]eval.DiagnosticRates) {
	if len(rates) == 0 {
		return
	}
	names := make([]string, 0, len(rates))
	for name := range rates {
		names = append(names, name)
	}

	// Shorter first, so that numbers are in their order.
	sort.Slice(names, func(i, j int) bool {
		if len(names[i]) != len(names[j]) && key == "steps" {
			return len(names[i]) < len(names[j])
		}
		return names[i] < names[j]
	})
	t.Title(title)

	rows := [][]string{{key, "attacks stopped", "", "benign calls allowed", ""}}
	for _, name := range names {
		rows = append(rows, append(append([]string{name}, counted(rates[name].Security)...), counted(rates[name].Utility)...))
	}
	t.Rows(rows...)
	t.End()
}

func noiseTable(t *command.Tables, rates []eval.NoiseRates) {
	t.Title("wrong roles")
	rows := [][]string{{"roles", "sets", "security", "utility", "AgentDojo security", "AgentDojo utility"}}
	for _, n := range rates {
		row := []string{n.Roles, fmt.Sprint(n.Runs), percent(n.Diagnostics.Security), percent(n.Diagnostics.Utility), "-", "-"}
		if n.AgentDojo != nil {
			row[4], row[5] = percent(n.AgentDojo.ASR.Complement()), percent(n.AgentDojo.Utility)
		}
		rows = append(rows, row)
	}
	t.Rows(rows...)

	through := map[string]bool{}
	for _, n := range rates {
		for _, name := range n.Diagnostics.Through {
			scenario, _, _ := strings.Cut(name, " (noise-")
			through[n.Roles+": "+scenario] = true
		}
		if n.AgentDojo != nil {
			for _, name := range n.AgentDojo.Succeeded {
				through[n.Roles+": "+name] = true
			}
		}
	}

	lines := make([]string, 0, len(through))
	for l := range through {
		lines = append(lines, l)
	}
	sort.Strings(lines)
	t.List("attacks that got through:", lines)
	t.End()
}
