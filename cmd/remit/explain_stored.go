package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// stored explains a decision of a session in the store, as it fell.
func (c *explainCommand) stored(ctx context.Context, s *command.Streams) error {
	anew := c.Contracts != "" || c.Policies != "" || len(c.Tools) > 0 || c.Recorded || c.Decision != ""
	switch {
	case c.Session == "":
		return command.UsageError(errors.New("name a recording, or with --session ID a session of the store"))
	case anew:
		return command.UsageError(errors.New("a decision of the store is explained as it fell: only --session, --call, --store and --html go with it"))
	}

	return c.with(ctx, func(st store.Store) error {
		d, repeated, err := c.fallen(ctx, st)
		if err != nil {
			return err
		}
		if repeated > 0 {
			fmt.Fprintf(s.Err, "note: %s denied besides, because the id was used before\n", display.Count(repeated, "call under this id was", "calls under this id were"))
		}
		// The session only looks texts up. It never decides.
		m, err := remit.New(remit.Options{})
		if err != nil {
			return err
		}
		session, err := ledger.New(st, ledger.Options{}).Open(ctx, m, c.Session)
		if err != nil {
			return err
		}

		e, err := explanation.OfSession(ctx, session, d)
		if err != nil {
			return err
		}
		if c.HTML != "" {
			return writePage(s, c.HTML, e)
		}
		newPrinter(s).explanation(e)
		return nil
	})
}

// fallen returns the last decision on the call of the command line, or the last that
// stopped a call. Other calls that were proposed under its id are no decision on it: it
// counts them.
func (c *explainCommand) fallen(ctx context.Context, st store.Store) (found *remit.Decision, repeated int, err error) {
	records := 0
	for r, err := range st.Read(ctx, c.Session, 0) {
		if err != nil {
			return nil, 0, err
		}
		records++
		d := r.Decision
		switch {
		case d == nil:
		case c.Call == "" && d.Verdict != remit.Allow:
			found = d
		case c.Call == "" || d.Call != c.Call:
		case d.Repeats():
			repeated++
		default:
			found = d
		}
	}

	name := display.Name(c.Session)
	switch {
	case found != nil:
		return found, repeated, nil
	case records == 0:
		return nil, 0, hint.Wrap(fmt.Errorf("the store has no session %s", name), "remit console lists them; --store NAME says where another store is")
	case c.Call == "":
		return nil, 0, hint.Wrap(fmt.Errorf("every call of session %s is allowed", name), "say which to explain with --call ID")
	}
	return nil, 0, fmt.Errorf("session %s has no call %q", name, c.Call)
}
