package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// maxPages bounds a list of tools, in pages.
const maxPages = 1000

// hungTime is how long a server that hung isn't asked again for its tools: those
// who call other servers wait for it.
const hungTime = 30 * time.Second

var errSlowList = errors.New("the server took too long to list its tools")

// tools returns the tools that the server shows in this conversation, listing
// them when it has not done so or says that they changed. The request x is on
// whose behalf it happens.
func (b *backend) tools(ctx context.Context, x *exchange) (*schema.Catalogue, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, min(listTime, b.server.Timeout), errSlowList)
	defer cancel()

	select {
	case <-b.listing:
		defer func() { b.listing <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}

	shown, asks, err := b.known(time.Now())
	if !asks {
		return shown, err
	}
	all, err := b.relist(ctx, x)
	if err != nil {
		return nil, err
	}
	c := b.server.catalogue(all)
	if err := b.server.meet(c, keeper{b.c.g.o.Weigh, b.c.g.o.Synthesized, b.c.g.o.InForce}); err != nil {
		return nil, err
	}

	raw := make(map[string]json.RawMessage, len(all))
	for _, t := range all {
		raw[strictjson.GetText(t, "name")] = t
	}
	if listed := b.c.g.o.Listed; listed != nil {
		listed(c, raw)
	}

	b.mu.Lock()
	b.shown, b.raw = c, raw
	b.mu.Unlock()
	b.remark(c)
	return c, nil
}

// known returns the tools as they were listed last, or why they can't be; asks is set where the server has
// to be asked.
func (b *backend) known(now time.Time) (shown *schema.Catalogue, asks bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil || b.greeting != nil {
		switch {
		case b.shown != nil:
			return b.shown, false, nil // as it was: a call of its tools brings the server back first
		case b.err != nil:
			return nil, false, b.err
		}
		return nil, false, errGreeting
	}

	switch {
	case b.shown != nil && !b.stale:
		return b.shown, false, nil
	case b.hung != nil && now.Sub(b.hungAt) < hungTime:
		return nil, false, b.hung
	}
	b.hung, b.stale = nil, false
	return nil, true, nil
}

// relist asks the server for its tools, if it has any.
func (b *backend) relist(ctx context.Context, x *exchange) ([]json.RawMessage, error) {
	b.mu.Lock()
	none := b.capabilities != nil && strictjson.Get(b.capabilities, "tools") == nil
	b.mu.Unlock()
	if none {
		return nil, nil
	}

	all, err := b.list(ctx, x)
	if err == nil {
		return all, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stale = true
	if errors.Is(err, errSlowList) {
		b.hung, b.hungAt = err, time.Now()
	}
	return nil, err
}

// remark logs the tools that are not offered, and keeps descriptions that address the model for the session.
func (b *backend) remark(c *schema.Catalogue) {
	for i := range c.Tools {
		t := &c.Tools[i]
		switch {
		case b.server.uncontracted(t.Name):
			b.server.log.Warn("the tool has no contract, is not shown, and its calls are denied: remit contract update makes one", "tool", t.Name)
		case b.server.fenced(t):
			b.server.log.Warn("a tool's definition is not the one that its contract was made for: it is fenced off until remit contract update has brought the contract up to date", "tool", t.Name)
		}
		if found := synth.Instructions(t); len(found) > 0 {
			b.c.later("description of "+t.Name, t.Description)
		}
	}
}

// list reads all pages of the server's tools.
func (b *backend) list(ctx context.Context, x *exchange) ([]json.RawMessage, error) {
	var all []json.RawMessage
	size := 0

	ended, err := b.pages(ctx, x, "tools/list", func(tools []json.RawMessage) (bool, error) {
		for _, t := range tools {
			size += len(t)
		}
		all = append(all, tools...)
		if len(all) > schema.MaxTools || size > schema.MaxDocument {
			return false, errors.New("the server lists more tools than anybody can use")
		}
		return true, nil
	})

	var e *rpcError
	switch {
	case errors.As(err, &e) && e.code == fmt.Sprint(wire.MethodNotFound):
		return all, nil
	case err != nil:
		return nil, err
	case !ended:
		return nil, errors.New("the server's list of tools has no end")
	}

	return all, nil
}

// pages reads a server's list, a page at a time, until it ends, the reader wants no more, or
// there are [maxPages]. It reports whether the list ended.
func (b *backend) pages(ctx context.Context, x *exchange, method string, read func(items []json.RawMessage) (more bool, err error)) (ended bool, err error) {
	params := json.RawMessage(ownParams(x))
	for range maxPages {
		result, err := b.own(ctx, method, params, nil)
		if err != nil {
			return false, err
		}
		list := strictjson.Get(result, lists[method].member)
		elements, err := strictjson.Elements(list)
		if err != nil {
			return false, fmt.Errorf("the server's answer to %s is not a list", method)
		}
		items := make([]json.RawMessage, len(elements))
		for i, at := range elements {
			items[i] = at.Of(list)
		}
		more, err := read(items)
		cursor := strictjson.Get(result, "nextCursor")
		if ended = strictjson.Text(cursor) == ""; ended || !more || err != nil {
			return ended, err
		}
		params = strictjson.Set(params, "cursor", cursor)
	}

	return false, nil
}

// definition returns the tool as the server described it in this conversation,
// nil when it didn't.
func (b *backend) definition(tool string) json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.raw[tool]
}

