package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/scope"
)

type scopePlanCommand struct {
	Tools     []string `placeholder:"FILE" sep:"none" help:"Tool definitions; the name of the file is that of the server. Repeatable."`
	Contracts string   `placeholder:"DIR" help:"Contract files (*.yaml). Without them contracts are made from the tools' schemas."`
	System    string   `placeholder:"FILE" help:"The deployment's own text for the agent."`
	Before    []string `placeholder:"TEXT" sep:"none" help:"An earlier message of the user's. Repeatable."`
	Now       string   `placeholder:"TIME" help:"When the request is made, with the user's time zone, as 2026-03-31T09:00:00+02:00."`
	reviewedFlag
	Tokens bool `help:"Only say about how many tokens the plan would take."`
	JSON   bool `help:"Print the scope as JSON; the tokens are on standard error."`
	plannerModel
	plannerRecordings
	Request string `arg:"" help:"What the user says."`
}

// Help is shown below the flags.
func (scopePlanCommand) Help() string {
	return `The scope holds for one turn of a session: docs/reference/planner.md. What reaches far is marked.

Example:
  remit scope plan --tools mail.json --planner openai:qwen3 --planner-url http://127.0.0.1:8000/v1 "Forward Ann's last mail to Bob"`
}

// Run asks the planner, and prints what it says.
func (c *scopePlanCommand) Run(ctx context.Context, s *command.Streams) error {
	if len(c.Tools) == 0 {
		return command.UsageError(hint.Wrap(errors.New("no tools are given"), "give their definitions with --tools FILE"))
	}
	request, err := c.request()
	if err != nil {
		return err
	}
	if c.Tokens {
		in, out, err := planner.Estimate(request)
		if err == nil {
			fmt.Fprintf(s.Out, "about %d tokens of input and %d of output\n", in, out)
		}
		return err
	}

	p, err := c.planner(&c.plannerRecordings)
	if err != nil {
		return err
	}
	if p == nil {
		return command.UsageError(hint.Wrap(errors.New("no planner is named"), "name its model with --planner MODEL"))
	}
	d, err := p.Draft(ctx, request)
	if err != nil {
		return err
	}

	if c.JSON {
		fmt.Fprintf(s.Out, "%s\n", d.Scope)
		fmt.Fprintln(s.Err, tokensOf(d))
		return nil
	}
	parsed, _, err := scope.Parse(d.Scope, nil)
	if err != nil {
		return err
	}
	newPrinter(s).draft(d, parsed, request.Tools)
	return nil
}

// noPlanner is the planner where only its request is wanted.
type noPlanner struct{}

func (noPlanner) Plan(context.Context, *scope.Request) (*scope.Plan, error) {
	return nil, errors.New("there is no planner")
}

// request returns what a planner is shown in a session with the tools.
func (c *scopePlanCommand) request() (*scope.Request, error) {
	engine, err := engineFlags{Contracts: c.Contracts, Now: c.Now}.engine()
	if err != nil {
		return nil, err
	}
	tools, err := inputs.Tools(c.Tools)
	if err != nil {
		return nil, err
	}
	engine.options.Planner, engine.options.Reviewed = noPlanner{}, c.Reviewed
	m, err := engine.monitor(tools, time.Time{})
	if err != nil {
		return nil, err
	}

	session := m.Session("plan")
	if c.System != "" {
		text, err := inputs.ReadAs(c.System, "a file with the deployment's text")
		if err != nil {
			return nil, err
		}
		session.System(string(text))
	}
	for _, text := range c.Before {
		session.User(text)
	}
	session.User(c.Request)
	r, err := session.PlanRequest()
	if errors.Is(err, remit.ErrPlanned) {
		return nil, errors.New("no contract covers any of the tools, so that there is nothing to plan")
	}
	return r, err
}

func tokensOf(d *planner.Draft) string {
	return fmt.Sprintf("%s: %d tokens of input, %d of output", display.Name(d.Model), d.InputTokens, d.OutputTokens)
}
