package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

// backend is a conversation's connection to one server.
type backend struct {
	c      *conversation
	server *server
	heard  atomic.Bool // it has sent a message

	mu      sync.Mutex
	link    upstream.Link
	links   int   // how many there were
	err     error // why the link ended
	last    int64
	pending map[int64]*pending
	// capabilities are the server's, as of its handshake.
	capabilities json.RawMessage

	listing chan struct{} // holds one token; its holder may list the tools
	stale   bool
	hung    error // why the tools were not listed
	hungAt  time.Time
	shown   *schema.Catalogue
	raw     map[string]json.RawMessage // the definitions as they came
	// lists are the names of items of other lists, by method.
	lists map[string][]string
	// greeting is open while the server has not answered the handshake, and nil otherwise;
	// lists wait for it until greetingUntil.
	greeting      chan struct{}
	greetingUntil time.Time

	reviving  chan struct{} // holds one token; its holder may link again
	rest      time.Duration // how long a server that could not be brought back is left alone
	restUntil time.Time
}

// pending is a request that the server has not answered.
type pending struct {
	x *exchange // nil for the gateway's own
	// token is the client's progress token, nil when it wants no progress.
	token   json.RawMessage
	deliver func(*wire.Message, error)
}

// connect links to the server, instead of a link that there was before.
func (b *backend) connect(ctx context.Context) {
	b.mu.Lock()
	old := b.link
	b.links++
	l := &line{b, b.links}
	b.link, b.err = nil, nil
	b.mu.Unlock()
	if old != nil {
		if err := old.Close(ctx); err != nil {
			b.server.log.Debug("a connection did not end well", "error", err)
		}
	}

	link, err := b.server.Connect(l)
	if err != nil {
		b.server.log.Error("the server could not be started", "error", err)
		b.fail(err)
		b.c.died(b, fmt.Errorf("the server %s could not be started: %w", b.server.Name, err))
		return
	}
	b.mu.Lock()
	b.link = link
	b.mu.Unlock()
}

// line passes on what comes by one link of a backend, until there is another.
type line struct {
	b *backend
	n int
}

func (l *line) current() bool {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	return l.b.links == l.n
}

// Receive implements [upstream.Receiver].
func (l *line) Receive(raw []byte, about int64) {
	if l.current() {
		l.b.receive(raw, about)
	}
}

// Failed implements [upstream.Receiver].
func (l *line) Failed(id int64, err error) {
	if l.current() {
		l.b.failed(id, err)
	}
}

// Closed implements [upstream.Receiver].
func (l *line) Closed(err error) {
	if l.current() {
		l.b.fail(err)
		l.b.server.log.Info("the connection to the server has ended", "error", err)
		l.b.c.unlinked(l.b, err)
	}
}

// alive returns the link, or why there is none.
func (b *backend) alive() (upstream.Link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, b.err
	}
	if b.link == nil {
		return nil, upstream.ErrClosed
	}
	return b.link, nil
}

// send passes on what expects no answer.
func (b *backend) send(m upstream.Message) {
	link, err := b.alive()
	if err == nil {
		err = link.Send(m)
	}
	if err != nil {
		b.server.log.Debug("a message was not passed on", "method", m.Method, "error", err)
	}
}

// request sends a request to the server. Deliver is called once, with a
// response or an error, and must not wait for the server.
func (b *backend) request(x *exchange, m *wire.Message, params json.RawMessage, header http.Header, deliver func(*wire.Message, error)) int64 {
	p := &pending{x: x, deliver: deliver}
	if params == nil {
		params = m.Params
	}
	b.mu.Lock()
	b.last++
	id := b.last
	b.pending[id] = p
	b.mu.Unlock()
	link, err := b.alive()

	if token := m.Param("_meta", "progressToken"); token != nil {
		p.token = token
		params = strictjson.Replace(params, strictjson.Int(id), "_meta", "progressToken")
	}
	if err == nil {
		err = link.Send(upstream.Message{Raw: m.With(strictjson.Int(id), params), ID: id, Method: m.Method, Header: header})
	}
	if err != nil {
		b.failed(id, err)
	}
	return id
}

// forward sends the client's request to the server and answers it with what
// comes back. See, when set, looks at the response before the client does; what
// it returns is passed on instead.
func (b *backend) forward(x *exchange, params json.RawMessage, see func(*wire.Message) []byte) {
	ctx, cancel := x.ctx, context.CancelFunc(func() {})
	if x.msg.Method != "subscriptions/listen" {
		ctx, cancel = context.WithTimeoutCause(x.ctx, b.server.Timeout, context.DeadlineExceeded)
	}
	done := make(chan struct{})

	deliver := func(m *wire.Message, err error) {
		close(done)
		defer cancel()
		switch {
		case err != nil:
			x.fail(wire.InternalError, fmt.Errorf("%s: %w", b.server.Name, err))
		case see != nil:
			x.finish(see(m))
		default:
			x.finish(m.WithID(x.id))
		}
	}

	id := b.request(x, x.msg, params, nil, deliver)
	x.went(b, id)
	context.AfterFunc(ctx, func() {
		select {
		case <-done:
		default:
			if x.ctx.Err() == nil {
				x.cancel(context.Cause(ctx))
			}
			x.abort()
		}
	})
}

