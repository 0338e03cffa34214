package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// handleMany answers a request where several servers are behind the gateway:
// it goes to the one that it is about, or to all of them.
func (c *conversation) handleMany(x *exchange) {
	m := x.msg

	switch m.Method {
	case "initialize":
		c.meet(x)
		go x.run(func(ctx context.Context) ([]byte, error) { return c.initialize(ctx, x) })
	case "server/discover":
		c.meet(x)
		go x.run(func(ctx context.Context) ([]byte, error) { return c.discover(ctx, x) })
	case "ping":
		x.finish(wire.NewResult(x.id, []byte(`{}`)))
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.page(ctx, x) })
	case "tools/call":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.call(ctx, x) })
	case "prompts/get":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.prompt(ctx, x) })
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		go x.run(func(ctx context.Context) ([]byte, error) {
			b, err := c.resource(ctx, x, m.ParamText("uri"))
			if err != nil {
				return nil, err
			}
			if m.Method == "resources/read" {
				return c.read(ctx, x, b, nil)
			}
			return passed(x, b, nil)
		})
	case "completion/complete":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.complete(ctx, x) })
	case "logging/setLevel":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.setLevel(ctx, x) })
	case "subscriptions/listen":
		go x.run(func(ctx context.Context) ([]byte, error) { return c.listen(ctx, x) })
	default:
		x.fail(wire.MethodNotFound, fmt.Errorf("the gateway can't tell which of its servers %q is for", m.Method))
	}
}

// passed forwards a request as it is and returns the response.
func passed(x *exchange, b *backend, params []byte) ([]byte, error) {
	m, err := b.roundTrip(x, params, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.server.Name, err)
	}
	return m.WithID(x.id), nil
}

// all sends a request of the client to several servers at once and returns what
// they answered, nil for those that didn't.
func (c *conversation) all(x *exchange, to []*backend) []*wire.Message {
	out := make([]*wire.Message, len(to))
	var work sync.WaitGroup
	for i, b := range to {
		work.Go(func() {
			m, err := b.within(x, min(helloTime, b.server.Timeout), nil, nil)
			if err != nil {
				b.server.log.Warn("the server did not answer", "method", x.msg.Method, "error", err)
			}
			out[i] = m
		})
	}
	work.Wait()
	return out
}

// initialize shakes hands with all servers. The client is offered the oldest
// revision that any of them speaks, and what all of them can do together. Servers
// that are late are taken in when they come.
func (c *conversation) initialize(ctx context.Context, x *exchange) ([]byte, error) {
	c.begun.Store(true)
	answers := c.greet(ctx, x.msg.Method, x.msg.Params, c.backends)
	// A client that gave up on server/discover goes on with initialize.
	var again []*backend
	for i, a := range answers {
		if code(a.err) == unsupportedVersion {
			again = append(again, c.backends[i])
		}
	}

	renew(ctx, again)
	for i, a := range c.greet(ctx, x.msg.Method, x.msg.Params, again) {
		answers[slices.Index(c.backends, again[i])] = a
	}

	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}

	capabilities, instruct := c.introduced(answers)
	version := ""
	for _, a := range answers {
		if v := strictjson.GetText(a.result, "protocolVersion"); a.result != nil && (version == "" || v < version) {
			version = v
		}
	}
	if version == "" {
		return nil, errors.New("none of the servers could be reached")
	}
	result := fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":%s,"serverInfo":%s}`, strictjson.Quote(version), listsChange(capabilities), c.about())
	return wire.NewResult(x.id, instruct(result)), nil
}

// introduced notes what servers say about themselves in a handshake. It returns what they can do together, and
// a function that adds what they tell the model to an answer. Servers that are late are taken in when they come.
func (c *conversation) introduced(answers []greeting) (capabilities []byte, instruct func(result []byte) []byte) {
	var instructions []string
	capabilities = []byte(`{}`)
	for i, a := range answers {
		b := c.backends[i]
		switch {
		case a.err != nil:
			b.unusable(a.err)
			continue
		case a.result == nil:
			continue
		}
		b.introduced(a.result)
		capabilities = union(capabilities, strictjson.Get(a.result, "capabilities"), 0)
		if s := strictjson.GetText(a.result, "instructions"); s != "" {
			instructions = append(instructions, b.server.Name+": "+s)
		}
	}

	return capabilities, func(result []byte) []byte {
		if len(instructions) == 0 {
			return result
		}
		return strictjson.Set(result, "instructions", strictjson.Quote(strings.Join(instructions, "\n\n")))
	}
}

