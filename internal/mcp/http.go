package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/door"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/sse"
)

// HTTP configures the gateway as a streamable HTTP server.
type HTTP struct {
	// Token is what clients must show as a bearer token; none when empty.
	Token string
	// Auth says who calls; when nil, callers are not told apart. Sessions are their
	// principal's own: no other one gets into them, whatever anchor it knows.
	Auth Authenticator
	// TLS is the server's; none when nil.
	TLS *tls.Config
	// Ready says what keeps the gateway from serving; nothing when nil. Where the last step could
	// not be recorded, it finds out whether one could now.
	Ready func(ctx context.Context, troubled bool) error
	// Hosts are the names that clients may call the gateway by, beside those of
	// the loopback interface. A page in a browser can make any name lead here.
	Hosts []string
	// Origins are the web pages that may call, as https://console.example. A
	// request without an origin comes from no page.
	Origins []string
	// MetaKey is the member of _meta that names the conversation of a request,
	// where clients have one; none when empty.
	MetaKey string
	// Idle is how long a conversation may be silent before its connections are
	// closed; [DefaultIdle] when zero. Its session stays.
	Idle time.Duration
	// Quiet is how long a client hears nothing before it gets a comment, which keeps
	// what is between from closing the connection; [sse.Heartbeat] when zero.
	Quiet time.Duration
	// Grace is how long requests in flight may take when the gateway stops;
	// [DefaultGrace] when zero.
	Grace time.Duration
}

// Authenticator says who makes a request.
type Authenticator interface {
	// Authenticate returns the principal: a name that no other caller has.
	Authenticate(r *http.Request) (principal string, err error)
	// Challenge answers a request that Authenticate did not accept.
	Challenge(w http.ResponseWriter, err error)
}

const (
	// DefaultIdle is how long a silent client keeps its connections.
	DefaultIdle = 30 * time.Minute
	// DefaultGrace is how long requests in flight may take when the gateway stops.
	DefaultGrace = 10 * time.Second
	// minRun is the shortest token of a run: 128 bits in base 32 have 26.
	minRun = 22
	// maxRun bounds it, and a declared name of a conversation.
	maxRun = 256
	// maxPrincipal bounds the name of a principal, in bytes, as stores do.
	maxPrincipal = 256
	// readyTime bounds the answer about readiness: callers ask again.
	readyTime = 2 * time.Second
	// headerMismatch is MCP's code for a header that doesn't equal the body.
	headerMismatch = -32020
)

// Handler serves MCP over HTTP: at /mcp, and for the conversation of one run at /mcp/TOKEN, with
// POST /runs to get such a token. /healthz, /readyz and /metrics need no credentials: they say
// that the gateway runs, that it can serve, and what it counts.
type Handler struct {
	g   *Gateway
	o   HTTP
	mux *http.ServeMux

	mu       sync.Mutex
	sessions map[string]*legacySession // by Mcp-Session-Id
	runs     map[string]*conversation  // of the generation without sessions, by anchor
	lobby    *conversation
}

// legacySession is a client's session of the generation that has them.
type legacySession struct {
	c        *conversation
	standing *standing
	anchor   string // of the address it belongs to; empty for its own
	// principal is whose it is.
	principal string
}

// NewHandler makes a handler for the gateway.
func NewHandler(g *Gateway, o HTTP) *Handler {
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	if o.Quiet <= 0 {
		o.Quiet = sse.Heartbeat
	}

	h := &Handler{g: g, o: o, mux: http.NewServeMux(), sessions: map[string]*legacySession{}, runs: map[string]*conversation{}}
	h.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { health(w, nil) })
	h.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { health(w, h.ready(r.Context())) })
	h.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := (access.Hosts{Names: o.Hosts, Origins: o.Origins}).CheckScrape(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		g.o.Telemetry.ServePage(w, r)
	})
	h.mux.Handle("POST /runs", h.guard(http.HandlerFunc(h.run)))
	h.mux.Handle("/mcp", h.guard(http.HandlerFunc(h.mcp)))
	h.mux.Handle("/mcp/{run}", h.guard(http.HandlerFunc(h.mcp)))
	return h
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Handle adds handlers that need no credentials.
func (h *Handler) Handle(register func(*http.ServeMux)) { register(h.mux) }

// guard lets through callers that may call at all.
func (h *Handler) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := func(why string) {
			h.g.log.Warn("a request was not accepted", "error", why, "from", r.RemoteAddr, "path", r.URL.Path)
		}
		switch err := (access.Hosts{Names: h.o.Hosts, Origins: h.o.Origins}).Check(r); {
		case errors.Is(err, access.ErrHost):
			refused(fmt.Sprintf("%v: %q", err, r.Host))
			http.Error(w, err.Error()+": add it to listen.hosts", http.StatusForbidden)
			return
		case err != nil:
			refused(fmt.Sprintf("%v: %q", err, r.Header.Get("Origin")))
			http.Error(w, err.Error()+": add it to listen.origins", http.StatusForbidden)
			return
		}

		if h.o.Token != "" {
			shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(h.o.Token))
			if !ok || subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
				refused("the token is missing or wrong")
				w.Header().Set("WWW-Authenticate", `Bearer realm="remit"`)
				http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
				return
			}
		}
		if h.o.Auth != nil {
			who, err := h.o.Auth.Authenticate(r)
			if err == nil && (who == "" || len(who) > maxPrincipal) {
				err = fmt.Errorf("the name of the principal has %d bytes, and may have 1 to %d", len(who), maxPrincipal)
			}
			if err != nil {
				refused(err.Error())
				h.o.Auth.Challenge(w, err)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), principalKey{}, who))
		}
		next.ServeHTTP(w, r)
	})
}

