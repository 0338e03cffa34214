package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
)

// The header fields of MCP over HTTP.
const (
	HeaderSession = "Mcp-Session-Id"
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"
	HeaderParam   = "Mcp-Param-"

	// Stateless is the first revision of MCP without sessions.
	Stateless = "2026-07-28"
	// MetaVersion is the member of _meta that says the revision of a request.
	MetaVersion = "io.modelcontextprotocol/protocolVersion"
)

// Endpoint describes a server at an HTTP address.
type Endpoint struct {
	URL string
	// Header are fields for every request, credentials among them. They go to
	// this endpoint and nowhere else: redirections are not followed.
	Header http.Header
	// Transport carries the requests of all links to the endpoint; see
	// [NewTransport]. When nil it is http.DefaultTransport, which keeps two
	// connections at most.
	Transport  http.RoundTripper
	MaxMessage int
	Log        *slog.Logger
}

// idleConns is how many connections to one endpoint wait for the next request:
// as many as conversations may be calling it at the same time.
const (
	idleConns = 256
	// idleTime is how long, and handshakeTime how long TLS may take to begin;
	// both are those of net/http.
	idleTime      = 90 * time.Second
	handshakeTime = 10 * time.Second
)

// NewTransport makes a transport for one endpoint, which keeps the connections
// of many conversations.
func NewTransport() *http.Transport {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: handshakeTime,
		IdleConnTimeout: idleTime, MaxIdleConns: idleConns, MaxIdleConnsPerHost: idleConns}
}

// remote is a link to an HTTP endpoint.
type remote struct {
	url    string
	header http.Header
	client *http.Client
	most   int
	log    *slog.Logger
	to     Receiver

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	queued atomic.Int64
	waits  atomic.Int64

	mu      sync.Mutex
	closed  bool
	session string
	version string // of the legacy handshake
	// tail is closed when all notifications and responses sent so far have
	// arrived: what is sent after them must not overtake them.
	tail  chan struct{}
	calls map[int64]*sending
}

// sending is a request on its way.
type sending struct {
	cancel context.CancelFunc
	// written is closed once the server can read the request, or never will.
	written chan struct{}
	once    sync.Once
}

func (s *sending) wrote() { s.once.Do(func() { close(s.written) }) }

// Dial links to an HTTP endpoint. Nothing is sent yet.
func Dial(e Endpoint, to Receiver) Link {
	l := &remote{
		url: e.URL, header: e.Header, most: e.MaxMessage, log: e.Log, to: to,
		tail: make(chan struct{}), calls: map[int64]*sending{},
		client: &http.Client{
			Transport: e.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
	}
	close(l.tail)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Send implements [Link].
func (l *remote) Send(m Message) error {
	size, waits := l.queued.Add(int64(len(m.Raw))), l.waits.Add(1)
	release := func() {
		l.queued.Add(-int64(len(m.Raw)))
		l.waits.Add(-1)
	}
	if size > maxQueued || waits > maxQueue {
		release()
		return ErrBusy
	}
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.closed {
		release()
		return ErrClosed
	}
	before := l.tail
	ctx, cancel := context.WithCancel(l.ctx)
	if m.ID != 0 {
		call := &sending{cancel: cancel, written: make(chan struct{})}
		l.calls[m.ID] = call
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { call.wrote() }})
		l.work.Go(func() {
			defer release()
			defer cancel()
			<-before
			err := l.request(ctx, m)
			call.wrote()
			l.mu.Lock()
			delete(l.calls, m.ID)
			l.mu.Unlock()
			if err != nil {
				l.to.Failed(m.ID, err)
			}
		})
		return nil
	}

	after, call := make(chan struct{}), l.calls[m.Ends]
	l.tail = after
	l.work.Go(func() {
		defer release()
		defer cancel()
		defer close(after)
		<-before
		if call != nil {
			call.wait(ctx)
		}
		if err := l.notify(ctx, m); err != nil && l.ctx.Err() == nil {
			l.log.Warn("the server did not take a message", "method", m.Method, "error", err)
		}
	})
	return nil
}

// Abandon implements [Link].
func (l *remote) Abandon(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	call := l.calls[id]
	if call == nil || l.closed {
		return
	}
	l.work.Go(func() {
		call.wait(l.ctx)
		call.cancel()
	})
}

// wait waits until a request is written, as long as a server may take to accept one.
func (s *sending) wait(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	select {
	case <-s.written:
	case <-ctx.Done():
	}
}

// post sends a message. The caller closes the body.
func (l *remote) post(ctx context.Context, m Message) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(m.Raw))
	if err != nil {
		return nil, errors.New("the request could not be made")
	}
	l.fill(req, m)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return l.do(req)
}

// do sends a request and words its errors without the URL, which may hold a
// secret.
func (l *remote) do(req *http.Request) (*http.Response, error) {
	resp, err := l.client.Do(req)
	if err != nil {
		var wrapped interface{ Unwrap() error }
		if errors.As(err, &wrapped) && wrapped.Unwrap() != nil {
			err = wrapped.Unwrap()
		}
		return nil, fmt.Errorf("the server can't be reached: %w", err)
	}
	return resp, nil
}

