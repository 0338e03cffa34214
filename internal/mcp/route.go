package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// separator parts a server's and a tool's own name where two servers
// offer the name.
const separator = "__"

// route finds the server of a tool by the name that the client knows it by.
func (c *conversation) route(name string) (*backend, string, error) {
	if b := c.only(); b != nil {
		return b, name, nil
	}
	own := map[*backend][]string{}
	for _, b := range c.backends {
		own[b] = b.toolNames()
	}
	if t, ok := c.names(own)[name]; ok {
		return t.b, t.name, nil
	}

	message := "no server offers the tool " + string(strictjson.Quote(name))
	if unknown := c.unlisted(); len(unknown) > 0 {
		message += "; no tools are known of " + strings.Join(unknown, ", ") + ", which may not be running: try again later"
	}
	return nil, "", &wire.Error{Code: wire.InvalidParams, Message: message}
}

// unlisted returns the names of the servers whose tools are not known: they don't run, or have
// not answered yet.
func (c *conversation) unlisted() []string {
	var out []string
	for _, b := range c.backends {
		b.mu.Lock()
		if b.shown == nil {
			out = append(out, b.server.Name)
		}
		b.mu.Unlock()
	}
	return out
}

// toolNames returns the names of a server's tools that are not withheld.
func (b *backend) toolNames() []string {
	b.mu.Lock()
	shown := b.shown
	b.mu.Unlock()
	if shown == nil {
		return nil
	}
	var out []string
	for _, t := range shown.Tools {
		if !b.server.withheld(t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// named is a tool or a prompt of a server.
type named struct {
	b    *backend
	name string
}

// names gives what servers offer the names that the client sees: their own
// where they are unique, and with the server before them where they are not. No
// server can take another's name over: as soon as two offer it, neither has it.
func (c *conversation) names(own map[*backend][]string) map[string]named {
	count := map[string]int{}
	for _, list := range own {
		for _, n := range list {
			count[n]++
		}
	}

	out := map[string]named{}
	for _, b := range c.backends {
		for _, n := range own[b] {
			shown := n
			if count[n] > 1 || c.g.o.Namespace {
				shown = b.server.Name + separator + n
			}
			_, taken := out[shown]
			another := shown != n && count[shown] > 0 // is called so by itself
			if taken || another {
				c.log.Warn("a name can't be offered, because it is taken", "server", b.server.Name, "name", n)
				continue
			}
			out[shown] = named{b, n}
		}
	}

	return out
}

// shownAs turns names around: what the client calls an item of a server.
func shownAs(names map[string]named) map[named]string {
	out := make(map[named]string, len(names))
	for shown, n := range names {
		out[n] = shown
	}
	return out
}

// lists are the methods whose results are lists, with the member that holds the
// list and the one that names an item.
var lists = map[string]struct{ member, key string }{
	"tools/list":               {"tools", "name"},
	"prompts/list":             {"prompts", "name"},
	"resources/list":           {"resources", "uri"},
	"resources/templates/list": {"resourceTemplates", "uriTemplate"},
}

// items returns what the items of a server's list are called, asking the server
// the first time and after it says that the list changed.
func (b *backend) items(ctx context.Context, x *exchange, method string) ([]string, error) {
	if method == "tools/list" {
		_, err := b.tools(ctx, x)
		return b.toolNames(), err
	}
	if !b.offers(method) {
		return nil, nil
	}

	b.mu.Lock()
	known, ok := b.lists[method]
	b.mu.Unlock()
	if ok {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(listTime, b.server.Timeout))
	defer cancel()

	out := []string{}
	_, err := b.pages(ctx, x, method, func(items []json.RawMessage) (bool, error) {
		for _, item := range items {
			out = append(out, strictjson.GetText(item, lists[method].key))
		}
		const most = 100_000
		return len(out) <= most, nil
	})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.lists[method] = out
	b.mu.Unlock()
	return out, nil
}

// offers reports whether a server said that it has what a method is about.
func (b *backend) offers(method string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind, _, _ := strings.Cut(method, "/")
	return b.err == nil && b.greeting == nil && (b.capabilities == nil || strictjson.Get(b.capabilities, kind) != nil)
}

// everywhere asks all servers for the names of their items at once. One that
// doesn't answer has none, and one that is down is brought back for the next time. Those
// that are still in the handshake are waited for, within the limit.
func (c *conversation) everywhere(ctx context.Context, x *exchange, method string) map[*backend][]string {
	var mu sync.Mutex
	var work sync.WaitGroup
	out := map[*backend][]string{}
	for _, b := range c.backends {
		work.Go(func() {
			b.awaitGreeting(ctx)
			items, err := b.items(ctx, x, method)
			if b.down() != nil {
				go b.comeBack()
			}
			if err != nil {
				b.server.log.Warn("the server's list could not be read", "method", method, "error", err)
			}
			mu.Lock()
			out[b] = items
			mu.Unlock()
		})
	}

	work.Wait()
	return out
}

// resource finds the server of a resource: the one that lists it, or else the
// one whose template fits best by its fixed beginning.
func (c *conversation) resource(ctx context.Context, x *exchange, uri string) (*backend, error) {
	own := c.everywhere(ctx, x, "resources/list")
	for _, b := range c.backends {
		for _, u := range own[b] {
			if u == uri {
				return b, nil
			}
		}
	}

	var best *backend
	length := 0
	own = c.everywhere(ctx, x, "resources/templates/list")

	for _, b := range c.backends {
		for _, t := range own[b] {
			fixed, _, _ := strings.Cut(t, "{")
			if strings.HasPrefix(uri, fixed) && len(fixed) > length {
				best, length = b, len(fixed)
			}
		}
	}

	if best == nil {
		return nil, &wire.Error{Code: wire.InvalidParams, Message: "no server offers the resource " + string(strictjson.Quote(uri))}
	}
	return best, nil
}