func (c *conversation) about() json.RawMessage {
	return fmt.Appendf(nil, `{"name":"remit","version":%s}`, strictjson.Quote(c.g.o.Version))
}

// discover answers for all servers, where all of them know the method: together
// they are of the generation of the oldest, to which the client falls back when
// it is told so.
func (c *conversation) discover(ctx context.Context, x *exchange) ([]byte, error) {
	answers := c.greet(ctx, x.msg.Method, x.msg.Params, c.backends)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	versions, refused, err := supported(answers)
	if err != nil {
		return nil, err
	}
	if refused || !slices.ContainsFunc(versions, func(v string) bool { return v >= upstream.Stateless }) {
		var addressed []*backend
		for i, a := range answers {
			// Where the client has gone on already, initialize has seen to it.
			if a.result != nil && !c.begun.Load() {
				addressed = append(addressed, c.backends[i])
			}
		}
		renew(ctx, addressed)
		return wire.NewError(x.id, wire.MethodNotFound, "a server is of the generation with sessions: begin with initialize", nil), nil
	}

	capabilities, instruct := c.introduced(answers)
	list, err := json.Marshal(append([]string{}, versions...))
	if err != nil {
		return nil, err
	}
	result := fmt.Appendf(nil, `{"resultType":"complete","supportedVersions":%s,"capabilities":%s,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":%s}}`,
		list, capabilities, c.about())
	return wire.NewResult(x.id, instruct(result)), nil
}

// unsupportedVersion is the code by which a server refuses a revision.
const unsupportedVersion = "-32022"

// renew gives servers that were addressed in the newer generation a fresh
// connection: they may refuse to be in the older one afterwards.
func renew(ctx context.Context, servers []*backend) {
	var work sync.WaitGroup
	for _, b := range servers {
		work.Go(func() { b.connect(ctx) })
	}
	work.Wait()
}

// supported returns the revisions that all servers speak, of those that answered, and whether one
// of them doesn't know the question.
func supported(answers []greeting) (versions []string, refused bool, err error) {
	some := false
	for _, a := range answers {
		var own []string
		switch {
		case a.result == nil && code(a.err) == "":
			continue
		case a.result == nil || json.Unmarshal(strictjson.Get(a.result, "supportedVersions"), &own) != nil:
			refused = true
		case !some:
			versions = own
		default:
			versions = slices.DeleteFunc(versions, func(v string) bool { return !slices.Contains(own, v) })
		}
		some = true
	}

	if !some {
		err = errors.New("none of the servers could be reached")
	}
	return versions, refused, err
}

// union merges what two servers can do: objects member by member, and true
// wins.
func union(a, b []byte, depth int) []byte {
	members, err := strictjson.Members(b)
	const deepest = 16
	if err != nil || depth > deepest {
		return a
	}
	for _, m := range members {
		value, have := m.Value.Of(b), strictjson.Get(a, m.Name)
		switch {
		case have == nil:
			a = strictjson.Set(a, m.Name, value)
		case have[0] == '{' && value[0] == '{':
			a = strictjson.Set(a, m.Name, union(have, value, depth+1))
		case string(value) == "true":
			a = strictjson.Set(a, m.Name, value)
		}
	}
	return a
}

