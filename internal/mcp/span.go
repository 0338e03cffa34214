package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/telemetry"
)

// served begins the span of a client's call, below the client's own where the
// message or its HTTP request names one.
func (c *conversation) served(ctx context.Context, x *exchange, tool string) (context.Context, *telemetry.Span) {
	t := c.g.o.Telemetry
	if t == nil {
		return ctx, nil
	}
	ctx = t.From(ctx, func(name string) string { return x.msg.ParamText("_meta", name) })
	return t.Serve(ctx, c.operation(x, "", tool))
}

// requested begins the span of a call to a server, and tells the server about it:
// in the message, and in the header that goes with it over HTTP.
func (c *conversation) requested(ctx context.Context, x *exchange, b *backend, tool string, params json.RawMessage, header http.Header) (json.RawMessage, *telemetry.Span) {
	t := c.g.o.Telemetry
	if t == nil {
		return params, nil
	}
	ctx, span := t.Request(ctx, c.operation(x, b.server.Name, tool))
	t.Into(ctx, func(name, value string) {
		header.Set(name, value)
		meta := strictjson.Get(params, "_meta")
		if meta == nil {
			meta = []byte(`{}`)
		}
		params = strictjson.Set(params, "_meta", strictjson.Set(meta, name, strictjson.Quote(value)))
	})
	return params, span
}

func (c *conversation) operation(x *exchange, server, tool string) telemetry.Operation {
	version := x.msg.ParamText("_meta", upstream.MetaVersion)
	if version == "" {
		c.mu.Lock()
		version = c.client.version
		c.mu.Unlock()
	}
	return telemetry.Operation{Method: x.msg.Method, Tool: tool, Server: server, Session: c.anchor, Protocol: version, Request: string(x.id)}
}

// failure says in a word what went wrong with a call; empty when nothing did.
func failure(raw []byte, err error) string {
	switch {
	case errors.Is(err, errCancelled), errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case err != nil:
		return "error"
	case strictjson.Get(raw, "error") != nil:
		return string(strictjson.Get(raw, "error", "code"))
	case wire.HasFailed(strictjson.Get(raw, "result")):
		return "tool_error" // as the conventions for MCP have it
	}
	return ""
}

// answered is [failure] for what a server said.
func answered(m *wire.Message, err error) string {
	if err != nil {
		return failure(nil, err)
	}
	return failure(m.Raw, nil)
}
