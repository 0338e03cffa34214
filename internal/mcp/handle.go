package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
)

// handle answers a request of the client. What needs no decision is passed on
// at once, in the order in which it came.
func (c *conversation) handle(x *exchange) {
	if only := c.only(); only != nil {
		c.handleOne(x, only)
		return
	}
	c.handleMany(x)
}

// only returns the server behind a gateway that has but one: everything goes there.
func (c *conversation) only() *backend {
	if len(c.backends) == 1 {
		return c.backends[0]
	}
	return nil
}

func (c *conversation) handleOne(x *exchange, b *backend) {
	if x.msg.Method == "initialize" || x.msg.Method == "server/discover" || b.down() == nil {
		c.handleUp(x, b)
		return
	}
	go func() {
		if err := b.revive(x.ctx); err != nil {
			x.fail(wire.InternalError, fmt.Errorf("%s: %w", b.server.Name, err))
			return
		}
		c.handleUp(x, b)
	}()
}

// handleUp answers a request of the client by the one server, which can be reached.
func (c *conversation) handleUp(x *exchange, b *backend) {
	if own := handlers[x.msg.Method]; own != nil {
		own(c, x, b)
		return
	}
	b.forward(x, nil, nil)
}

// handlers are what is more than passing a request on, by its method.
var handlers = map[string]func(c *conversation, x *exchange, b *backend){
	"initialize":           (*conversation).greetOne,
	"server/discover":      (*conversation).greetOne,
	"subscriptions/listen": (*conversation).listenOne,
	"resources/read":       (*conversation).readOne,
	"prompts/get":          (*conversation).readOne,
	"tasks/result":         (*conversation).readOne,
	"tools/list": func(c *conversation, x *exchange, b *backend) {
		go x.run(func(ctx context.Context) ([]byte, error) { return c.listTools(ctx, x, b) })
	},
	"tools/call": func(c *conversation, x *exchange, _ *backend) {
		go x.run(func(ctx context.Context) ([]byte, error) { return c.call(ctx, x) })
	},
}

// greetOne passes a handshake on, and notes what both sides say of themselves.
func (c *conversation) greetOne(x *exchange, b *backend) {
	c.meet(x)
	b.forward(x, nil, func(m *wire.Message) []byte {
		b.introduced(m.Result)
		return m.WithID(x.id)
	})
}

// readOne passes on a request whose result reaches the model.
func (c *conversation) readOne(x *exchange, b *backend) {
	go x.run(func(ctx context.Context) ([]byte, error) { return c.read(ctx, x, b, nil) })
}

// listenOne passes a subscription on. The server knows the request by another id.
func (c *conversation) listenOne(x *exchange, b *backend) {
	b.forward(x, nil, func(m *wire.Message) []byte {
		if at, ok := strictjson.Find(m.Raw, "result", "_meta", metaSubscription); ok && m.Result != nil {
			if m, err := wire.Parse(strictjson.Splice(m.Raw, at, x.id), c.g.limits()); err == nil {
				return m.WithID(x.id)
			}
		}
		return m.WithID(x.id)
	})
}

// run answers a request by a function that may take its time.
func (x *exchange) run(f func(context.Context) ([]byte, error)) {
	raw, err := f(x.ctx)
	var e *wire.Error
	switch {
	case err == nil:
		x.finish(raw)
	case x.ctx.Err() != nil:
		x.abort()
	case errors.As(err, &e):
		x.fail(e.Code, err)
	default:
		x.fail(wire.InternalError, err)
	}
}

// meet notes what a client says about itself in its handshake.
func (c *conversation) meet(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.msg.Method != "initialize" {
		c.client.discovery = x.msg.Params
		return
	}
	c.client.hello = x.msg.Params
	c.client.version = x.msg.ParamText("protocolVersion")
	c.client.capabilities = x.msg.Param("capabilities")
}

// introduced notes what a server says about itself in its handshake.
func (b *backend) introduced(result []byte) {
	if result == nil {
		return
	}
	b.mu.Lock()
	b.capabilities = strictjson.Get(result, "capabilities")
	b.mu.Unlock()
	// Instructions reach the model, and a server wrote them.
	b.c.later("instructions of "+b.server.Name, strictjson.GetText(result, "instructions"))
}

// metaClient are the members of _meta that a request of the generation without
// sessions must have.
var metaClient = []string{
	"io.modelcontextprotocol/protocolVersion",
	"io.modelcontextprotocol/clientCapabilities",
	"io.modelcontextprotocol/clientInfo",
}

// ownParams returns the params of a request that the gateway makes on behalf of a client's: of
// the same generation, with the client's own account of itself.
func ownParams(x *exchange) []byte {
	params := []byte(`{}`)
	if x == nil || !x.stateless {
		return params
	}
	meta := []byte(`{}`)
	for _, name := range metaClient {
		if v := x.msg.Param("_meta", name); v != nil {
			meta = strictjson.Set(meta, name, v)
		}
	}
	return strictjson.Set(params, "_meta", meta)
}

// read passes on a request whose result reaches the model, and labels the
// result before it does.
func (c *conversation) read(ctx context.Context, x *exchange, b *backend, params []byte) ([]byte, error) {
	enforced := b.server.mode("") == Enforce
	s, err := c.open(ctx, x)
	if err != nil {
		err = c.told("nothing was read, because the session can't be opened", err)
	}
	if err != nil && enforced {
		return nil, err
	}

	m, read := b.roundTrip(x, params, nil)
	if read != nil {
		return nil, read
	}
	if err == nil {
		err = c.attach(ctx, s, x, m)
	}
	if err != nil && enforced {
		return nil, err
	}
	return m.WithID(x.id), nil
}

// attach labels what a response brings to the model as external text.
func (c *conversation) attach(ctx context.Context, s *ledger.Session, x *exchange, m *wire.Message) error {
	// The client may have gone, and the text may still reach the model.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	what := x.msg.Method
	for _, member := range []string{"uri", "name", "taskId"} {
		if v := x.msg.ParamText(member); v != "" {
			what += " " + v
			break
		}
	}
	err := s.Attach(ctx, what, m.Readable())
	c.g.recorded(err)
	if err != nil {
		return c.told("what was read is held back, because it could not be recorded", err)
	}
	return nil
}