// page answers a list: what one server has after another's. Not every client
// asks for a second page, so that servers which need one page each are answered
// in one; a cursor says with which server to go on, and what that server's own
// cursor is.
func (c *conversation) page(ctx context.Context, x *exchange) ([]byte, error) {
	at, inner, err := c.cursor(x.msg.ParamText("cursor"))
	if err != nil {
		return nil, err
	}

	list := lists[x.msg.Method]
	var names map[named]string
	if list.key == "name" {
		names = shownAs(c.names(c.everywhere(ctx, x, x.msg.Method)))
	}

	var all []byte
	for ; at < len(c.backends); at, inner = at+1, nil {
		b := c.backends[at]
		if !b.offers(x.msg.Method) {
			continue
		}
		if len(all) > c.g.o.Limits.Message/2 {
			return wire.NewResult(x.id, private(strictjson.Set(all, "nextCursor", strictjson.Quote(strconv.Itoa(at)+".")))), nil
		}
		params := strictjson.Remove(x.msg.Params, "cursor")
		if len(params) == 0 {
			params = []byte(`{}`)
		}
		if inner != nil {
			params = strictjson.Set(params, "cursor", inner)
		}
		result, err := c.pageOf(ctx, x, b, params, list.member, list.key, names)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			b.server.log.Warn("the server's list could not be read", "method", x.msg.Method, "error", err)
			continue
		}
		next := strictjson.Get(result, "nextCursor")
		if all, err = joined(all, strictjson.Remove(result, "nextCursor"), list.member); err != nil {
			return nil, err
		}
		if strictjson.Text(next) != "" {
			return wire.NewResult(x.id, private(strictjson.Set(all, "nextCursor", nextCursor(at, next)))), nil
		}
	}

	if all == nil {
		all = fmt.Appendf(nil, `{%s:[]}`, strictjson.Quote(list.member))
		if x.stateless {
			all = fmt.Appendf(nil, `{%s:[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`, strictjson.Quote(list.member))
		}
		return wire.NewResult(x.id, all), nil
	}
	return wire.NewResult(x.id, private(all)), nil
}

// joined adds the items of a page to those before it.
func joined(all, page []byte, member string) ([]byte, error) {
	if all == nil {
		return page, nil
	}
	to, ok := strictjson.Find(all, member)
	from := bytes.TrimSpace(strictjson.Get(page, member))
	if !ok || len(from) < 2 {
		return nil, errors.New("the answer has no list")
	}
	have, more := bytes.TrimSpace(to.Of(all)), bytes.TrimSpace(from[1:len(from)-1])
	items := bytes.TrimSpace(have[1 : len(have)-1])
	if len(items) > 0 && len(more) > 0 {
		items = append(bytes.Clone(items), ',')
	}
	return strictjson.Splice(all, to, slices.Concat([]byte("["), items, more, []byte("]"))), nil
}

// pageOf reads a page of one server and gives its items the names that the
// client knows them by.
func (c *conversation) pageOf(ctx context.Context, x *exchange, b *backend, params []byte, member, key string, names map[named]string) ([]byte, error) {
	m, err := b.roundTrip(x, params, nil)
	if err != nil {
		return nil, err
	}
	if m.Result == nil {
		return nil, fmt.Errorf("error %s: %q", strictjson.Get(m.Error, "code"), strictjson.GetText(m.Error, "message"))
	}

	at, ok := strictjson.Find(m.Result, member)
	if !ok {
		return nil, errors.New("the answer has no list")
	}
	list := []byte(at.Of(m.Result))
	if x.msg.Method == "tools/list" {
		if list, _, err = b.show(ctx, x, list); err != nil {
			return nil, err
		}
	}
	if names == nil {
		return m.Result, nil
	}

	elements, err := strictjson.Elements(list)
	if err != nil {
		return nil, errors.New("the answer has no list")
	}

	var out []string
	for _, at := range elements {
		item := []byte(at.Of(list))
		own := strictjson.GetText(item, key)
		shown, ok := names[named{b, own}]
		if !ok {
			continue
		}
		if shown != own {
			item = strictjson.Set(item, key, strictjson.Quote(shown))
		}
		out = append(out, string(item))
	}

	return strictjson.Splice(m.Result, at, []byte("["+strings.Join(out, ",")+"]")), nil
}

// cursor reads a cursor of the gateway's.
func (c *conversation) cursor(s string) (server int, inner json.RawMessage, err error) {
	if s == "" {
		return 0, nil, nil
	}
	bad := &wire.Error{Code: wire.InvalidParams, Message: "the cursor is not one that this gateway gave out"}
	n, rest, ok := strings.Cut(s, ".")
	server, err = strconv.Atoi(n)
	if !ok || err != nil || server < 0 || server > len(c.backends) {
		return 0, nil, bad
	}
	if rest == "" {
		return server, nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return 0, nil, bad
	}
	return server, strictjson.Quote(string(text)), nil
}

