package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
)

// Port is a way to the client. Its methods are called from several goroutines.
type Port interface {
	// Send passes on a message that is not an answer to a request of the client's.
	Send(raw []byte) error
	// Reply passes the answer on to the request that the port belongs to, or to
	// any where it belongs to none.
	Reply(raw []byte) error
}

// conversation is one client's connection, with its own to the servers.
type conversation struct {
	g      *Gateway
	anchor string
	// principal owns the session; empty when it has no owner.
	principal string
	log       *slog.Logger
	// standing is the way to the client for what belongs to no request; nil
	// where there is none.
	standing Port
	backends []*backend

	work         sync.WaitGroup // requests in flight
	disconnected func()         // counts it no more
	begun        atomic.Bool    // the client has asked for the older generation

	mu      sync.Mutex
	closing bool
	ended   chan struct{}
	// stillborn is why servers ended without a message, by server; dead is
	// closed when that is true of all.
	stillborn map[*backend]error
	dead      chan struct{}
	client    client
	// exchanges are the client's requests in flight, by key of their ids where
	// those are unique.
	exchanges map[string]*exchange
	live      map[*exchange]bool // all of them
	asked     map[int64]*inquiry
	lastAsked int64
	together  together
	used      time.Time

	opening chan struct{} // holds one token; its holder may open the session
	session *ledger.Session
	monitor *remit.Monitor
	texts   []text // what reached the model before the session was open
}

// client is what the client said about itself.
type client struct {
	version string
	// hello are the params of its handshake, and discovery those of its question
	// who is there, in the generation without sessions.
	hello, discovery json.RawMessage
	capabilities     json.RawMessage
}

type text struct{ name, text string }

// exchange is one request of the client.
type exchange struct {
	c      *conversation
	id     json.RawMessage
	key    string // empty when the client can't refer to it
	msg    *wire.Message
	port   Port
	ctx    context.Context
	cancel context.CancelCauseFunc
	// stateless is set where the request is of the generation without sessions.
	stateless bool

	mu       sync.Mutex
	answered bool
	routes   []route
	note     *wire.Message // the client's own cancellation
	// listening is set for a subscription at several servers.
	listening *listening
}

// route is where a request of the client went.
type route struct {
	b  *backend
	id int64
}

// inquiry is a request to the client: a server's, or the gateway's own.
type inquiry struct {
	b      *backend // nil for the gateway's own
	id     json.RawMessage
	answer chan *wire.Message
}

var (
	errCancelled = errors.New("the client cancelled the request")
	errShutdown  = errors.New("the gateway is shutting down")
)

// converse begins a conversation and links it to all servers. A server that
// doesn't start is missing in it, and harms no other.
func (g *Gateway) converse(anchor, principal string, standing Port) (*conversation, error) {
	log := g.log.With("session", anchor)
	if principal != "" {
		log = log.With("principal", principal)
	}
	c := &conversation{
		g: g, anchor: anchor, principal: principal, log: log, standing: standing,
		ended: make(chan struct{}), exchanges: map[string]*exchange{}, live: map[*exchange]bool{}, asked: map[int64]*inquiry{},
		opening: make(chan struct{}, 1), used: time.Now(), stillborn: map[*backend]error{}, dead: make(chan struct{}),
	}
	c.opening <- struct{}{}
	g.mu.Lock()

	switch {
	case g.closed:
		g.mu.Unlock()
		return nil, errShutdown
	case len(g.conversations) >= g.o.Limits.Conversations:
		g.mu.Unlock()
		return nil, fmt.Errorf("%d clients are connected already: close one, or raise limits.conversations", g.o.Limits.Conversations)
	case principal != "" && g.connected(principal) >= g.o.Limits.share():
		g.mu.Unlock()
		return nil, fmt.Errorf("%d clients of %s are connected already, half of all that may: close one, or raise limits.conversations", g.o.Limits.share(), principal)
	}

	g.conversations[c] = true
	g.mu.Unlock()
	c.disconnected = g.o.Telemetry.Connected(context.Background())

	for _, s := range g.servers {
		b := &backend{c: c, server: s, pending: map[int64]*pending{}, lists: map[string][]string{}, listing: make(chan struct{}, 1), reviving: make(chan struct{}, 1)}
		b.listing <- struct{}{}
		b.reviving <- struct{}{}
		b.connect(context.Background())
		c.backends = append(c.backends, b)
	}
	return c, nil
}