// went notes where a request of the client went.
func (x *exchange) went(b *backend, id int64) {
	x.mu.Lock()
	x.routes = append(x.routes, route{b, id})
	x.mu.Unlock()
}

type outcome struct {
	m   *wire.Message
	err error
}

// roundTrip sends a request for the client and waits for the response.
func (b *backend) roundTrip(x *exchange, params json.RawMessage, header http.Header) (*wire.Message, error) {
	return b.within(x, b.server.Timeout, params, header)
}

// within is roundTrip with a bound of its own.
func (b *backend) within(x *exchange, bound time.Duration, params json.RawMessage, header http.Header) (*wire.Message, error) {
	ctx, cancel := context.WithTimeout(x.ctx, bound)
	defer cancel()
	answer := make(chan outcome, 1)
	id := b.request(x, x.msg, params, header, func(m *wire.Message, err error) { answer <- outcome{m, err} })
	x.went(b, id)
	select {
	case a := <-answer:
		return a.m, a.err
	case <-ctx.Done():
		x.mu.Lock()
		note := x.note
		x.mu.Unlock()
		b.abandon(id, note, ctx.Err())
		if x.ctx.Err() != nil {
			return nil, context.Cause(x.ctx)
		}
		return nil, fmt.Errorf("the server took longer than %s to answer", bound)
	}
}

// own sends a request of the gateway's own and waits for its result.
func (b *backend) own(ctx context.Context, method string, params json.RawMessage, header http.Header) (json.RawMessage, error) {
	m, err := wire.Parse(wire.NewRequest(strictjson.Int(0), method, params), b.c.g.limits())
	if err != nil {
		return nil, err
	}

	answer := make(chan outcome, 1)
	id := b.request(nil, m, nil, header, func(m *wire.Message, err error) { answer <- outcome{m, err} })
	select {
	case a := <-answer:
		switch {
		case a.err != nil:
			return nil, a.err
		case a.m.Error != nil:
			return nil, &rpcError{method, string(strictjson.Get(a.m.Error, "code")), strictjson.GetText(a.m.Error, "message")}
		}
		return a.m.Result, nil
	case <-ctx.Done():
		b.abandon(id, nil, ctx.Err())
		return nil, context.Cause(ctx)
	}
}

// rpcError is an error that a server answered with.
type rpcError struct{ method, code, message string }

func (e *rpcError) Error() string {
	return fmt.Sprintf("%s: error %s: %q", e.method, e.code, e.message)
}

// abandon tells the server that a request is given up, in the
// client's own words where there are some.
func (b *backend) abandon(id int64, note *wire.Message, why error) {
	b.mu.Lock()
	_, waits := b.pending[id]
	delete(b.pending, id)
	link := b.link
	b.mu.Unlock()
	if !waits || link == nil {
		return
	}
	raw := wire.NewNotification("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%d,"reason":%s}`, id, strictjson.Quote(why.Error())))
	if note != nil {
		raw = note.With(nil, strictjson.Replace(note.Params, strictjson.Int(id), "requestId"))
	}
	b.send(upstream.Message{Raw: raw, Ends: id, Method: "notifications/cancelled"})
	link.Abandon(id)
}

// take removes a request that is being answered.
func (b *backend) take(id int64) *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pending[id]
	delete(b.pending, id)
	return p
}

// receive takes a message of the server's.
func (b *backend) receive(raw []byte, about int64) {
	m, err := wire.Parse(raw, b.c.g.limits())
	if err != nil {
		if m, err = wire.Parse(strictjson.Repair(raw), b.c.g.limits()); err != nil {
			b.unreadable(raw, err, about)
			return
		}
	}

	b.heard.Store(true)
	switch m.Kind {
	case wire.Response:
		id, err := strconv.ParseInt(string(m.ID), 10, 64)
		p := b.take(id)
		if err != nil || p == nil {
			b.server.log.Debug("the server answered what nobody asked")
			return
		}
		if m, err = b.withMarks(m); err == nil && len(m.Result) > 0 && m.Result[0] != '{' {
			m, err = nil, errors.New("the server's answer was refused: a result must be an object")
		}
		p.deliver(m, err)
	case wire.Request:
		b.question(m, about)
	case wire.Notification:
		b.notification(m, about)
	}
}

// unreadable handles a text of the server's that is not an acceptable message.
func (b *backend) unreadable(raw []byte, err error, about int64) {
	b.server.log.Warn("a message of the server was refused", "error", err)
	e := &wire.Error{}
	if errors.As(err, &e) {
		if id, err := strconv.ParseInt(string(e.ID), 10, 64); err == nil {
			about = id
		}
	}
	if about == 0 {
		// What can't be read as a whole may still say which request it answers.
		if id, err := strconv.ParseInt(wire.Number(raw, "id"), 10, 64); err == nil {
			about = id
		}
	}
	if about != 0 {
		b.failed(about, fmt.Errorf("the server's answer was refused: %w", err))
	}
}