func nextCursor(server int, inner json.RawMessage) json.RawMessage {
	return strictjson.Quote(strconv.Itoa(server) + "." + base64.RawURLEncoding.EncodeToString([]byte(strictjson.Text(inner))))
}

// byName finds the server of a prompt.
func (c *conversation) byName(ctx context.Context, x *exchange, name string) (named, error) {
	n, ok := c.names(c.everywhere(ctx, x, "prompts/list"))[name]
	if !ok {
		return named{}, &wire.Error{Code: wire.InvalidParams, Message: "no server offers the prompt " + string(strictjson.Quote(name))}
	}
	return n, nil
}

func (c *conversation) prompt(ctx context.Context, x *exchange) ([]byte, error) {
	n, err := c.byName(ctx, x, x.msg.ParamText("name"))
	if err != nil {
		return nil, err
	}
	return c.read(ctx, x, n.b, x.msg.ReplaceParams(map[string]json.RawMessage{"name": strictjson.Quote(n.name)}))
}

func (c *conversation) complete(ctx context.Context, x *exchange) ([]byte, error) {
	ref := x.msg.Param("ref")
	if uri := strictjson.GetText(ref, "uri"); uri != "" {
		b, err := c.resource(ctx, x, uri)
		if err != nil {
			return nil, err
		}
		return passed(x, b, nil)
	}
	n, err := c.byName(ctx, x, strictjson.GetText(ref, "name"))
	if err != nil {
		return nil, err
	}
	return passed(x, n.b, strictjson.Replace(x.msg.Params, strictjson.Quote(n.name), "ref", "name"))
}

func (c *conversation) setLevel(_ context.Context, x *exchange) ([]byte, error) {
	var to []*backend
	for _, b := range c.backends {
		if b.offers("logging/setLevel") {
			to = append(to, b)
		}
	}

	var refused []byte
	for _, m := range c.all(x, to) {
		switch {
		case m == nil:
		case m.Result != nil:
			return m.WithID(x.id), nil
		default:
			refused = m.WithID(x.id)
		}
	}

	if refused == nil {
		return nil, &wire.Error{Code: wire.MethodNotFound, Message: "no server logs"}
	}
	return refused, nil
}

// ackTime is how long servers may take to acknowledge a subscription before the
// client is told what the others do.
const ackTime = 5 * time.Second

// listening gathers what several servers acknowledge of one subscription.
type listening struct {
	x *exchange

	mu      sync.Mutex
	waiting int
	honored []byte
	sent    bool
}

// acknowledge takes what one server honours, nil when it doesn't.
func (l *listening) acknowledge(honored []byte, final bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	l.honored = union(l.honored, honored, 0)
	early := l.waiting > 0 && !final
	if l.sent || early {
		return
	}

	l.sent = true
	params := fmt.Appendf(nil, `{"notifications":%s,"_meta":{%s:%s}}`, l.honored, strictjson.Quote(metaSubscription), l.x.id)
	if err := l.x.port.Send(wire.NewNotification("notifications/subscriptions/acknowledged", params)); err != nil {
		l.x.c.log.Debug("a subscription was not acknowledged", "error", err)
	}
}

// listen opens a subscription at all servers. It ends when the client ends it.
func (c *conversation) listen(ctx context.Context, x *exchange) ([]byte, error) {
	l := &listening{x: x, waiting: len(c.backends), honored: []byte(`{}`)}
	x.mu.Lock()
	x.listening = l
	x.mu.Unlock()
	timer := time.AfterFunc(ackTime, func() { l.acknowledge(nil, true) })
	defer timer.Stop()

	var work sync.WaitGroup
	for _, b := range c.backends {
		work.Go(func() {
			answer := make(chan struct{})
			id := b.request(x, x.msg, nil, nil, func(m *wire.Message, err error) {
				if err != nil || m.Result == nil {
					l.acknowledge(nil, false)
				}
				close(answer)
			})
			x.went(b, id)
			select {
			case <-answer:
			case <-ctx.Done():
			}
		})
	}

	work.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return wire.NewResult(x.id, fmt.Appendf(nil, `{"resultType":"complete","_meta":{%s:%s}}`, strictjson.Quote(metaSubscription), x.id)), nil
}
