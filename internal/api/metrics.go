package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
)

// readyTime bounds the readiness check: probes run often and give up soon.
const readyTime = 2 * time.Second

// latencies are the upper bounds of the latency buckets in seconds, from a
// decision on an idle machine to the longest wait of a client.
var latencies = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// metrics counts operations. Its labels are operations, statuses and verdicts, so
// their number is bounded and no text from a caller appears in them.
type metrics struct {
	mu        sync.Mutex
	requests  map[served]int
	times     map[string]*times // by operation
	decisions map[remit.Verdict]int
}

type served struct {
	operation string
	status    int
}

// times is a histogram.
type times struct {
	buckets [len(latencies)]int
	sum     float64
	count   int
}

func newMetrics() *metrics {
	return &metrics{requests: map[served]int{}, times: map[string]*times{}, decisions: map[remit.Verdict]int{}}
}

func (m *metrics) request(operation string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[served{operation, status}]++
	t := m.times[operation]
	if t == nil {
		t = &times{}
		m.times[operation] = t
	}
	seconds := took.Seconds()
	t.sum, t.count = t.sum+seconds, t.count+1
	for i, end := range latencies {
		if seconds <= end {
			t.buckets[i]++
		}
	}
}

func (m *metrics) decision(v remit.Verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decisions[v]++
}

// String returns the metrics in Prometheus's text format.
func (m *metrics) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()

	var b strings.Builder
	b.WriteString("# HELP remit_decisions_total Calls that were decided, by verdict.\n# TYPE remit_decisions_total counter\n")
	for _, v := range []remit.Verdict{remit.Allow, remit.Ask, remit.Deny} {
		fmt.Fprintf(&b, "remit_decisions_total{verdict=%q} %d\n", v, m.decisions[v])
	}

	b.WriteString("# HELP remit_requests_total Requests that were answered, by operation and status.\n# TYPE remit_requests_total counter\n")
	for _, s := range slices.SortedFunc(maps.Keys(m.requests), func(a, b served) int {
		return strings.Compare(a.operation+strconv.Itoa(a.status), b.operation+strconv.Itoa(b.status))
	}) {
		fmt.Fprintf(&b, "remit_requests_total{operation=%q,status=\"%d\"} %d\n", s.operation, s.status, m.requests[s])
	}

	b.WriteString("# HELP remit_request_seconds The time that requests took.\n# TYPE remit_request_seconds histogram\n")
	for _, operation := range slices.Sorted(maps.Keys(m.times)) {
		t := m.times[operation]
		for i, end := range latencies {
			fmt.Fprintf(&b, "remit_request_seconds_bucket{operation=%q,le=\"%g\"} %d\n", operation, end, t.buckets[i])
		}
		fmt.Fprintf(&b, "remit_request_seconds_bucket{operation=%q,le=\"+Inf\"} %d\n", operation, t.count)
		fmt.Fprintf(&b, "remit_request_seconds_sum{operation=%q} %g\nremit_request_seconds_count{operation=%q} %d\n", operation, t.sum, operation, t.count)
	}

	return b.String()
}

// measure wraps a handler and counts its requests.
func (s *Server) measure(operation string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() { s.metrics.request(operation, seen.status, time.Since(began)) }()
		h.ServeHTTP(seen, r)
	})
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap supports [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (s *Server) showMetrics(w http.ResponseWriter, _ *request) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(s.metrics.String() + s.o.Plans.String())) // the caller has gone, then
	return nil
}

// ready reports whether the server can work: the store answers and the tokens can
// be read.
func (s *Server) ready(ctx context.Context, _ *request) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if s.stopping.Err() != nil {
		return reply{}, unavailable.errorf("the server stops")
	}
	if _, err := s.o.Store.Sessions(ctx, "", 1); err != nil {
		s.o.Log.Error("not ready: the store doesn't answer", "error", err)
		return reply{}, unavailable.errorf("the store doesn't answer")
	}
	if _, err := s.o.Principal(""); err != nil && !errors.Is(err, access.ErrUnknownToken) {
		s.o.Log.Error("not ready: the tokens can't be read", "error", err)
		return reply{}, unavailable.errorf("the tokens can't be read")
	}
	return health(ctx, nil)
}

// noteDecision logs and counts a decision. The log leaves out the arguments.
func (s *Server) noteDecision(r *request, d *remit.Decision, began time.Time) {
	s.metrics.decision(d.Verdict)
	if !s.o.Log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	var codes []string
	for _, reason := range d.Reasons {
		if code := string(reason.Code); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	s.o.Log.Info("decided", "session", d.Session, "call", clip(d.Call), "server", clip(d.Server), "tool", clip(d.Tool), "verdict", string(d.Verdict),
		"reasons", strings.Join(codes, ","), "confirmed", d.Confirmed, "principal", r.who.Name, "took", time.Since(began).Round(10*time.Microsecond))
}