func (h *Handler) mcp(w http.ResponseWriter, r *http.Request) {
	anchor, err := h.address(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	h.sweep()
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, anchor)
	case http.MethodGet:
		h.get(w, r, anchor)
	case http.MethodDelete:
		h.delete(w, r, anchor)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "write GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// refuse answers with an error of JSON-RPC's.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(wire.NewError(id, code, message, nil)) // the client has gone, then
}

func accepts(r *http.Request) (jsonOK, streamOK bool) {
	for _, value := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json", "application/*":
				jsonOK = true
			case "text/event-stream", "text/*":
				streamOK = true
			case "*/*":
				jsonOK, streamOK = true, true
			}
		}
	}
	return jsonOK, streamOK
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request, anchor string) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "send application/json", http.StatusUnsupportedMediaType)
		return
	}
	if a, b := accepts(r); !a || !b {
		http.Error(w, "accept both application/json and text/event-stream", http.StatusNotAcceptable)
		return
	}

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.g.o.Limits.Message)))
	if err != nil {
		status := http.StatusBadRequest
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, nil, wire.InvalidRequest, fmt.Sprintf("the body could not be read: at most %d bytes are accepted", h.g.o.Limits.Message))
		return
	}
	m, err := wire.Parse(body, h.g.limits())
	if err != nil {
		e := &wire.Error{Code: wire.ParseError, Message: err.Error()}
		errors.As(err, &e)
		refuse(w, http.StatusBadRequest, e.ID, e.Code, e.Message)
		return
	}

	version := m.ParamText("_meta", upstream.MetaVersion)
	if version >= upstream.Stateless || r.Header.Get(upstream.HeaderVersion) >= upstream.Stateless {
		if err := mirrors(r.Header, m, version); err != nil {
			refuse(w, http.StatusBadRequest, m.ID, headerMismatch, err.Error())
			return
		}
		h.postStateless(w, r, m, anchor)
		return
	}
	h.postLegacy(w, r, m, anchor)
}

// mirrors reports whether the header says the same as the body. Whatever reads
// only one of them, a balancer or the monitor, would otherwise see another call.
func mirrors(header http.Header, m *wire.Message, version string) error {
	one := func(name, want string, must bool) error {
		values := header.Values(name)
		switch {
		case len(values) > 1:
			return fmt.Errorf("the header %s stands more than once", name)
		case len(values) == 0 && must:
			return fmt.Errorf("the header %s is missing", name)
		case len(values) == 1 && values[0] != want && decodeHeader(values[0]) != want:
			return fmt.Errorf("the header %s is not what the body says", name)
		}
		return nil
	}

	if m.Kind != wire.Request {
		return one(upstream.HeaderMethod, m.Method, false)
	}
	if err := one(upstream.HeaderVersion, version, true); err != nil {
		return err
	}
	if err := one(upstream.HeaderMethod, m.Method, true); err != nil {
		return err
	}

	name, ok := upstream.Name(m.Method, m.Params)
	return one(upstream.HeaderName, name, ok)
}

// postStateless takes a message of the generation without sessions.
func (h *Handler) postStateless(w http.ResponseWriter, r *http.Request, m *wire.Message, anchor string) {
	if anchor == "" {
		anchor = h.declared(r, m)
	}
	c, err := h.runOf(anchor, principal(r))
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, m.ID, wire.InternalError, err.Error())
		return
	}
	if anchor == "" && !open(m) {
		refuse(w, http.StatusBadRequest, m.ID, wire.InvalidRequest, h.anchorless())
		return
	}
	h.exchange(w, r, r.Context(), c, m, true)
}

// runOf returns the conversation of an anchor, the common one without a session
// for none.
func (h *Handler) runOf(anchor, principal string) (*conversation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()

	if anchor == "" {
		if h.lobby == nil || h.lobby.over() {
			c, err := h.g.converse("", "", nil)
			if err != nil {
				return nil, err
			}
			h.lobby = c
		}
		return h.lobby, nil
	}
	if c := h.runs[anchor]; c != nil && !c.over() {
		return c, nil
	}

	c, err := h.g.converse(anchor, principal, nil)
	if err == nil {
		h.runs[anchor] = c
	}
	return c, err
}