// connected returns how many conversations a principal has. The caller holds the gateway's lock.
func (g *Gateway) connected(principal string) int {
	n := 0
	for c := range g.conversations {
		if c.principal == principal {
			n++
		}
	}
	return n
}

// share is how many conversations one principal may have: no one keeps all others out.
func (l Limits) share() int { return (l.Conversations + 1) / 2 }

// ErrNoServer is the error of a conversation all of whose servers could not be
// started or ended before they sent anything.
var ErrNoServer = errors.New("no server is running")

type noServer struct{ error }

func (noServer) Is(target error) bool { return target == ErrNoServer }

// unlinked notes that a server's link has ended.
func (c *conversation) unlinked(b *backend, err error) {
	c.mu.Lock()
	closing := c.closing
	c.mu.Unlock()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && !exit.Exited()
	if closing && (err == nil || killed) {
		return // it was told to end
	}

	what := fmt.Errorf("the server %s ended before it sent a message", b.server.Name)
	if err != nil {
		what = fmt.Errorf("%w: %w", what, err)
	}
	c.died(b, what)
}

// died notes why a server never lived, unless it did.
func (c *conversation) died(b *backend, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.heard.Load() || c.stillborn[b] != nil {
		return
	}
	c.stillborn[b] = why
	if len(c.stillborn) == len(c.g.servers) {
		close(c.dead)
	}
}

// lifeless returns why no server ever lived, nil when one did.
func (c *conversation) lifeless() error {
	select {
	case <-c.dead:
	default:
		return nil
	}
	var errs []error
	for _, b := range c.backends {
		errs = append(errs, c.stillborn[b])
	}
	return noServer{errors.Join(errs...)}
}

// receive takes one message of the client. It doesn't wait for servers.
func (c *conversation) receive(ctx context.Context, raw []byte, port Port, shared bool) {
	m, err := wire.Parse(raw, c.g.limits())
	if err != nil {
		c.refuse(port, err)
		return
	}
	c.accept(ctx, m, port, shared)
}

// refuse answers a text that is not an acceptable message.
func (c *conversation) refuse(port Port, err error) {
	e := &wire.Error{Code: wire.InternalError, Message: err.Error()}
	errors.As(err, &e)
	c.log.Warn("a message of the client was refused", "error", e.Message)
	reply(c.log, port, wire.NewError(e.ID, e.Code, e.Message, nil))
}

func reply(log *slog.Logger, port Port, raw []byte) {
	if err := port.Reply(raw); err != nil {
		log.Debug("the client could not be answered", "error", err)
	}
}

// accept takes a message that was read. With shared set, its id may be in use
// by another client of the conversation.
func (c *conversation) accept(ctx context.Context, m *wire.Message, port Port, shared bool) {
	c.mu.Lock()
	c.used = time.Now()
	c.mu.Unlock()

	switch m.Kind {
	case wire.Response:
		c.answered(m)
	case wire.Notification:
		c.notified(m)
	case wire.Request:
		if known, ok := misspelt(m.Method); ok {
			c.refuse(port, &wire.Error{Code: wire.InvalidRequest, Message: fmt.Sprintf("the method %q is not %q, and some servers take it for that", m.Method, known), ID: m.ID})
			return
		}
		x, err := c.begin(ctx, m, port, shared)
		if err != nil {
			reply(c.log, port, wire.NewError(m.ID, wire.InvalidRequest, err.Error(), nil))
			return
		}
		c.handle(x)
	}
}

