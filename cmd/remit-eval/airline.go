package main

import (
	"context"
	"maps"
	"slices"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type airlineCommand struct {
	Dir string `arg:"" type:"path" help:"Directory with cases*.json and the records: flights.json, reservations.json, users.json."`
	jsonFlag
}

// Run decides the cases of τ-bench's airline by the guards of the example.
func (c *airlineCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.Airline(ctx, c.Dir)
	if err != nil {
		return err
	}

	return c.print(s, r, func(t *command.Tables) {
		t.Title("guards of the airline")
		t.Rows(
			rated("allowed, and rightly so", r.AllowRight),
			rated("denied, and rightly so", r.DenyRight),
			rated("literal cases, allowed", r.Literal.AllowRight),
			rated("literal cases, denied", r.Literal.DenyRight),
			rated("interpretive cases, allowed", r.Interpretive.AllowRight),
			rated("interpretive cases, denied", r.Interpretive.DenyRight),
		)
		t.End()
		t.Title("by the rule that a case is about")
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(r.ByRule)) {
			rows = append(rows, rated(name, r.ByRule[name]))
		}
		t.Rows(rows...)
		lines := make([]string, len(r.Wrong))
		for i, m := range r.Wrong {
			lines[i] = m.Summary()
		}
		t.List("decided otherwise:", lines)
		t.End()
	})
}