// postLegacy takes a message of the generation with sessions.
func (h *Handler) postLegacy(w http.ResponseWriter, r *http.Request, m *wire.Message, anchor string) {
	id := r.Header.Get(upstream.HeaderSession)
	if id == "" {
		if m.Kind != wire.Request || m.Method != "initialize" {
			refuse(w, http.StatusBadRequest, m.ID, wire.InvalidRequest, "the header Mcp-Session-Id is missing: begin with initialize")
			return
		}
		s, id, err := h.begin(r, m, anchor)
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, m.ID, wire.InternalError, err.Error())
			return
		}
		w.Header().Set(upstream.HeaderSession, id)
		h.exchange(w, r, context.WithoutCancel(r.Context()), s.c, m, false)
		return
	}

	s := h.find(r, anchor)
	if err := h.g.running(); err != nil {
		refuse(w, http.StatusServiceUnavailable, m.ID, wire.InternalError, err.Error())
		return
	}
	if s == nil {
		refuse(w, http.StatusNotFound, m.ID, wire.InvalidRequest, "there is no such session: begin with initialize")
		return
	}
	h.exchange(w, r, context.WithoutCancel(r.Context()), s.c, m, false)
}

// begin makes a session of the legacy generation.
func (h *Handler) begin(r *http.Request, m *wire.Message, anchor string) (*legacySession, string, error) {
	id := rand.Text()
	s := &legacySession{standing: newStanding(), anchor: anchor, principal: principal(r)}
	if anchor == "" {
		anchor = h.declared(r, m)
	}
	if anchor == "" {
		anchor = "mcp-" + digest(id)
	}
	var err error
	if s.c, err = h.g.converse(anchor, s.principal, s.standing); err != nil {
		return nil, "", err
	}
	h.mu.Lock()
	h.sessions[id] = s
	h.mu.Unlock()
	return s, id, nil
}

// find returns a session to whom it belongs, at its address.
func (h *Handler) find(r *http.Request, anchor string) *legacySession {
	id := r.Header.Get(upstream.HeaderSession)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.anchor != anchor || s.principal != principal(r) || s.c.over() {
		return nil
	}
	return s
}

// exchange hands a message to its conversation, and waits for the answer to a
// request.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, ctx context.Context, c *conversation, m *wire.Message, shared bool) {
	if m.Kind != wire.Request {
		c.accept(ctx, m, nil, shared)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	p := &postPort{w: w, caller: r.Context(), control: http.NewResponseController(w), done: make(chan struct{}), statuses: shared}
	c.accept(h.g.o.Telemetry.From(ctx, r.Header.Get), m, p, shared)
	p.wait(r.Context(), h.o.Quiet)
	p.close()
}

func (h *Handler) get(w http.ResponseWriter, r *http.Request, anchor string) {
	s := h.find(r, anchor)
	if s == nil {
		http.Error(w, "there is no such session: begin with initialize", http.StatusNotFound)
		return
	}
	if _, ok := accepts(r); !ok {
		http.Error(w, "accept text/event-stream", http.StatusNotAcceptable)
		return
	}
	if !s.standing.serve(w, r, s.c.ended, h.o.Quiet) {
		http.Error(w, "the session has a stream already", http.StatusConflict)
	}
}

func (h *Handler) delete(w http.ResponseWriter, r *http.Request, anchor string) {
	id := r.Header.Get(upstream.HeaderSession)
	s := h.find(r, anchor)
	if s == nil {
		http.Error(w, "there is no such session", http.StatusNotFound)
		return
	}
	h.mu.Lock()
	delete(h.sessions, id)
	h.mu.Unlock()
	h.end(s.c)
	w.WriteHeader(http.StatusNoContent)
}

// end closes a conversation that its client will not come back to.
func (h *Handler) end(c *conversation) {
	ctx, cancel := context.WithTimeout(context.Background(), lingerTime)
	defer cancel()
	if err := c.close(ctx); err != nil {
		h.g.log.Debug("a conversation did not end well", "error", err)
	}
}

// over reports whether a conversation takes no more requests.
func (c *conversation) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// idle reports whether a conversation has been silent since a time.
func (c *conversation) idle(since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.live) == 0 && c.used.Before(since)
}

// sweep closes conversations that have been silent for long.
func (h *Handler) sweep() {
	since := time.Now().Add(-h.o.Idle)
	var idle []*conversation
	h.mu.Lock()
	for id, s := range h.sessions {
		silent := s.c.idle(since) && !s.standing.attached()
		if s.c.over() || silent {
			delete(h.sessions, id)
			idle = append(idle, s.c)
		}
	}

	for anchor, c := range h.runs {
		if c.over() || c.idle(since) {
			delete(h.runs, anchor)
			idle = append(idle, c)
		}
	}
	h.mu.Unlock()

	for _, c := range idle {
		go h.end(c)
	}
}

// Serve serves HTTP until the context ends, and then for as long as requests in
// flight need, up to a bound. Streams end with their conversations.
func (h *Handler) Serve(ctx context.Context, l net.Listener) error {
	s := door.Server{Handler: h, TLS: h.o.TLS, Log: h.g.log, Grace: h.o.Grace, Stop: h.g.Close}
	return s.Serve(ctx, l)
}
