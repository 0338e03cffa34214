package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/store"
)

type exportCommand struct {
	storeFlag
	Session []string `placeholder:"ID" sep:"none" help:"Write this session only. Repeatable."`
	Out     string   `placeholder:"FILE" help:"Where to write; standard output without it."`
}

// Help is shown below the flags.
func (exportCommand) Help() string {
	return `Writes the sessions of a store as recordings, one a line, which remit replay, check and explain read: what
every door saw, to decide again by other contracts, policies or scopes. The store has no definitions of tools: give them to replay with
--tools. The canaries of remit doctor are left out, unless --session names them. Recordings hold what the agents read, secrets included, unless the store leaves them out (audit.redact).

Example:
  remit export --out sessions.jsonl
  remit replay --tools tools.json --contracts changed sessions.jsonl`
}

// Run writes the recordings.
func (c *exportCommand) Run(ctx context.Context, s *command.Streams) error {
	return c.withAny(ctx, s, "there is nothing to export", func(st store.Store) error {
		if c.Out == "" {
			return c.export(ctx, st, s.Out, s.Err)
		}
		// Only the owner may read the file, which os.CreateTemp sees to: agents read secrets.
		f, err := os.CreateTemp(filepath.Dir(c.Out), ".export-*")
		if err != nil {
			return fmt.Errorf("write the recordings: %w", err)
		}
		err = errors.Join(c.export(ctx, st, f, s.Err), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), c.Out)
		}
		if err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
		return nil
	})
}

func (c *exportCommand) export(ctx context.Context, st store.Store, to, notes io.Writer) error {
	written, left, canaries := 0, 0, 0
	one := func(id string) error {
		session, without, err := trace.FromEvents(ctx, id, store.Events(st.Read(ctx, id, 0)))
		if err != nil {
			return err
		}
		written, left = written+1, left+without
		return trace.Write(to, session)
	}

	var err error
	if len(c.Session) == 0 {
		canaries, err = eachSession(ctx, st, one)
	}
	for _, id := range c.Session {
		if _, missing := st.Session(ctx, id); missing != nil {
			return missing
		}
		err = errors.Join(err, one(id))
	}
	if err != nil {
		return err
	}

	fmt.Fprintf(notes, "%s written", display.Count(written, "session", "sessions"))
	if left > 0 {
		fmt.Fprintf(notes, "; %s that recordings have no form for left out", display.Count(left, "event", "events"))
	}
	if canaries > 0 {
		fmt.Fprintf(notes, "; %s of remit doctor left out", display.Count(canaries, "session", "sessions"))
	}
	fmt.Fprintln(notes)
	return nil
}
