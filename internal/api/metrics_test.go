package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/access"
)

// TestMetrics: each decision is one line of the log and is counted, once.
func TestMetrics(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	for range 2 {
		b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"), "Idempotency-Key", "k")
	}
	b.post(t, 200, "operator", "/v1/sessions/s/confirmations", `{"call":"c1"}`)
	b.post(t, 200, "agent", "/access/v1/evaluation", authZEN("s", "nothing\nlevel=ERROR", `{}`))
	b.post(t, 404, "agent", "/v1/sessions/t/decisions", mailTo("c1", "eve@evil.example"))

	text := string(b.get(t, 200, "", "/metrics").body)
	for _, want := range []string{
		`remit_decisions_total{verdict="allow"} 2`, `remit_decisions_total{verdict="ask"} 1`, `remit_decisions_total{verdict="deny"} 1`,
		`remit_requests_total{operation="decide",status="200"} 3`, `remit_requests_total{operation="decide",status="404"} 1`,
		`remit_request_seconds_count{operation="decide"} 4`, `remit_request_seconds_bucket{operation="decide",le="+Inf"} 4`,
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
