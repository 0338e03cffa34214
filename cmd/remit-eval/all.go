package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
)

type allCommand struct {
	Dir       string `arg:"" type:"path" help:"Directory that holds any of agentdojo, injecagent, mcp-tools and provenance."`
	Contracts string `type:"path" placeholder:"DIR" help:"Reviewed contracts of AgentDojo's suites, as SUITE.yaml."`
	Out       string `type:"path" placeholder:"FILE" help:"Write all figures as JSON."`
	Plot      string `type:"path" placeholder:"FILE" help:"Draw security against utility, as .svg or .html."`
	jsonFlag
}

// Help is shown below the flags.
func (allCommand) Help() string {
	return `Replays every recording under no defense, monitors with one label a call,
uniform floors, Remit at its four precisions, and Remit with one part taken away.

Example:
  remit-eval data --plot plot.svg --out figures.json`
}

// Run compares all defenses.
func (c *allCommand) Run(ctx context.Context, s *command.Streams) error {
	draw, err := plotter(c.Plot)
	if err != nil {
		return err
	}
	o := eval.Options{Contracts: c.Contracts}
	if s.ErrTerminal {
		o.Progress = func(done, total int) { fmt.Fprintf(s.Err, "\r%d of %d measured ", done, total) }
		defer fmt.Fprint(s.Err, "\r\x1b[K")
	}

	r, err := eval.Compare(ctx, c.Dir, o)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := command.WriteFile(c.Out, func(w io.Writer) error { return command.WriteJSON(w, r) }); err != nil {
			return err
		}
	}
	if c.Plot != "" {
		if err := command.WriteFile(c.Plot, func(w io.Writer) error { return draw(r, w) }); err != nil {
			return err
		}
	}
	return c.print(s, r, func(t *command.Tables) { comparison(t, r) })
}

// plotter returns how to draw a file, by its name.
func plotter(name string) (func(*eval.Comparison, io.Writer) error, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case name == "", ext == ".svg":
		return (*eval.Comparison).PlotSVG, nil
	case ext == ".html":
		return (*eval.Comparison).PlotHTML, nil
	}
	return nil, command.UsageError(fmt.Errorf("--plot %s: name the file .svg or .html", name))
}

func comparison(t *command.Tables, r *eval.Comparison) {
	for _, set := range r.DataSets {
		t.Title(set)
		rows := [][]string{{"defense", "security", "utility", "false positives"}}
		for _, d := range r.Defenses {
			x := d.Rates[set]
			rows = append(rows, []string{d.Name, percent(x.Security), percent(x.Utility), percent(x.FalsePositives)})
		}
		t.Rows(rows...)
		t.End()
	}

	noiseTable(t, r.RoleNoise)
	if r.AgentDojo != nil {
		dojoTable(t, r.AgentDojo)
	}
	if r.InjecAgent != nil {
		injecTable(t, r.InjecAgent)
	}
	if r.Roles != nil {
		rolesTable(t, r.Roles)
	}
	if r.Provenance != nil {
		provenanceTable(t, r.Provenance)
	}

	t.Title("what the defenses are")
	var rows [][]string
	for _, d := range r.Defenses {
		rows = append(rows, []string{d.Name, d.About, d.Follows})
	}
	t.Rows(rows...)
}
