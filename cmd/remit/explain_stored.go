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
		d, err := c.fallen(ctx, st)
		if err != nil {
			return err
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
			return writePage(c.HTML, e)
		}
		newPrinter(s).explanation(e)
		return nil
	})
}

// fallen returns the last decision on the call of the command line, or the last that
// stopped a call.
func (c *explainCommand) fallen(ctx context.Context, st store.Store) (*remit.Decision, error) {
	var found *remit.Decision
	records := 0
	for r, err := range st.Read(ctx, c.Session, 0) {
		if err != nil {
			return nil, err
		}
		records++
		if r.Decision == nil {
			continue
		}
		stopped := c.Call == "" && r.Decision.Verdict != remit.Allow
		if stopped || r.Decision.Call == c.Call {
			found = r.Decision
		}
	}

	name := display.Name(c.Session)
	switch {
	case found != nil:
		return found, nil
	case records == 0:
		return nil, hint.Wrap(fmt.Errorf("the store has no session %s", name), "remit console lists them; --store NAME says where another store is")
	case c.Call == "":
		return nil, hint.Wrap(fmt.Errorf("every call of session %s is allowed", name), "say which to explain with --call ID")
	}
	return nil, fmt.Errorf("session %s has no call %q", name, c.Call)
}
