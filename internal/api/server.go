package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

// The bounds of the server. Each is far beyond honest use, and there so that no
// caller can fill memory or hold what others need.
const (
	// maxBody is the largest body, in bytes: the bound of a tool's result.
	maxBody = 16 << 20
	// maxRequests bounds the requests that are carried out at once.
	maxRequests = 256
	// bodyTime is how long a caller may take to send a body, writeTime how long
	// it may take to receive an answer or an event.
	bodyTime  = 30 * time.Second
	writeTime = 30 * time.Second
	// requestTime bounds a request, with the longest wait for an answer.
	requestTime = 90 * time.Second
	// DefaultGrace is how long requests in flight may take when the server stops.
	DefaultGrace = 10 * time.Second
)

// Options configure a [Server].
type Options struct {
	// Store keeps the sessions; other enforcement points may share it.
	Store store.Store
	// Monitor makes the monitor of sessions whose agents have these tools; nil
	// when the agents don't say. It must not have a [remit.Confirmer].
	Monitor func(tools []*schema.Catalogue) (*remit.Monitor, error)
	// Contracts are those of the deployment, for callers to read.
	Contracts []*contract.File
	// Principal tells whose a token is: [access.ErrUnknownToken] when it is
	// unknown. After any other error the call is refused.
	Principal func(token string) (*access.Principal, error)
	// Callers says by what names, and from which pages, the server is called.
	Callers access.Hosts
	// Grace is how long requests in flight may take when the server stops;
	// [DefaultGrace] when zero.
	Grace time.Duration
	// Log gets what callers aren't told; discarded when nil.
	Log *slog.Logger
}

// Server is the decision API.
type Server struct {
	o        Options
	mux      *http.ServeMux
	ledger   *ledger.Ledger
	queue    *ledger.Queue
	monitors *monitors
	hub      *hub
	busy     chan struct{}
	exports  chan struct{}
	streams  *streams
	metrics  *metrics
	// stopping ends when streams and long waits have to, which stop does.
	stopping context.Context
	stop     context.CancelFunc
}

// New makes a server. It fails when the description and the code have come
// apart.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}

	s := &Server{o: o, mux: http.NewServeMux(), hub: newHub(), streams: newStreams(), metrics: newMetrics(),
		monitors: newMonitors(o.Monitor),
		busy:     make(chan struct{}, maxRequests), exports: make(chan struct{}, maxExports)}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.ledger = ledger.New(o.Store, ledger.Options{})
	s.queue = &ledger.Queue{Approvals: o.Store}
	list, err := operations(Description)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}

	handlers := s.handlers()
	methods := map[string]map[string]http.Handler{}
	for _, op := range list {
		h, ok := handlers[op.id]
		if !ok {
			return nil, fmt.Errorf("openapi.yaml: nothing carries out %s", op.id)
		}
		delete(handlers, op.id)
		if methods[op.path] == nil {
			methods[op.path] = map[string]http.Handler{}
			s.mux.Handle(op.path, s.methods(methods[op.path]))
		}
		methods[op.path][op.method] = s.measure(op.id, s.route(op, h))
	}

	if len(handlers) > 0 {
		return nil, fmt.Errorf("openapi.yaml: it doesn't describe %s", strings.Join(slices.Sorted(maps.Keys(handlers)), ", "))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, notFound.of("/openapi.yaml describes what there is"))
	})
	return s, nil
}

// methods serves a path by the methods that it has.
func (s *Server) methods(by map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := by[r.Method]
		if h == nil {
			allow := strings.Join(slices.Sorted(maps.Keys(by)), ", ")
			s.refuse(w, r, methodNotAllowed.of("write %s", allow).with("Allow", allow))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// handlers are what carries the operations out, by their ids.
func (s *Server) handlers() map[string]handler {
	return map[string]handler{
		"health":          {answer: health},
		"ready":           {answer: s.ready},
		"metrics":         {stream: s.showMetrics},
		"description":     {stream: s.description},
		"listSessions":    {answer: s.listSessions},
		"createSession":   {answer: s.createSession},
		"getSession":      {answer: s.getSession},
		"endSession":      {answer: s.endSession},
		"addEvent":        {answer: s.addEvent},
		"decide":          {answer: s.decide},
		"listDecisions":   {answer: s.listDecisions},
		"getDecision":     {answer: s.getDecision},
		"explain":         {answer: s.explain},
		"confirm":         {answer: s.confirm},
		"ask":             {answer: s.ask},
		"streamDecisions": {stream: s.streamDecisions},
		"listApprovals":   {answer: s.listApprovals},
		"streamApprovals": {stream: s.streamApprovals},
		"getApproval":     {answer: s.getApproval, waits: true},
		"answer":          {answer: s.answer},
		"useApproval":     {answer: s.useApproval},
		"listContracts":   {answer: s.listContracts},
		"getContract":     {answer: s.getContract},
		"getToolContract": {answer: s.getToolContract},
		"exportAudit":     {stream: s.exportAudit},
		"verifyAudit":     {answer: s.verifyAudit},
		"evaluate":        {answer: s.evaluate},
		"evaluateAll":     {answer: s.evaluateAll},
	}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if err := s.o.Callers.Check(r); err != nil {
		s.refuse(w, r, forbidden.of("%s", err))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Serve serves HTTP until the context ends, and then for as long as requests in
// flight need, up to a bound. Streams end at once: their readers come back.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stop()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Grace)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
