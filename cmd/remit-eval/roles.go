package main

import (
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type rolesCommand struct {
	Dir    string `arg:"" type:"path" help:"Directory with labels*.jsonl and SERVER.json."`
	Misses bool   `help:"List every disagreement."`
	jsonFlag
}

// Run measures contract synthesis.
func (c *rolesCommand) Run(s *command.Streams) error {
	r, err := eval.Roles(c.Dir)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) {
		rolesTable(t, r)
		if c.Misses {
			lines := make([]string, len(r.Misses))
			for i, m := range r.Misses {
				lines[i] = m.String()
			}
			t.List("disagreements (! is wrong in every reading):", lines)
		}
	})
}

func rolesTable(t *command.Tables, r *eval.RolesReport) {
	t.Title(fmt.Sprintf("roles of %d arguments and %d tools", r.Arguments, r.Tools))
	t.Rows(
		rated("roles, strict", r.Strict),
		rated("roles, lenient", r.Lenient),
		rated("authority missed", r.AuthorityMissed),
		rated("floors, unsafe", r.FloorsUnsafe),
		rated("floors, over-blocking", r.FloorsOverblocking),
		rated("marked for review", r.Reviewed),
		rated("effects, strict", r.EffectStrict),
		rated("effects, lenient", r.EffectLenient),
		rated("outputs, strict", r.OutputStrict),
		rated("outputs, lenient", r.OutputLenient),
	)
	t.End()
}