// question passes a request of the server's on to the client.
func (b *backend) question(m *wire.Message, about int64) {
	port := b.port(about)
	id, ok := int64(0), false
	params, refused := b.marked(m.Method, m.Params)
	if refused != nil {
		b.server.log.Warn("a question of the server was refused", "method", m.Method, "error", refused)
	}
	if port != nil && refused == nil {
		id, ok = b.c.ask(&inquiry{b: b, id: m.ID})
	}
	if ok {
		raw := m.With(strictjson.Int(id), params)
		if err := port.Send(raw); err == nil {
			return
		}
		b.c.unask(id)
	}
	b.send(upstream.Message{Raw: wire.NewError(m.ID, wire.InternalError, "the client can't be asked", nil)})
}

// metaSubscription is the member of _meta by which a notification names the
// request for it.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// notification passes a notification of the server's on to the client.
func (b *backend) notification(m *wire.Message, about int64) {
	raw := m.Raw
	switch m.Method {
	case "notifications/progress":
		p := b.waiting(m.Param("progressToken"))
		if p == nil || p.token == nil || p.x == nil {
			return // the request has ended
		}
		b.deliver(m.With(nil, m.ReplaceParams(map[string]json.RawMessage{"progressToken": p.token})), p.x.port)
		return
	case "notifications/cancelled":
		b.withdrawn(m, about)
		return
	case "notifications/tools/list_changed":
		b.mu.Lock()
		b.stale = true
		b.mu.Unlock()
	case "notifications/prompts/list_changed", "notifications/resources/list_changed":
		b.mu.Lock()
		clear(b.lists)
		b.mu.Unlock()
	}

	if at, ok := strictjson.Find(m.Params, "_meta", metaSubscription); ok {
		p := b.waiting(at.Of(m.Params))
		if p == nil || p.x == nil {
			return
		}
		p.x.mu.Lock()
		l := p.x.listening
		p.x.mu.Unlock()
		if l != nil && m.Method == "notifications/subscriptions/acknowledged" {
			l.acknowledge(m.Param("notifications"), false)
			return
		}
		b.deliver(m.With(nil, strictjson.Splice(m.Params, at, p.x.id)), p.x.port)
		return
	}
	b.deliver(raw, b.port(about))
}

// waiting returns the request that the server names by an id of the gateway's.
func (b *backend) waiting(id []byte) *pending {
	n, err := strconv.ParseInt(string(bytes.Trim(id, `"`)), 10, 64)
	if err != nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pending[n]
}

func (b *backend) deliver(raw []byte, port Port) {
	if port == nil {
		b.server.log.Debug("there is no way to the client for a notification")
		return
	}
	if err := port.Send(raw); err != nil {
		b.server.log.Debug("a notification was not delivered", "error", err)
	}
}

// withdrawn passes on that the server no longer waits for an answer.
func (b *backend) withdrawn(m *wire.Message, about int64) {
	asked := m.Param("requestId")
	if asked == nil {
		return
	}
	key := wire.Key(asked)
	var id int64
	b.c.mu.Lock()
	for n, q := range b.c.asked {
		if q.b == b && wire.Key(q.id) == key {
			id = n
			delete(b.c.asked, n)
			break
		}
	}
	b.c.mu.Unlock()
	if id != 0 {
		b.deliver(m.With(nil, m.ReplaceParams(map[string]json.RawMessage{"requestId": strictjson.Int(id)})), b.port(about))
	}
}

// port returns the way to the client for the server's notifications: that of the request that one
// is about, the standing one, or that of the latest request that the server works on.
func (b *backend) port(about int64) Port {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pending[about]; p != nil && p.x != nil {
		return p.x.port
	}
	if b.c.standing != nil {
		return b.c.standing
	}
	latest := int64(0)
	for id, p := range b.pending {
		if p.x != nil && id > latest {
			latest = id
		}
	}
	if latest == 0 {
		return nil
	}
	return b.pending[latest].x.port
}

// failed says that a request will not be answered.
func (b *backend) failed(id int64, err error) {
	if errors.Is(err, upstream.ErrNoSession) {
		// All that the server knew of the client is gone.
		b.lost(err)
	}
	if p := b.take(id); p != nil {
		p.deliver(nil, err)
	}
}

// lost notes that the server can't be used as it is.
func (b *backend) lost(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = why
	}
}

// fail ends the connection for all who wait.
func (b *backend) fail(err error) {
	if err == nil {
		err = upstream.ErrClosed
	} else {
		err = fmt.Errorf("%w: %w", upstream.ErrClosed, err)
	}
	b.mu.Lock()
	if b.err == nil {
		b.err = err
	}
	waiting := b.pending
	b.pending = map[int64]*pending{}
	b.mu.Unlock()
	for _, p := range waiting {
		p.deliver(nil, err)
	}
}

func (b *backend) close(ctx context.Context) error {
	b.mu.Lock()
	link := b.link
	b.mu.Unlock()
	if link == nil {
		return nil
	}
	return link.Close(ctx)
}