// begin registers a request of the client.
func (c *conversation) begin(ctx context.Context, m *wire.Message, port Port, shared bool) (*exchange, error) {
	x := &exchange{c: c, id: m.ID, msg: m, port: port}
	x.stateless = m.ParamText("_meta", upstream.MetaVersion) >= upstream.Stateless
	if !shared {
		x.key = wire.Key(m.ID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	switch {
	case c.closing:
		return nil, errShutdown
	case x.key != "" && c.exchanges[x.key] != nil:
		return nil, errors.New("the id is that of a request in flight: use another")
	case len(c.live) >= c.g.o.Limits.Requests:
		return nil, fmt.Errorf("%d requests are in flight already: wait for one", len(c.live))
	}

	x.ctx, x.cancel = context.WithCancelCause(ctx)
	if x.key != "" {
		c.exchanges[x.key] = x
	}
	c.live[x] = true
	c.work.Add(1)
	return x, nil
}

// finish answers a request, once.
func (x *exchange) finish(raw []byte) {
	x.mu.Lock()
	if x.answered {
		x.mu.Unlock()
		return
	}
	x.answered = true
	x.mu.Unlock()
	c := x.c
	c.mu.Lock()
	if c.exchanges[x.key] == x {
		delete(c.exchanges, x.key)
	}

	delete(c.live, x)
	c.used = time.Now()
	c.mu.Unlock()
	if raw != nil {
		reply(c.log, x.port, raw)
	} else if quiet, ok := x.port.(interface{ Done() }); ok {
		quiet.Done()
	}
	x.cancel(nil)
	c.work.Done()
}

// fail answers a request with an error.
func (x *exchange) fail(code int, err error) {
	x.finish(wire.NewError(x.id, code, err.Error(), nil))
}

// abort ends a request whose context has: a cancelled one gets no answer, as
// the protocol has it.
func (x *exchange) abort() {
	err := context.Cause(x.ctx)
	x.mu.Lock()
	routes, note := x.routes, x.note
	x.mu.Unlock()
	for _, r := range routes {
		r.b.abandon(r.id, note, err)
	}
	switch {
	case errors.Is(err, errCancelled), errors.Is(err, context.Canceled) && !errors.Is(err, errShutdown):
		x.finish(nil)
	case errors.Is(err, context.DeadlineExceeded):
		x.fail(wire.InternalError, errors.New("the server took too long to answer"))
	default:
		x.fail(wire.InternalError, err)
	}
}

// answered takes the client's response to a question.
func (c *conversation) answered(m *wire.Message) {
	var n int64
	if _, err := fmt.Sscanf(string(m.ID), "%d", &n); err != nil {
		c.log.Debug("the client answered what nobody asked")
		return
	}
	c.mu.Lock()
	q := c.asked[n]
	delete(c.asked, n)
	c.mu.Unlock()
	switch {
	case q == nil:
		c.log.Debug("the client answered what nobody asked")
	case q.b == nil:
		q.answer <- m // has room for one, and there is but one
	default:
		q.b.send(upstream.Message{Raw: m.WithID(q.id)})
	}
}

// maxAsked is how many questions wait for the client: a server that floods it
// is told so.
const maxAsked = 256

// ask registers a question and returns its id.
func (c *conversation) ask(q *inquiry) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := q.b == nil
	if len(c.asked) >= maxAsked || (c.closing && own) {
		return 0, false
	}
	c.lastAsked++
	c.asked[c.lastAsked] = q
	return c.lastAsked, true
}

func (c *conversation) unask(id int64) {
	c.mu.Lock()
	delete(c.asked, id)
	c.mu.Unlock()
}

// notified takes a notification of the client.
func (c *conversation) notified(m *wire.Message) {
	if m.Method == "notifications/cancelled" {
		c.cancelled(m)
		return
	}
	if _, misspelt := misspelt(m.Method); misspelt || requests(m.Method) {
		// A server that doesn't mind the missing id would make an undecided call.
		c.log.Warn("a request without an id was not passed on", "method", m.Method)
		return
	}
	for _, b := range c.backends {
		b.send(upstream.Message{Raw: m.Raw, Method: m.Method})
	}
}

// misspelt returns the method that the gateway handles itself and whose letters another one has: a server
// that is lenient would make an undecided call of it.
func misspelt(method string) (string, bool) {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, s)
	}
	bare := letters(method)
	for known := range handlers {
		if method != known && strings.EqualFold(bare, letters(known)) {
			return known, true
		}
	}
	return "", false
}

