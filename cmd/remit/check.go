package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/trace"
)

type checkCommand struct {
	engineFlags
	Tools   []string `placeholder:"FILE" sep:"none" help:"Tool definitions: MCP tools/list, OpenAI functions or OpenAPI. Repeatable; the server is called like the file."`
	History string   `name:"session" placeholder:"FILE" help:"The session so far, as a recording. Its own tools are used when --tools is not given."`
	ID      string   `name:"session-id" placeholder:"ID" help:"Which session of the recording, when it has several."`
	JSON    bool     `help:"Print the decision as JSON."`
	Call    string   `arg:"" help:"The call, {\"tool\": …, \"arguments\": {…}}: the JSON itself, a file @FILE, or - for standard input."`
}

// Help is shown below the flags.
func (checkCommand) Help() string {
	return `Exit code 0 when the call is allowed, 3 when it is denied or held back.

Example:
  remit check --tools mail.json --session so-far.json '{"tool":"send_email","arguments":{"to":"bob@corp.example"}}'`
}

// Run decides one call.
func (c *checkCommand) Run(ctx context.Context, s *command.Streams) error {
	// Mistakes on the command line are reported before those in files.
	if c.ID != "" && c.History == "" {
		return command.UsageError(hint.Wrap(errors.New("--session-id names a session of a recording, and there is none"), "give the recording with --session FILE"))
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	const (
		neither = "there are neither tools nor contracts"
		advice  = "name the tool definitions with --tools FILE, or contracts with --contracts DIR"
	)

	if len(c.Tools) == 0 && c.History == "" && engine.contracts == nil {
		return command.UsageError(hint.Wrap(errors.New(neither), advice))
	}
	call, err := c.call(s.In)
	if err != nil {
		return err
	}
	history := &trace.Session{ID: "check"}
	if c.History != "" {
		if history, err = readSession(c.History, c.ID, "--session-id"); err != nil {
			return err
		}
	}

	tools, err := toolsOf(c.Tools, history)
	if err != nil {
		return err
	}
	if len(tools) == 0 && engine.contracts == nil {
		return command.UsageError(hint.Wrap(errors.New(neither), advice))
	}
	monitor, err := engine.monitor(tools, history.Time)
	if err != nil {
		return err
	}

	// The session so far happened: its results are there whether or not this
	// monitor would have allowed the calls.
	session, _, err := play(ctx, monitor, history, trace.Options{Recorded: true})
	if err != nil {
		return fmt.Errorf("%s: %w", c.History, err)
	}
	d, err := session.Decide(ctx, call)
	if err != nil {
		return err
	}

	if c.JSON {
		if err := writeJSON(s.Out, d); err != nil {
			return err
		}
	} else {
		newPrinter(s).decision(0, d)
	}
	if d.Verdict != remit.Allow {
		return command.Status(exitStopped)
	}
	return nil
}

// call reads the proposed call. Repeated members are refused here already: the
// arguments inside are the monitor's to judge.
func (c *checkCommand) call(stdin io.Reader) (remit.Call, error) {
	const form = `write {"tool": "…", "arguments": {…}}`
	data := []byte(c.Call)
	var err error
	switch {
	case c.Call == "-":
		data, err = io.ReadAll(io.LimitReader(stdin, inputs.MaxSize))
	case len(c.Call) > 0 && c.Call[0] == '@':
		data, err = inputs.Read(c.Call[1:])
	}

	if err != nil {
		return remit.Call{}, err
	}
	var call remit.Call
	if _, err := strictjson.Parse(data, strictjson.Limits{}); err != nil {
		return call, hint.Wrap(fmt.Errorf("the call: %w", err), form)
	}
	if err := strictjson.Decode(data, &call); err != nil {
		return call, hint.Wrap(fmt.Errorf("the call: %w", err), form)
	}

	if call.Tool == "" {
		return call, hint.Wrap(fmt.Errorf(`the call has no "tool"`), form)
	}
	return call, nil
}

// writeJSON writes one value on one line, without the escapes that are meant
// for HTML.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
