package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/store"
)

// sessionPage is how many sessions are listed at a time.
const sessionPage = 200

// turned is a call that other contracts decide otherwise.
type turned struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool"`
	// Was is the verdict before, Decision the new one with its reasons.
	Was      remit.Verdict   `json:"was"`
	Decision *remit.Decision `json:"decision"`
	// Before are the reasons of the verdict before, where both are worked out.
	Before []remit.Reason `json:"reasons_before,omitempty"`
}

// diff decides the calls of a store's sessions again and prints those whose verdict changes.
func (c *replayCommand) diff(ctx context.Context, s *command.Streams) error {
	switch {
	case c.Contracts == "":
		return command.UsageError(hint.Wrap(errors.New("--diff compares contracts, and there are none"), "give the changed ones with --contracts DIR"))
	case len(c.Files) > 0 || c.Out != "" || c.Verbose || c.Stopped || c.Recorded || len(c.Tools) > 0:
		return command.UsageError(errors.New("--diff reads a store: of files and other flags only --contracts, --store, --json and --exit-code go with it"))
	}

	e, err := c.engine()
	if err != nil {
		return err
	}

	// A store is that of a gateway, which never sees the user. The scopes of sessions are in
	// their logs.
	e.options.UnseenUser, e.options.Scopes = true, c.Scopes
	m, err := e.monitor(nil, time.Time{})
	if err != nil {
		return err
	}
	p := newPrinter(s)
	calls, blocked, allowed := 0, 0, 0
	err = storeFlag{c.Store}.with(ctx, func(st store.Store) error {
		_, err := eachSession(ctx, st, func(id string) error {
			for r, err := range m.Review(ctx, id, store.Events(st.Read(ctx, id, 0))) {
				if err != nil {
					return err
				}
				calls++
				d := r.Decision
				if d.Verdict == r.Event.Verdict {
					continue
				}
				if d.Verdict == remit.Allow {
					allowed++
				} else if r.Event.Verdict == remit.Allow {
					blocked++
				}
				t := turned{Session: id, Call: d.Call, Server: d.Server, Tool: d.Tool, Was: r.Event.Verdict, Decision: d}
				if c.JSON {
					if err := writeJSON(s.Out, t); err != nil {
						return err
					}
					continue
				}
				p.turned(&t)
				p.decision(2, d)
			}
			return nil
		})
		return err
	})

	if err != nil {
		return err
	}
	summary := &printer{w: s.Out, Paint: display.Paint(s.Color), width: s.Width}
	if c.JSON {
		summary.w = s.Err
	}
	summary.line(0, fmt.Sprintf("%s decided anew: %d newly blocked, %d newly allowed", display.Count(calls, "call", "calls"), blocked, allowed))
	if c.ExitCode && blocked+allowed > 0 {
		return command.Status(exitStopped)
	}
	return nil
}

// turned writes what becomes of a call.
func (p *printer) turned(t *turned) {
	p.line(0, p.Dim("session "+display.Name(t.Session))+": "+string(t.Was)+" becomes "+p.Bold(string(t.Decision.Verdict)))
}

// eachSession visits the sessions of a store, page by page. It leaves out the canaries of remit
// doctor, in which no agent works, and counts them.
func eachSession(ctx context.Context, st store.Store, visit func(id string) error) (canaries int, err error) {
	for after := ""; ; {
		page, err := st.Sessions(ctx, after, sessionPage)
		if err != nil {
			return canaries, err
		}

		for _, info := range page {
			after = info.ID
			canary, err := doctor.AllCanaries(store.Events(st.Read(ctx, info.ID, 0)))
			if err == nil && !canary {
				err = visit(info.ID)
			}
			if err != nil {
				return canaries, err
			}
			if canary {
				canaries++
			}
		}

		if len(page) < sessionPage {
			return canaries, nil
		}
	}
}
