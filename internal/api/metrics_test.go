package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/store"
)

// TestMetrics: each decision is one line of the log and is counted, once.
func TestMetrics(t *testing.T) {
	record, end, err := telemetry.Start(t.Context(), telemetry.Options{Door: "api", Page: true, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer func() { must(t, end()) }()
	b := newBench(t, func(o *Options) { o.Telemetry = record })
	b.tainted(t, "s")
	for range 2 {
		b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"), "Idempotency-Key", "k")
	}
	b.post(t, 200, "operator", "/v1/sessions/s/confirmations", `{"call":"c1"}`)
	b.post(t, 200, "agent", "/access/v1/evaluation", authZEN("s", "nothing\nlevel=ERROR", `{}`))
	b.post(t, 404, "agent", "/v1/sessions/t/decisions", mailTo("c1", "eve@evil.example"))

	text := string(b.get(t, 200, "", "/metrics").body)
	for _, want := range []string{
		`remit_decisions_total{gen_ai_tool_name="send",remit_confirmed="false",remit_door="api",remit_mode="enforce",remit_server="mail",remit_verdict="ask"} 1`,
		`remit_decisions_total{gen_ai_tool_name="send",remit_confirmed="true",remit_door="api",remit_mode="enforce",remit_server="mail",remit_verdict="allow"} 1`,
		`remit_decisions_total{gen_ai_tool_name="_OTHER",remit_confirmed="false",remit_door="api",remit_mode="enforce",remit_server="",remit_verdict="deny"} 1`,
		`remit_request_duration_seconds_count{http_response_status_code="200",remit_operation="decide"} 3`,
		`remit_request_duration_seconds_bucket{http_response_status_code="200",remit_operation="decide",le="+Inf"} 3`,
		`remit_request_duration_seconds_count{http_response_status_code="404",remit_operation="decide"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("it lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "evil") {
		t.Error("what callers wrote is in the metrics")
	}
	lines := 0
	for line := range strings.Lines(b.log.String()) {
		if strings.Contains(line, "msg=decided") {
			lines++
		}
	}
	if lines != 4 || strings.Contains(b.log.String(), "\nlevel=ERROR") {
		t.Errorf("%d lines:\n%s", lines, b.log.String())
	}
	for _, want := range []string{"session=s call=c1 server=mail tool=send verdict=ask reasons=below-floor", "verdict=allow", "principal=operator"} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, b.log.String())
		}
	}
}

// TestReady: a server that can't carry requests out says so.
func TestReady(t *testing.T) {
	b := newBench(t)
	b.get(t, 200, "", "/readyz")
	var broken error
	tokens := newBench(t, func(o *Options) {
		o.Principal = func(string) (*access.Principal, error) { return nil, broken }
	})
	broken = errors.New("tokens.yaml:3: what is this?")
	if got := tokens.get(t, 503, "", "/readyz"); strings.Contains(string(got.body), "what is this") {
		t.Errorf("it tells everybody %s", got.body)
	}
	if !strings.Contains(tokens.log.String(), "what is this?") {
		t.Errorf("the log has %s", tokens.log.String())
	}
	must(t, b.store.Close())
	b.get(t, 503, "", "/readyz")
	b.get(t, 200, "", "/healthz")
}

// fullStore is a store whose disk is full while it says so.
type fullStore struct {
	store.Store
	full atomic.Bool
}

var errFull = errors.New("the disk is full")

func (s *fullStore) Append(ctx context.Context, session string, expected int64, records ...store.Record) error {
	if s.full.Load() {
		return errFull
	}
	return s.Store.Append(ctx, session, expected, records...)
}

func (s *fullStore) Note(ctx context.Context, n store.Note) error {
	if s.full.Load() {
		return errFull
	}
	return s.Store.Note(ctx, n)
}

// TestReadyOnAFullDisk: from a step that could not be recorded on the server isn't ready, until there
// is room again.
func TestReadyOnAFullDisk(t *testing.T) {
	var full *fullStore
	b := newBench(t, func(o *Options) {
		full = &fullStore{Store: o.Store}
		o.Store = full
	})
	b.post(t, 201, "agent", "/v1/sessions", `{"id":"s"}`)
	say := func(status int) {
		b.post(t, status, "agent", "/v1/sessions/s/events", `{"type":"user","text":"Hello."}`)
	}
	say(204)
	full.full.Store(true)
	b.get(t, 200, "", "/readyz")
	say(503)
	b.get(t, 503, "", "/readyz")
	full.full.Store(false)
	b.get(t, 200, "", "/readyz")
	say(204)
}

// TestRates: a principal that sends too much waits, and no other does.
func TestRates(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Rates = access.NewRates(2) })
	for range 2 {
		b.get(t, 200, "operator", "/v1/sessions")
	}
	if got := b.get(t, 429, "operator", "/v1/sessions"); got.header.Get("Retry-After") == "" {
		t.Errorf("it isn't said when to come again: %v", got.header)
	}
	b.get(t, 404, "agent", "/v1/sessions/none")
	b.get(t, 200, "", "/healthz")
}
