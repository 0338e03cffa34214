package main

import (
	"context"
	"maps"
	"slices"

	"github.com/remit-project/remit/internal/eval"
)

type evalAirlineCommand struct {
	Dir string `arg:"" type:"path" help:"Directory with cases*.json and the records: flights.json, reservations.json, users.json."`
	jsonFlag
}

// Run decides the cases of τ-bench's airline by the guards of the example.
func (c *evalAirlineCommand) Run(ctx context.Context, s *streams) error {
	r, err := eval.Airline(ctx, c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *tables) {
		t.title("guards of the airline")
		t.rows(
			rated("allowed, and rightly so", r.AllowRight),
			rated("denied, and rightly so", r.DenyRight),
			rated("literal cases, allowed", r.Literal.AllowRight),
			rated("literal cases, denied", r.Literal.DenyRight),
			rated("interpretive cases, allowed", r.Interpretive.AllowRight),
			rated("interpretive cases, denied", r.Interpretive.DenyRight),
		)
		t.end()
		t.title("by the rule that a case is about")
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(r.ByRule)) {
			rows = append(rows, rated(name, r.ByRule[name]))
		}
		t.rows(rows...)
		lines := make([]string, len(r.Wrong))
		for i, m := range r.Wrong {
			lines[i] = m.Summary()
		}
		t.list("decided otherwise:", lines)
		t.end()
	})
}
