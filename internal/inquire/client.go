package inquire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// revision is the protocol's that servers are offered.
	revision = "2025-06-18"
	// maxPages bounds the pages of a list of tools.
	maxPages = 100
	// methodNotFound is the code for a server's requests that the client doesn't carry out.
	methodNotFound = -32601
)

var (
	errRelinked = errors.New("the server was linked again")
	errGone     = errors.New("the connection has ended")
)

// client is the connection to one server, while there is one.
type client struct {
	server  Server
	version string
	// linking holds a token while the server is linked to.
	linking chan struct{}

	mu    sync.Mutex
	links int // how many there were
	link  upstream.Link
	// tools are those that the server listed, and whether it says of each that it
	// changes things; nil before.
	tools   map[string]bool
	last    int64
	pending map[int64]chan reply
}

// reply is the answer to a request.
type reply struct {
	result json.RawMessage
	err    error
}

func newClient(s Server, version string) *client {
	return &client{server: s, version: version, linking: make(chan struct{}, 1), pending: map[int64]chan reply{}}
}

// offers reports whether the server has a tool.
func (c *client) offers(ctx context.Context, tool string) (bool, error) {
	if err := c.connect(ctx); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.tools[tool]
	return ok, nil
}

// read calls a tool. A call that is lost with its connection is made once more: it only
// reads.
func (c *client) read(ctx context.Context, tool string, arguments json.RawMessage) (*guard.Result, error) {
	result, err := c.call(ctx, tool, arguments)
	if errors.Is(err, errGone) {
		result, err = c.call(ctx, tool, arguments)
	}
	return result, err
}

func (c *client) call(ctx context.Context, tool string, arguments json.RawMessage) (*guard.Result, error) {
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	changes, ok := c.tools[tool]
	c.mu.Unlock()
	switch {
	case !ok:
		return nil, fmt.Errorf("it has no such tool, and %w", guard.ErrUnreached)
	case changes:
		return nil, errors.New("it says itself that the tool does more than read")
	}

	params := strictjson.Set(strictjson.Set(json.RawMessage(`{}`), "name", strictjson.Quote(tool)), "arguments", arguments)
	result, err := c.request(ctx, "tools/call", params)
	if err != nil {
		return nil, err
	}
	r, err := wire.LookUp(result)
	if err != nil {
		return nil, err
	}
	return &guard.Result{Content: r.Text, Structured: r.Structured, From: "server:" + c.server.Name}, nil
}

// elements returns those of a list; nil for anything else.
func elements(list json.RawMessage) []json.RawMessage {
	at, err := strictjson.Elements(list)
	if err != nil {
		return nil
	}
	var out []json.RawMessage
	for _, e := range at {
		out = append(out, e.Of(list))
	}
	return out
}

