package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/eval"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/internal/strictjson"
)

type planCommand struct {
	Requests string `required:"" type:"path" placeholder:"FILE" help:"Scenarios, one JSON object a line (*.jsonl); or a list of tasks with id and prompt (*.json)."`
	Tools    string `required:"" type:"path" placeholder:"FILE" help:"The tool sets that the scenarios name; or the tools of all tasks."`
	Out      string `required:"" type:"path" placeholder:"FILE" help:"Where the scopes are written, in the form that --scopes reads."`

	plannerFlags
	Refined    bool   `help:"Contracts learn the members of results from the file's other ordinary requests, and show them."`
	Unreviewed bool   `help:"Show the planner only names and types, as for unreviewed definitions."`
	Now        string `placeholder:"TIME" help:"When the tasks are asked for, as 2026-01-07T12:00:00Z. Scenarios have a time of their own, in now."`
	jsonFlag
}

// plannerFlags say which model is the planner.
type plannerFlags struct {
	Planner        string        `placeholder:"MODEL" help:"The model, as anthropic:NAME or openai:NAME; the key is in ANTHROPIC_API_KEY or OPENAI_API_KEY."`
	PlannerURL     string        `name:"planner-url" placeholder:"URL" help:"Where its API begins, if it isn't the provider's own."`
	PlannerTimeout time.Duration `name:"planner-timeout" default:"10m" placeholder:"TIME" help:"How long one turn waits (10m)."`
	Record         string        `type:"path" placeholder:"DIR" help:"Record what the planner says, and use again what was recorded."`
	Replay         string        `type:"path" placeholder:"DIR" help:"Answer from recordings alone, and ask no model."`
	Parallel       int           `default:"4" placeholder:"N" help:"How many turns are asked about at once (4)."`
}

// planner makes the planner; nil without a model.
func (f *plannerFlags) planner() (*planner.Planner, error) {
	if f.Planner == "" {
		return nil, nil
	}
	e, err := llm.Named(f.Planner)
	if err != nil {
		return nil, command.UsageError(err)
	}
	e.BaseURL = f.PlannerURL

	o := planner.Options{Endpoint: e.FromEnvironment(os.LookupEnv), Timeout: f.PlannerTimeout, Parallel: f.Parallel}
	switch {
	case f.Record != "" && f.Replay != "":
		return nil, command.UsageError(errors.New("--record and --replay exclude each other"))
	case f.Replay != "":
		o.Recordings = llm.Replay(f.Replay)
	case f.Record != "":
		o.Recordings = llm.Record(f.Record)
	}
	return planner.New(o)
}

// Help is shown below the flags.
func (planCommand) Help() string {
	return `Makes the scopes of a set of requests by a planner, for the commands that take --scopes.

Example:
  remit-eval plan --requests scenarios.jsonl --tools tools.json --planner openai:qwen3 --record plans --out scopes.jsonl
  remit-eval scenarios scenarios.jsonl --tools tools.json --scopes scopes.jsonl`
}

// Run plans for every turn of the set.
func (c *planCommand) Run(ctx context.Context, s *command.Streams) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	report, err := c.plan(ctx, o)
	if err != nil {
		return err
	}
	return c.print(s, report, func(t *command.Tables) {
		t.Title(fmt.Sprintf("%d turns", report.Turns))
		t.Rows([]string{"without a scope", fmt.Sprint(len(report.Failed))}, []string{"tokens of input", fmt.Sprint(report.Input)}, []string{"tokens of output", fmt.Sprint(report.Output)})
		t.List("without a scope:", report.Failed)
		t.List("entries left out:", report.LeftOut)
		t.End()
	})
}

func (c *planCommand) options() (eval.PlanOptions, error) {
	o := eval.PlanOptions{Reviewed: !c.Unreviewed, Refined: c.Refined, Timeout: c.PlannerTimeout, Parallel: c.Parallel}
	if c.Now != "" {
		var err error
		if o.Now, err = time.Parse(time.RFC3339, c.Now); err != nil {
			return o, command.UsageError(fmt.Errorf("--now: %q is not a time: write it as 2026-01-07T12:00:00Z", c.Now))
		}
	}
	var err error
	if o.Planner, err = c.planner(); err == nil && o.Planner == nil {
		err = command.UsageError(errors.New("no planner is named: name its model with --planner MODEL"))
	}
	return o, err
}

// plan makes the scopes, and writes them.
func (c *planCommand) plan(ctx context.Context, o eval.PlanOptions) (*eval.PlanReport, error) {
	if strings.HasSuffix(c.Requests, ".json") {
		if o.Now.IsZero() {
			return nil, command.UsageError(hint.Wrap(errors.New("tasks have no time"), "say with --now TIME when they are asked for"))
		}
		scopes, report, err := eval.PlanTasks(ctx, c.Requests, c.Tools, o)
		if err != nil {
			return nil, err
		}
		return report, command.WriteFile(c.Out, func(w io.Writer) error { return command.WriteJSON(w, scopes) })
	}

	planned, report, err := eval.PlanScenarios(ctx, c.Requests, c.Tools, o)
	if err != nil {
		return nil, err
	}
	return report, command.WriteFile(c.Out, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, p := range planned {
			line, err := strictjson.Encode(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n", line)
		}
		return out.Flush()
	})
}
