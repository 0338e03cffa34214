package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/dialogue"
)

type sessionCommand struct {
	engineFlags
	judgeFlag
	lookupsFlag
	plannerFlags
	reviewedFlag
	Ack bool `help:"Answer every line, also those that need no answer, with {\"type\":\"ok\"}."`
}

// Help is shown below the flags.
func (sessionCommand) Help() string {
	return `Reads tools, events and proposed calls, one JSON object a line, and writes one decision for each call, in order.
The lines are described in docs/reference/session.md.

Example:
  remit session --contracts contracts < lines.jsonl

  {"type":"tools","server":"mail","tools":[…]}
  {"type":"user","text":"Send the notes to bob@corp.example"}
  {"type":"call","id":"c1","tool":"send_email","arguments":{"to":"bob@corp.example"}}`
}

// Run answers lines until the input ends.
func (c *sessionCommand) Run(ctx context.Context, s *command.Streams) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	if engine.options.Judge, err = c.judge(c.Policies); err != nil {
		return err
	}
	engine.options.Reviewed = c.Reviewed
	log := slog.New(slog.NewTextHandler(s.Err, nil))

	engine.open = true // each session brings its own tools
	noteUnknown(engine, log)
	if err := c.plan(&engine.options, true, log, nil); err != nil {
		return err
	}
	var end func() error
	if engine.options.Reader, end, err = c.reader(c.Policies, log); err != nil {
		return err
	}
	o := dialogue.Options{Session: engine.options, Contracts: engine.contracts, Monitor: engine.guarded, Acknowledge: c.Ack}
	return errors.Join(dialogue.Run(ctx, s.In, s.Out, o), end())
}
