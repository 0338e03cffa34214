package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/remit-project/remit/internal/command"
)

// The bounds of the protocol. A line is bounded like a recorded session,
// sessions by what a program can mean to hold open at once.
const (
	maxLine     = 64 << 20
	maxSessions = 4096
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

// Run answers lines until the input ends. A line that is not understood is
// answered with an error and changes nothing; the lines after it are read.
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
	return errors.Join(c.answer(ctx, s, engine), end())
}

// answer answers lines.
func (c *sessionCommand) answer(ctx context.Context, s *command.Streams, engine *engine) error {
	p := newDialogue(engine, c.Ack)
	x := newExchange(ctx, s.In, s.Out)
	for {
		i, ok, err := x.next(ctx)
		if err != nil || !ok {
			return err
		}

		var answer any
		switch {
		case errors.Is(i.err, errLongLine):
			answer = &problem{Type: "error", Line: i.n, Message: fmt.Sprintf("the line is longer than %d MiB", maxLine>>20)}
		case i.err != nil:
			return i.err
		default:
			if answer, err = x.carryOut(ctx, p, i); err != nil {
				return err
			}
		}
		if answer == nil {
			continue
		}
		if err := x.write(answer); err != nil {
			return err
		}
	}
}

var errLongLine = errors.New("the line is too long")

// readLine reads up to a line break. It skips the rest of a line beyond the bound, so
// that the next line is found.
func readLine(in *bufio.Reader, bound int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > bound; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		}
		return line, err
	}
}
