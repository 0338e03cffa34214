package main

import (
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

// jsonFlag is the flag of every command that prints figures.
type jsonFlag struct {
	JSON bool `name:"json" help:"Print one JSON object. A rate is a number from 0 to 1, with NAME_ci, its 95 % interval, and NAME_n and NAME_of, its cases, beside it."`
}

// print writes the figures as JSON if wanted, else by text.
func (f jsonFlag) print(s *command.Streams, figures any, text func(*command.Tables)) error {
	if f.JSON {
		return command.WriteJSON(s.Out, figures)
	}
	t := command.NewTables(s)
	text(t)
	return t.Err
}

// percent writes a rate with its interval.
func percent(r eval.Rate) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %% (%.1f-%.1f)", 100*r.Value, 100*r.Low, 100*r.High)
}

// counted writes a rate with its cases.
func counted(r eval.Rate) []string {
	return []string{percent(r), fmt.Sprintf("%d of %d", r.N, r.Of)}
}

// rated returns a named rate with its cases.
func rated(name string, r eval.Rate) []string { return append([]string{name}, counted(r)...) }