// listTools passes on a page of tools. The gateway has its own list first, so
// that contracts are there before the model knows of a tool; a definition that
// differs from the listed one makes it list again.
func (c *conversation) listTools(ctx context.Context, x *exchange, b *backend) ([]byte, error) {
	if _, err := b.tools(ctx, x); err != nil {
		return nil, fmt.Errorf("%s: %w", b.server.Name, err)
	}
	m, err := b.roundTrip(x, nil, nil)
	if err != nil {
		return nil, err
	}
	if m.Result == nil {
		return m.WithID(x.id), nil
	}

	list, ok := strictjson.Find(m.Result, "tools")
	if !ok {
		return m.WithID(x.id), nil
	}
	kept, changed, err := b.show(ctx, x, list.Of(m.Result))
	if err != nil {
		return nil, err
	}
	if !changed {
		return m.WithID(x.id), nil
	}
	return wire.NewResult(x.id, private(strictjson.Splice(m.Result, list, kept))), nil
}

// private takes back what a server says about caching a list that is no longer
// the server's own.
func private(result []byte) []byte {
	return strictjson.Replace(strictjson.Replace(result, []byte(`"private"`), "cacheScope"), []byte("0"), "ttlMs")
}

// show takes out of a list what must not reach the model: tools that are fenced off, and those
// that no contract knows. It reports whether that changed the list.
func (b *backend) show(ctx context.Context, x *exchange, list []byte) (kept []byte, changed bool, err error) {
	elements, err := strictjson.Elements(list)
	if err != nil {
		return nil, false, errors.New("the server's list of tools is not a list")
	}

	b.mu.Lock()
	for _, at := range elements {
		t := at.Of(list)
		b.stale = b.stale || string(b.raw[strictjson.GetText(t, "name")]) != string(t)
	}
	b.mu.Unlock()

	shown, err := b.tools(ctx, x)
	if err != nil {
		return nil, false, err
	}

	var out []string
	for _, at := range elements {
		t := at.Of(list)
		name := strictjson.GetText(t, "name")
		if b.server.mode(name) == Enforce && b.hidden(shown, name, t) {
			changed = true
			continue
		}
		out = append(out, string(t))
	}

	return []byte("[" + strings.Join(out, ",") + "]"), changed, nil
}

// hidden reports whether a definition is one that the model must not see. What
// can't be read as a definition is seen, and denied when it is called.
func (b *backend) hidden(shown *schema.Catalogue, name string, raw json.RawMessage) bool {
	if b.server.uncontracted(name) {
		return true
	}
	if t, ok := shown.Tool(name); ok && b.server.fenced(t) {
		return true
	}
	c := b.server.catalogue([]json.RawMessage{raw})
	return len(c.Tools) == 1 && b.server.fenced(&c.Tools[0])
}
