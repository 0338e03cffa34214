package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/enforcement"
)

// policyPoint is the JSON form of what an enforcement point makes of the rules.
type policyPoint struct {
	Point   string                `json:"point"`
	Decided int                   `json:"decided"`
	Lookups int                   `json:"lookups"`
	Others  []enforcement.Finding `json:"others,omitempty"`
}

// examine reports what every enforcement point makes of the rules of guard files.
func examine(ctx context.Context, files []*guard.File, d guard.Deployment) []enforcement.Report {
	var out []enforcement.Report
	for _, p := range enforcement.Points() {
		out = append(out, p.Examine(ctx, files, d))
	}
	return out
}

func pointsOf(reports []enforcement.Report) []policyPoint {
	var out []policyPoint
	for _, r := range reports {
		out = append(out, policyPoint{r.Point.Name, r.Decided, r.Lookups, r.Others})
	}
	return out
}

// printPoints prints a line for each enforcement point, and below it the rules that it
// can't decide as they are written, by what becomes of the calls.
func printPoints(s *command.Streams, reports []enforcement.Report) {
	shade := display.Paint(s.Color)
	for _, r := range reports {
		if r.Rules == 0 {
			continue
		}
		fmt.Fprintf(s.Out, "%s: decides %d of %s", r.Point.Name, r.Decided, display.Count(r.Rules, "rule", "rules"))
		if r.Lookups > 0 {
			fmt.Fprintf(s.Out, "; %d look things up, with %s", r.Lookups, r.Point.Lookups)
		}
		fmt.Fprintln(s.Out)

		for _, o := range []enforcement.Outcome{enforcement.Pass, enforcement.Deny, enforcement.Ask} {
			var names []string
			why := ""
			for _, f := range r.Others {
				if f.Outcome == o {
					names, why = append(names, display.Name(f.Tool)+"/"+display.Name(f.Policy)), f.Why
				}
			}
			if len(names) == 0 {
				continue
			}
			if len(names) > 1 {
				why = "--json says of each why"
			}
			sign := shade.Dim(string(o) + ":")
			if o == enforcement.Pass {
				sign = shade.Bad(string(o) + ":")
			}
			fmt.Fprintf(s.Out, "  %s %s (%s)\n", sign, strings.Join(names, ", "), display.Line(why))
		}
	}
}
