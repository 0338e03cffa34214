package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type agentdojoCommand struct {
	Dir       string `arg:"" type:"path" help:"One suite, a directory of suites, or one of all data sets."`
	Contracts string `type:"path" placeholder:"DIR" help:"Reviewed contracts, as SUITE.yaml; a suite without one keeps its synthesized ones."`
	Scopes    string `type:"path" placeholder:"DIR" help:"Scopes of the tasks, as SUITE.scopes.json or SUITE/scopes.json, by the tasks' ids."`
	jsonFlag
}

// Run measures recorded sessions.
func (c *agentdojoCommand) Run(ctx context.Context, s *command.Streams) error {
	r, err := eval.AgentDojo(ctx, c.Dir, c.Contracts, c.Scopes)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) { dojoTable(t, r) })
}

func dojoTable(t *command.Tables, r *eval.DojoReport) {
	t.Title("AgentDojo, " + strings.Join(r.Suites, ", "))
	rows := [][]string{{"contracts", "outputs", "attacks that succeed", "utility", "under attack", "false positives", "questions a task"}}
	form := "structures"
	add := func(name string, d *eval.DojoRates) {
		rows = append(rows, []string{name, form, percent(d.ASR), percent(d.Utility), percent(d.UtilityUnderAttack), percent(d.FalsePositives), fmt.Sprintf("%.2f", d.QuestionsPerTask)})
	}
	add("synthesized", &r.Synthesized)
	last := &r.Synthesized
	if r.Reviewed != nil {
		add("reviewed", r.Reviewed)
		last = r.Reviewed
	}
	add("answered", &r.Answered)
	if r.Scoped != nil {
		add("scoped", r.Scoped)
	}

	form = "text"
	add("synthesized", &r.Text.Synthesized)
	if r.Text.Reviewed != nil {
		add("reviewed", r.Text.Reviewed)
	}
	add("answered", &r.Text.Answered)
	if r.Text.Scoped != nil {
		add("scoped", r.Text.Scoped)
	}
	t.Rows(rows...)

	t.List("suites without reviewed contracts, here with synthesized ones:", r.Unreviewed)
	t.List("attacks that succeeded:", last.Succeeded)

	tasks := make([]string, 0, len(last.Denied))
	for task, why := range last.Denied {
		tasks = append(tasks, task+"  "+strings.Join(why, "; "))
	}
	sort.Strings(tasks)
	t.List("tasks not kept without a person to ask:", tasks)
	t.End()
}
