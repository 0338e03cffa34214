package main

import (
	"context"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/store"
)

// decisions decides recorded calls by the rules of both sides.
func (c *policyDiffCommand) decisions(ctx context.Context, s *command.Streams, guards [2][]*guard.File, diff *policyDiff) error {
	var engines [2]*engine
	for i := range engines {
		e, err := engineFlags{Contracts: c.Contracts, Now: c.Now}.engine()
		if err != nil {
			return err
		}
		e.guards = guards[i]
		engines[i] = e
	}
	if err := c.recorded(ctx, s, engines, diff); err != nil {
		return err
	}
	if c.Store == "" {
		return nil
	}
	return c.stored(ctx, engines, diff)
}

// recorded decides the calls of recordings. Both sides see everything that
// happened, so that one call that turns doesn't turn those after it.
func (c *policyDiffCommand) recorded(ctx context.Context, s *command.Streams, engines [2]*engine, diff *policyDiff) error {
	before, after := newMonitors(engines[0], c.Tools), newMonitors(engines[1], c.Tools)
	progress := newProgress(s, c.Sessions)
	defer progress.clear()
	sessions := 0
	for _, file := range c.Sessions {
		err := eachRecorded(s, progress, file, func(session *trace.Session) error {
			var sides [2][]*remit.Decision
			for i, from := range [...]*monitors{before, after} {
				m, err := from.of(session)
				if err != nil {
					return err
				}
				if sides[i], err = trace.Replay(ctx, m, session, trace.Options{Recorded: true}); err != nil {
					return err
				}
			}
			diff.compare(session.ID, sides)
			sessions++
			progress.show(sessions, diff.Calls)
			return nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// stored decides the calls of a store's sessions.
func (c *policyDiffCommand) stored(ctx context.Context, engines [2]*engine, diff *policyDiff) error {
	tools, err := inputs.Tools(c.Tools)
	if err != nil {
		return err
	}

	var monitors [2]*remit.Monitor
	for i, e := range engines {
		// A store is that of a gateway, which never sees the user.
		e.options.UnseenUser = true
		if monitors[i], err = e.monitor(tools, time.Time{}); err != nil {
			return err
		}
	}

	return storeFlag{c.Store}.with(ctx, func(st store.Store) error {
		_, err := eachSession(ctx, st, func(id string) error {
			var sides [2][]*remit.Decision
			for i, m := range monitors {
				for r, err := range m.Review(ctx, id, store.Events(st.Read(ctx, id, 0))) {
					if err != nil {
						return err
					}
					sides[i] = append(sides[i], r.Decision)
				}
			}
			diff.compare(id, sides)
			return nil
		})
		return err
	})
}

// compare notes the decisions of a session that turn.
func (d *policyDiff) compare(session string, sides [2][]*remit.Decision) {
	for i, before := range sides[0][:min(len(sides[0]), len(sides[1]))] {
		after := sides[1][i]
		d.Calls++
		if before.Verdict != after.Verdict {
			d.Decisions = append(d.Decisions, turned{
				Session: session, Call: after.Call, Server: after.Server, Tool: after.Tool,
				Was: before.Verdict, Decision: after, Before: before.Reasons,
			})
		}
	}
}

// laxer reports whether the call gets further than before.
func (t *turned) laxer() bool { return t.Decision.Verdict == remit.Allow || t.Was == remit.Deny }
