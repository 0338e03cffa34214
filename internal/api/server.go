package api

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/door"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

// The server's bounds. Each is far beyond honest use and keeps a caller from
// exhausting memory or starving others.
const (
	// maxBody is the largest body in bytes: the bound of a tool's result.
	maxBody = 16 << 20
	// maxRequests bounds concurrent requests.
	maxRequests = 256
	// requestTime bounds a request, including the longest wait for an answer.
	requestTime = 90 * time.Second
	// DefaultGrace is how long running requests may take on shutdown.
	DefaultGrace = 10 * time.Second
)

// Options configure a [Server].
type Options struct {
	// Store holds the sessions; other enforcement points may share it.
	Store store.Store
	// Monitor returns the monitor for agents with these tools; nil when the
	// agents don't declare any. It must not have a [remit.Confirmer].
	Monitor func(tools []*schema.Catalogue) (*remit.Monitor, error)
	Observation
	// Desk has the deployment's contracts; nil for none.
	Desk *revise.Desk
	// Policies is where people decide about the policies of the document; nil for none.
	Policies *desk.Desk
	// Principal resolves a token; [access.ErrUnknownToken] means that it is
	// unknown. After any other error the server refuses the call.
	Principal func(token string) (*access.Principal, error)
	// Callers lists the host names and origins that may call the server.
	Callers access.Hosts
	// Grace is how long running requests may take on shutdown; [DefaultGrace]
	// when zero.
	Grace time.Duration
	// Pages are served below their path beside the API; nil for none.
	Pages Pages
	// Log receives details that callers aren't told; discarded when nil.
	Log *slog.Logger
	// Version is the program's, for the note that the store can be written to again.
	Version string
}

// Pages are what people look at, with their own checks of who calls.
type Pages interface {
	http.Handler
	// Base is the path below which they are.
	Base() string
	// Stop ends streams when the server stops.
	Stop()
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
	replays  chan struct{}
	streams  *sse.Streams
	// stopping is cancelled by stop, and ends streams and long waits.
	stopping context.Context
	stop     context.CancelFunc
}

// New returns a server. It fails if the description and the handlers don't match.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Desk == nil {
		o.Desk = &revise.Desk{Store: o.Store}
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}

	s := &Server{o: o, mux: http.NewServeMux(), hub: newHub(), streams: sse.NewStreams(),
		monitors: newMonitors(o.Monitor),
		busy:     make(chan struct{}, maxRequests), exports: make(chan struct{}, maxExports), replays: make(chan struct{}, maxReplays)}
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
			return nil, fmt.Errorf("openapi.yaml: no handler for %s", op.id)
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
		s.refuse(w, r, notFound.errorf("%s describes what there is", descriptionPath))
	})
	return s, nil
}

// methods dispatches a path by method.
func (s *Server) methods(by map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := by[r.Method]
		if h == nil {
			allow := strings.Join(slices.Sorted(maps.Keys(by)), ", ")
			s.refuse(w, r, methodNotAllowed.errorf("write %s", allow).setHeader("Allow", allow))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// handlers returns the handlers of the operations by id.
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
		"findSessions":    {answer: s.findSessions},
		"countDecisions":  {answer: s.countDecisions},
		"listEvents":      {answer: s.listEvents},
		"addEvent":        {answer: s.addEvent},
		"giveScope":       {answer: s.giveScope},
		"getScope":        {answer: s.getScope},
		"getDelegations":  {answer: s.getDelegations},
		"agreeToPlan":     {answer: s.agreeToPlan},
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
		"withdraw":        {answer: s.withdraw},
		"listContracts":   {answer: s.listContracts},
		"getContract":     {answer: s.getContract},
		"getToolContract": {answer: s.getToolContract},
		"getDefinition":   {answer: s.getDefinition},
		"checkContract":   {answer: s.checkContract},
		"editContract":    {answer: s.editContract},
		"whatIf":          {answer: s.whatIf},
		"play":            {answer: s.play},
		"getPolicies":     {answer: s.getPolicies},
		"comparePolicies": {answer: s.comparePolicies},
		"checkReview":     {answer: s.checkReview},
		"reviewPolicy":    {answer: s.reviewPolicy},
		"exportAudit":     {stream: s.exportAudit},
		"verifyAudit":     {answer: s.verifyAudit},
		"lastVerified":    {answer: s.lastVerified},
		"evaluate":        {answer: s.evaluate},
		"evaluateAll":     {answer: s.evaluateAll},
	}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.o.Pages != nil && strings.HasPrefix(r.URL.Path, s.o.Pages.Base()) {
		s.o.Pages.ServeHTTP(w, r)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	check := s.o.Callers.Check
	if r.URL.Path == "/metrics" {
		check = s.o.Callers.CheckScrape
	}
	if err := check(r); err != nil {
		s.refuse(w, r, forbidden.errorf("%s", err))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Serve serves HTTP until ctx ends, and then waits for running requests up to a
// bound. Streams end at once: their readers reconnect.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	out := door.Server{Handler: s, Log: s.o.Log, Grace: s.o.Grace, Stop: func(context.Context) error {
		s.stop()
		if s.o.Pages != nil {
			s.o.Pages.Stop()
		}
		return nil
	}}
	return out.Serve(ctx, l)
}
