package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// lookups are the calls that guards make over a conversation's own connections.
// They are the gateway's: the client hears nothing of them, and what they return
// is not part of the session, since the model doesn't see it.
type lookups struct {
	c *conversation
	// params are what the gateway's own requests say of the client.
	params json.RawMessage
}

// Read implements [guard.Reader].
func (l lookups) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	for _, b := range l.c.backends {
		if b.server.Name == server {
			return b.lookUp(ctx, l.params, tool, arguments)
		}
	}
	return nil, fmt.Errorf("there is no server %q, and %w", server, guard.ErrUnreached)
}

func (b *backend) lookUp(ctx context.Context, params json.RawMessage, tool string, arguments json.RawMessage) (*guard.Result, error) {
	b.mu.Lock()
	shown := b.shown
	b.mu.Unlock()
	if shown == nil {
		return nil, errors.New("the server has not listed its tools")
	}

	t, ok := shown.Tool(tool)
	if !ok || b.server.fenced(t) {
		return nil, errors.New("the tool is not the one that its contract was made for")
	}
	ctx, cancel := context.WithTimeout(ctx, b.server.Timeout)
	defer cancel()

	params = strictjson.Set(strictjson.Set(params, "name", strictjson.Quote(tool)), "arguments", arguments)
	result, err := b.own(ctx, "tools/call", params, paramHeader(b.definition(tool), arguments))
	if err != nil {
		return nil, err
	}
	r, err := wire.LookUp(result)
	if err != nil {
		return nil, err
	}
	return &guard.Result{Content: r.Text, Structured: r.Structured}, nil
}

// guards compiles the rules for the tools that are known by now. Rules with mistakes deny every
// call of their tools, and so do those for tools that no server has listed yet: as long as
// the tools of some server are unknown, what is missing is no mistake. The caller holds the
// lock.
func (g *Gateway) guards(o *remit.Options) error {
	if len(g.o.Policies) == 0 {
		return nil
	}
	var err error
	o.Guards, err = guard.Compile(g.o.Policies, guard.Deployment{Tools: o.Tools, Contracts: o.Contracts})
	var mistakes guard.Errors
	if err != nil && !errors.As(err, &mistakes) {
		return err
	}

	for _, m := range mistakes {
		level, message := slog.LevelWarn, guard.Consequence(m)
		if len(o.Contracts) < len(g.servers) {
			level, message = slog.LevelInfo, "a rule can't be used before all servers have listed their tools, and its tool is denied until then"
		}
		g.log.Log(context.Background(), level, message, "place", m.Position.String(), "mistake", m.Message, "hint", m.Hint)
	}
	if len(mistakes) == 0 && g.unusable {
		g.log.Info("all rules can be used now")
	}
	g.unusable = len(mistakes) > 0
	return nil
}

// farewell logs the duties that a session leaves open.
func (c *conversation) farewell(ctx context.Context) {
	if c.session == nil || len(c.g.o.Policies) == 0 {
		return
	}
	open, err := c.session.Duties(ctx)
	if err != nil {
		c.log.Error("whether duties are open could not be told", "error", err)
	}
	for _, d := range open {
		c.log.LogAttrs(ctx, slog.LevelWarn, "a duty is open as the client leaves", slog.String("duty", d.Duty), slog.String("call", d.Call),
			slog.String("tool", d.Tool), slog.String("message", d.Message), slog.String("failed", d.Failed))
	}
}