// fill sets the header: what belongs to every request, and what must equal the
// body, derived from the body as it is sent.
func (l *remote) fill(req *http.Request, m Message) {
	for name, values := range l.header {
		req.Header[name] = values
	}

	for name, values := range m.Header {
		req.Header[name] = values
	}

	l.mu.Lock()
	session, version := l.session, l.version
	l.mu.Unlock()
	if session != "" {
		req.Header.Set(HeaderSession, session)
	}

	params := strictjson.Get(m.Raw, "params")
	if v := strictjson.GetText(params, "_meta", MetaVersion); v != "" {
		version = v
	}
	if version == "" {
		return
	}
	req.Header.Set(HeaderVersion, version)
	if version < Stateless || m.Method == "" {
		return
	}
	req.Header.Set(HeaderMethod, m.Method)
	if name, ok := Name(m.Method, params); ok {
		req.Header.Set(HeaderName, name)
	}
}

// Name returns the principal name of a request, which its Mcp-Name header repeats.
func Name(method string, params []byte) (string, bool) {
	member := "name"
	switch method {
	case "tools/call", "prompts/get":
	case "resources/read":
		member = "uri"
	default:
		return "", false
	}
	value := strictjson.Get(params, member)
	return strictjson.Text(value), len(value) > 0
}

func (l *remote) notify(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()

	told := make(chan struct{})
	defer close(told)

	if m.Method == "notifications/initialized" {
		// What the server says as soon as it is told must not be missed.
		opened := make(chan struct{})
		l.work.Go(func() { l.listen(opened, told) })
		select {
		case <-opened:
		case <-time.After(openTime):
		case <-ctx.Done():
		}
	}

	resp, err := l.post(ctx, m)
	if err != nil {
		return err
	}
	drain(resp)
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the server answered with HTTP %d", resp.StatusCode)
	}
	return nil
}

// openTime is how long the end of the handshake waits for the stream of
// notifications: some servers begin to answer only when they have something to
// say.
const openTime = time.Second

// notifyTime is how long a server may take to accept a notification: others
// wait behind it.
const notifyTime = 30 * time.Second

// drain closes a body so that its connection can be used again.
func drain(resp *http.Response) {
	// What is left doesn't matter, and an error only costs the connection.
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<16)
	resp.Body.Close()
}

// request sends a request and passes on what comes back until its answer.
func (l *remote) request(ctx context.Context, m Message) error {
	resp, err := l.post(ctx, m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()

	if s := resp.Header.Get(HeaderSession); s != "" && m.Method == "initialize" {
		l.mu.Lock()
		l.session = s
		l.mu.Unlock()
	}

	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest {
		return l.refused(resp, m)
	}

	switch {
	case kind == "application/json":
		body, err := io.ReadAll(io.LimitReader(resp.Body, int64(l.most)+1))
		if err != nil {
			return fmt.Errorf("the answer broke off: %w", err)
		}
		if len(body) > l.most {
			return fmt.Errorf("%w: more than %d bytes", ErrTooLong, l.most)
		}
		return l.single(resp.StatusCode, body, m)
	case resp.StatusCode >= 300:
		return fmt.Errorf("the server answered with HTTP %d", resp.StatusCode)
	case kind == "text/event-stream":
		return l.stream(ctx, resp.Body, m)
	}

	return fmt.Errorf("the server answered with a body that is neither JSON nor an event stream (HTTP %d)", resp.StatusCode)
}

// refused takes an answer with a status by which servers say that they don't know
// the session: 404 as the protocol has it, and 400 with words about sessions.
func (l *remote) refused(resp *http.Response, m Message) error {
	const most = 1 << 16
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	sent := resp.Request.Header.Get(HeaderSession)
	about := strings.Contains(strings.ToLower(string(body)), "session")
	if sent != "" && m.Method != "initialize" && (resp.StatusCode == http.StatusNotFound || about) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.session == sent {
			l.session = "" // there is nothing to end
		}
		return ErrNoSession
	}
	return l.single(resp.StatusCode, body, m)
}

// single passes on an answer that is one JSON body.
func (l *remote) single(status int, body []byte, m Message) error {
	if status >= 300 && strictjson.Get(body, "error") == nil {
		return fmt.Errorf("the server answered with HTTP %d", status)
	}
	if problem := strictjson.Get(body, "error"); status >= 300 && len(problem) > 0 && problem[0] == '{' {
		// The id is often left out of an error that came before the body was
		// looked at; it is this request's all the same.
		body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":%s}`, m.ID, problem)
	}
	l.learn(m, body)
	l.to.Receive(body, m.ID)
	return nil
}

// learn takes from the answer to a legacy handshake which revision was agreed.
func (l *remote) learn(m Message, body []byte) {
	if m.Method != "initialize" {
		return
	}
	if v := strictjson.GetText(body, "result", "protocolVersion"); v != "" {
		l.mu.Lock()
		l.version = v
		l.mu.Unlock()
	}
}

const (
	// maxResumes is how often a broken stream is taken up again.
	maxResumes = 5
	// resumeAfter is the time between, when the stream doesn't say.
	resumeAfter = time.Second
	// maxResumeAfter bounds what a stream says.
	maxResumeAfter = 30 * time.Second
)

// Close implements [Link]. A session of the legacy generation is ended.
func (l *remote) Close(ctx context.Context) error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	session := l.session
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()

	if session != "" {
		ctx, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodDelete, l.url, nil)
		if err == nil {
			l.fill(req, Message{})
			if resp, err := l.do(req); err == nil {
				drain(resp)
			}
		}
	}
	l.to.Closed(nil)
	return nil
}

// closeTime is how long a server may take to end a session: nothing depends on
// it.
const closeTime = 2 * time.Second