// connect links to the server and lists its tools, unless that is done.
func (c *client) connect(ctx context.Context) error {
	select {
	case c.linking <- struct{}{}:
		defer func() { <-c.linking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	ready := c.link != nil && c.tools != nil
	c.mu.Unlock()
	if ready {
		return nil
	}

	c.drop(errRelinked)
	c.mu.Lock()
	c.links++
	n := c.links
	c.mu.Unlock()
	link, err := c.server.Connect(&line{c, n})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.link = link
	c.mu.Unlock()
	if err := c.introduce(ctx); err != nil {
		c.drop(err)
		return err
	}
	return nil
}

// introduce shakes hands and lists the tools.
func (c *client) introduce(ctx context.Context) error {
	about := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"remit","version":%s}}`, revision, strictjson.Quote(c.version))
	if _, err := c.request(ctx, "initialize", about); err != nil {
		return fmt.Errorf("the handshake failed: %w", err)
	}
	if err := c.send(upstream.Message{Raw: wire.NewNotification("notifications/initialized", json.RawMessage(`{}`)), Method: "notifications/initialized"}); err != nil {
		return err
	}

	tools := map[string]bool{}
	params := json.RawMessage(`{}`)
	for range maxPages {
		page, err := c.request(ctx, "tools/list", params)
		if err != nil {
			return fmt.Errorf("the tools were not listed: %w", err)
		}
		for _, t := range elements(strictjson.Get(page, "tools")) {
			hints := strictjson.Get(t, "annotations")
			tools[strictjson.GetText(t, "name")] = string(strictjson.Get(hints, "readOnlyHint")) == "false" || string(strictjson.Get(hints, "destructiveHint")) == "true"
		}
		next := strictjson.Get(page, "nextCursor")
		if next == nil || string(next) == "null" {
			c.mu.Lock()
			c.tools = tools
			c.mu.Unlock()
			return nil
		}
		params = strictjson.Set(json.RawMessage(`{}`), "cursor", next)
	}
	return fmt.Errorf("its list of tools has more than %d pages", maxPages)
}

// send passes a message on.
func (c *client) send(m upstream.Message) error {
	c.mu.Lock()
	link := c.link
	c.mu.Unlock()
	if link == nil {
		return errGone
	}
	return link.Send(m)
}

// request sends a request and waits for its result.
func (c *client) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan reply, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.pending[id] = answer
	c.mu.Unlock()
	err := c.send(upstream.Message{Raw: wire.NewRequest(strictjson.Int(id), method, params), ID: id, Method: method})
	if err != nil {
		c.settle(id, reply{})
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}

	select {
	case a := <-answer:
		return a.result, a.err
	case <-ctx.Done():
		c.settle(id, reply{})
		c.mu.Lock()
		link := c.link
		c.mu.Unlock()
		if link != nil {
			link.Abandon(id)
		}
		return nil, ctx.Err()
	}
}

// settle answers a request that waits.
func (c *client) settle(id int64, r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.pending[id]; answer != nil {
		delete(c.pending, id)
		answer <- r
	}
}

// drop gives the link up and fails what waits for it.
func (c *client) drop(why error) {
	c.mu.Lock()
	link := c.link
	c.link, c.tools = nil, nil
	for id, answer := range c.pending {
		delete(c.pending, id)
		answer <- reply{err: fmt.Errorf("%w: %w", errGone, why)}
	}
	c.mu.Unlock()
	if link != nil {
		go func() { _ = link.Close(context.Background()) }() // it has a grace of its own
	}
}

func (c *client) close(ctx context.Context) error {
	c.mu.Lock()
	link := c.link
	c.link = nil
	c.mu.Unlock()
	if link == nil {
		return nil
	}
	return link.Close(ctx)
}

// line is one link of a client. What comes by an earlier one is ignored. It implements
// [upstream.Receiver].
type line struct {
	c *client
	n int
}

func (l *line) current() bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	return l.c.links == l.n
}

// Receive takes a message: an answer, or a request, of which only ping is carried out.
func (l *line) Receive(raw []byte, _ int64) {
	if !l.current() {
		return
	}
	m, err := wire.Parse(raw, wire.DefaultLimits())
	if err != nil {
		return // what waits for it ends by its time
	}

	switch m.Kind {
	case wire.Response:
		id, err := strconv.ParseInt(string(m.ID), 10, 64)
		if err != nil {
			return
		}
		r := reply{result: m.Result}
		if m.Error != nil {
			r = reply{err: fmt.Errorf("the server answered with an error: %q", strictjson.GetText(m.Error, "message"))}
		}
		l.c.settle(id, r)
	case wire.Request:
		answer := wire.NewError(m.ID, methodNotFound, "not carried out here", nil)
		if m.Method == "ping" {
			answer = wire.NewResult(m.ID, json.RawMessage(`{}`))
		}
		_ = l.c.send(upstream.Message{Raw: answer}) // the link's end is told by Closed
	}
}

// Failed says that a request will not be answered.
func (l *line) Failed(id int64, err error) {
	if l.current() {
		if errors.Is(err, upstream.ErrNoSession) || errors.Is(err, upstream.ErrClosed) {
			l.c.drop(err)
			return
		}
		l.c.settle(id, reply{err: err})
	}
}

// Closed says that the link has ended.
func (l *line) Closed(err error) {
	if l.current() {
		if err == nil {
			err = upstream.ErrClosed
		}
		l.c.drop(err)
	}
}
