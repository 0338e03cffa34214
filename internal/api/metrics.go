package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/internal/upkeep"
)

// readyTime bounds the readiness check: probes run often and give up soon.
const readyTime = 2 * time.Second

// Observation is what counts requests and decisions, and holds callers to their rates.
type Observation struct {
	// Rates hold each principal to a number of requests in a minute; none when nil.
	Rates *access.Rates
	// Telemetry takes metrics, of which /metrics shows the page; none when nil.
	Telemetry *telemetry.Recorder
}

// measure wraps a handler and counts its requests.
func (s *Server) measure(operation string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			s.o.Telemetry.Answered(context.WithoutCancel(r.Context()), operation, seen.status, time.Since(began))
		}()
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

func (s *Server) showMetrics(w http.ResponseWriter, r *request) error {
	page, err := s.o.Telemetry.Page(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", telemetry.PageType)
	_, _ = w.Write([]byte(page)) // the caller has gone, then
	return nil
}

// ready reports whether the server can work: the store answers, steps can be recorded, and the
// tokens can be read.
func (s *Server) ready(ctx context.Context, _ *request) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if s.stopping.Err() != nil {
		return reply{}, unavailable.errorf("the server stops")
	}
	if err := upkeep.Ready(ctx, s.o.Store, s.ledger, s.o.Version); err != nil {
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
	counted := *d
	if d.Effect == "" {
		counted.Server = "" // whatever the caller wrote, and each would be a time series
	}
	s.o.Telemetry.Decided(context.WithoutCancel(r.Context()), &counted, "enforce", time.Since(began))
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
