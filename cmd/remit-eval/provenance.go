package main

import (
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type provenanceCommand struct {
	Dir    string `arg:"" type:"path" help:"Directory with cases*.jsonl."`
	Misses bool   `help:"List every disagreement."`
	jsonFlag
}

// Run measures the resolver.
func (c *provenanceCommand) Run(s *command.Streams) error {
	r, err := eval.Provenance(c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) {
		provenanceTable(t, r)
		if c.Misses {
			var lines []string
			for _, m := range r.Misses {
				lines = append(lines, fmt.Sprintf("%s %s %s: %s (%s), want %s (%s); origins %v of %v", m.Kind, m.Case, m.Path, m.Got, m.How, m.Want, m.Transform, m.Origins, m.True))
			}
			t.List("disagreements:", lines)
		}
	})
}

func provenanceTable(t *command.Tables, r *eval.ProvenanceReport) {
	t.Title(fmt.Sprintf("provenance of %d leaves in %d cases", r.Leaves, r.Cases))
	t.Rows(
		rated("laundered", r.Laundered),
		rated("over-tainted", r.OverTainted),
		rated("origins named", r.OriginsRecall),
		[]string{"ambiguous, apart", fmt.Sprint(r.Ambiguous)},
	)
	t.End()
}
