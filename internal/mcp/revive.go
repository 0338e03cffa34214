package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// patience is how long the servers that have answered a handshake wait for the
	// others: clients give up after half a minute or a minute.
	patience = 3 * time.Second
	// firstRest and longestRest are how long a server that could not be brought back
	// isn't tried again: each try may start a program.
	firstRest   = time.Second
	longestRest = 30 * time.Second
)

// errGreeting is the error of a server that has not answered the handshake yet.
var errGreeting = errors.New("the server has not answered the handshake yet")

// down returns why a server can't be used; nil when it can.
func (b *backend) down() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// revive links to a server again whose link has ended, or that has lost its
// session, and repeats the client's handshake. Requests that were in flight have
// failed by then, and may have run. It returns why the server is still
// down.
func (b *backend) revive(ctx context.Context) error {
	select {
	case <-b.reviving:
		defer func() { b.reviving <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}

	why := b.down()
	switch {
	case why == nil:
		return nil
	case b.c.over():
		return errShutdown
	case time.Now().Before(b.restUntil):
		return why
	}

	b.connect(ctx)
	err := b.down()
	if err == nil {
		err = b.greetAgain(ctx)
	}
	if err != nil {
		b.rest = min(max(firstRest, 2*b.rest), longestRest)
		b.restUntil = time.Now().Add(b.rest)
		b.server.log.Warn("the server could not be brought back", "error", err, "next", b.rest)
		b.fail(err)
		return b.down()
	}
	b.rest = 0
	b.server.log.Info("the server is back", "was", why)
	b.renewed()
	return nil
}

// comeBack is [backend.revive] for a server that no request waits for.
func (b *backend) comeBack() {
	ctx, cancel := context.WithTimeout(context.Background(), helloTime)
	defer cancel()
	_ = b.revive(ctx) // which logs it
}

// greetAgain repeats the handshake of the client's generation. In the one without
// sessions any answer will do: it shows that the server is there.
func (b *backend) greetAgain(ctx context.Context) error {
	b.c.mu.Lock()
	hello, discovery := b.c.client.hello, b.c.client.discovery
	b.c.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, min(helloTime, b.server.Timeout), errGreeting)
	defer cancel()

	switch {
	case hello != nil:
		result, err := b.own(ctx, "initialize", hello, nil)
		if err == nil {
			b.greeted(result)
		}
		return err
	case discovery != nil:
		result, err := b.own(ctx, "server/discover", discovery, nil)
		if code(err) != "" {
			return nil
		}
		b.introduced(result)
		return err
	}

	return nil
}

// greeted takes note of the answer to a handshake that the gateway made for the
// client, and ends it.
func (b *backend) greeted(result []byte) {
	b.introduced(result)
	b.send(upstream.Message{Raw: wire.NewNotification("notifications/initialized", []byte(`{}`)), Method: "notifications/initialized"})
}

// renewed notes that what the server offers may have changed, and says so to the
// client.
func (b *backend) renewed() {
	b.mu.Lock()
	b.stale = true
	clear(b.lists)
	b.mu.Unlock()
	if b.c.standing == nil {
		return
	}
	for _, method := range []string{"tools", "prompts", "resources"} {
		if b.offers(method + "/list") {
			b.deliver(wire.NewNotification("notifications/"+method+"/list_changed", []byte(`{}`)), b.c.standing)
		}
	}
}

// again makes a call once more that the server refused because it had lost the
// session: it was not made then. The tool must be the one that was decided on.
func (b *backend) again(ctx context.Context, x *exchange, tool string) error {
	was := b.fingerprint(tool)
	if err := b.revive(ctx); err != nil {
		return err
	}
	if _, err := b.tools(ctx, x); err != nil {
		return err
	}
	if b.fingerprint(tool) != was {
		return errors.New("the server has come back with another definition of the tool: list its tools again")
	}
	return nil
}

func (b *backend) fingerprint(tool string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown == nil {
		return ""
	}
	t, ok := b.shown.Tool(tool)
	if !ok {
		return ""
	}
	return t.Fingerprint
}

// greeting is what came of a handshake with one server; neither a result nor an
// error while it has not answered.
type greeting struct {
	result []byte
	err    error
}

// greet shakes hands with servers at once. Who answers waits for the others for a
// short time only; a server that answers later is taken in then.
func (c *conversation) greet(ctx context.Context, method string, params []byte, to []*backend) []greeting {
	type answer struct {
		i int
		greeting
	}

	answers := make(chan answer, len(to))
	for i, b := range to {
		b.greets(true)
		go func() {
			// The server may answer after the client has had its answer.
			ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), min(helloTime, b.server.Timeout), errGreeting)
			defer cancel()
			result, err := b.own(ctx, method, params, nil)
			answers <- answer{i, greeting{result, err}}
		}()
	}

	out := make([]greeting, len(to))
	left, late := len(to), (<-chan time.Time)(nil)
	for left > 0 {
		select {
		case a := <-answers:
			out[a.i] = a.greeting
			to[a.i].greets(false)
			if left--; a.err == nil && late == nil {
				late = time.After(patience)
			}
		case <-late:
			go c.welcome(method, to, left, func() (int, greeting) { a := <-answers; return a.i, a.greeting })
			return out
		case <-ctx.Done():
			go func() {
				for range left {
					to[(<-answers).i].greets(false)
				}
			}()
			return out
		}
	}

	return out
}

// welcome takes in servers that answered the handshake late.
func (c *conversation) welcome(method string, to []*backend, left int, next func() (int, greeting)) {
	for range left {
		i, g := next()
		b := to[i]
		if g.err != nil {
			b.unusable(g.err)
			b.greets(false)
			continue
		}
		b.server.log.Info("the server has answered the handshake late")
		if method == "initialize" {
			b.greeted(g.result)
		} else {
			b.introduced(g.result)
		}
		b.greets(false)
		b.renewed()
	}
}

// greets notes whether a server is in the handshake.
func (b *backend) greets(now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case now && b.greeting == nil:
		b.greeting, b.greetingUntil = make(chan struct{}), time.Now().Add(b.c.g.o.Limits.Greeting)
	case !now && b.greeting != nil:
		close(b.greeting)
		b.greeting = nil
	}
}

// awaitGreeting waits until the server has answered the handshake, failed in it, or taken longer
// than the limit from its beginning: however many lists wait, they don't wait longer together.
func (b *backend) awaitGreeting(ctx context.Context) {
	b.mu.Lock()
	greeting, until := b.greeting, b.greetingUntil
	b.mu.Unlock()
	if greeting == nil {
		return
	}

	limit := time.NewTimer(time.Until(until))
	defer limit.Stop()
	select {
	case <-greeting:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// unusable notes that a server didn't take part in the handshake. It is tried again
// when it is needed.
func (b *backend) unusable(why error) {
	b.server.log.Warn("the server did not answer the handshake", "error", why)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = fmt.Errorf("the server refused the handshake: %w", why)
	}
}

// code is that of an error which a server answered with; empty for any other.
func code(err error) string {
	if e := (*rpcError)(nil); errors.As(err, &e) {
		return e.code
	}
	return ""
}

// listsChange says that lists may change, which they do when a server comes back.
func listsChange(capabilities []byte) []byte {
	for _, kind := range []string{"tools", "prompts", "resources"} {
		if strictjson.Get(capabilities, kind) != nil || kind == "tools" {
			capabilities = union(capabilities, []byte(`{"`+kind+`":{"listChanged":true}}`), 0)
		}
	}
	return capabilities
}