// requests reports whether a method is one of MCP's requests.
func requests(method string) bool {
	kind, _, _ := strings.Cut(method, "/")
	switch kind {
	case "tools", "tasks", "resources", "prompts", "completion", "logging", "initialize", "ping", "server", "subscriptions", "sampling", "elicitation", "roots":
		return true
	}
	return false
}

// cancelled ends a request that the client no longer waits for.
func (c *conversation) cancelled(m *wire.Message) {
	id := m.Param("requestId")
	c.mu.Lock()
	x := c.exchanges[wire.Key(id)]
	c.mu.Unlock()
	if id == nil || x == nil || x.msg.Method == "initialize" {
		return
	}
	x.mu.Lock()
	x.note = m
	x.mu.Unlock()
	x.cancel(errCancelled)
}

// close ends a conversation. Requests in flight may finish until the context
// ends; then they are answered with an error.
func (c *conversation) close(ctx context.Context) error {
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		<-c.ended
		return nil
	}
	c.closing = true
	c.mu.Unlock()

	finished := make(chan struct{})
	go func() {
		c.work.Wait()
		close(finished)
	}()

	select {
	case <-finished:
	case <-ctx.Done():
		c.mu.Lock()
		var rest []*exchange
		for x := range c.live {
			rest = append(rest, x)
		}
		c.mu.Unlock()
		for _, x := range rest {
			x.cancel(errShutdown)
		}
	}

	var work sync.WaitGroup
	errs := make([]error, len(c.backends))
	for i, b := range c.backends {
		work.Go(func() { errs[i] = b.close(ctx) })
	}

	work.Wait()
	<-finished
	c.farewell(context.WithoutCancel(ctx))
	c.g.mu.Lock()
	delete(c.g.conversations, c)
	c.g.mu.Unlock()
	c.disconnected()
	close(c.ended)
	return errors.Join(errs...)
}

// open returns the conversation's session, decided by the tools as they are
// now.
func (c *conversation) open(ctx context.Context, x *exchange) (*ledger.Session, error) {
	select {
	case <-c.opening:
		defer func() { c.opening <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}

	catalogues := make([]*schema.Catalogue, len(c.backends))
	var work sync.WaitGroup
	for i, b := range c.backends {
		work.Go(func() {
			var err error
			if catalogues[i], err = b.tools(ctx, x); err != nil {
				// Its tools are unknown then, and the others' are not.
				b.server.log.Warn("the server's tools could not be listed", "error", err)
			}
		})
	}

	work.Wait()
	m, err := c.g.monitor(catalogues)
	if err != nil {
		return nil, err
	}
	if c.session == nil || c.monitor != m {
		decides := m
		if len(c.g.o.Policies) > 0 {
			decides = m.With(lookups{c, ownParams(x)}, c.g.o.Judge)
		}
		s, err := c.g.o.Ledger.OpenFor(ctx, decides, c.anchor, c.principal)
		if err != nil {
			if !errors.Is(err, ledger.ErrNotYours) {
				c.g.recorded(err)
			}
			return nil, err
		}
		if c.session == nil && c.principal != "" && len(c.g.o.Policies) > 0 {
			if err := s.Principal(ctx, guard.Principal{ID: c.principal}); err != nil {
				return nil, err
			}
		}
		c.session, c.monitor = s, m
	}
	c.mu.Lock()
	texts := c.texts
	c.texts = nil
	c.mu.Unlock()

	for _, t := range texts {
		if err := c.session.Attach(ctx, t.name, t.text); err != nil {
			return nil, err
		}
	}
	return c.session, nil
}

// later keeps a text for when the session is open.
func (c *conversation) later(name, s string) {
	const most = 64
	c.mu.Lock()
	defer c.mu.Unlock()
	if s != "" && len(c.texts) < most {
		c.texts = append(c.texts, text{name, s})
	}
}

// newCallID names a call uniquely in its session, over restarts and replicas.
func newCallID() string { return "m" + rand.Text()[:16] }
