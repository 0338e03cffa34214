package api

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/remit-project/remit/store"
)

// TestOnce sends requests again under their keys.
func TestOnce(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	const decisions = "/v1/sessions/s/decisions"
	first := b.post(t, 200, "agent", decisions, `{"tool":"send","arguments":{"to":"ann@corp.example","text":"<b>&"}}`, "Idempotency-Key", "k1")
	again := b.post(t, 200, "agent", decisions, `{"tool":"send","arguments":{"to":"ann@corp.example","text":"<b>&"}}`, "Idempotency-Key", "k1")
	if string(first.body) != string(again.body) {
		t.Errorf("got %s, then %s", first.body, again.body)
	}
	if got := b.post(t, 409, "agent", decisions, mailTo("c2", "ann@corp.example"), "Idempotency-Key", "k1").kind(); got != "key-reused" {
		t.Errorf("another body: %s", got)
	}
	if got := b.post(t, 409, "agent", "/v1/sessions/s/end", "", "Idempotency-Key", "k1").kind(); got != "key-reused" {
		t.Errorf("another path: %s", got)
	}
	made := b.post(t, 201, "agent", "/v1/sessions", `{}`, "Idempotency-Key", "k2")
	remade := b.post(t, 201, "agent", "/v1/sessions", `{}`, "Idempotency-Key", "k2")
	if string(made.body) != string(remade.body) || made.header.Get("Location") != remade.header.Get("Location") || remade.header.Get("Location") == "" {
		t.Errorf("made %s at %v, then %s at %v", made.body, made.header, remade.body, remade.header)
	}
	event := `{"type":"user","text":"once"}`
	b.post(t, 204, "agent", "/v1/sessions/s/events", event, "Idempotency-Key", "k3")
	b.post(t, 204, "agent", "/v1/sessions/s/events", event, "Idempotency-Key", "k3")
	// A problem is an answer as well.
	for range 2 {
		if got := b.post(t, 404, "agent", "/v1/sessions/t/end", "", "Idempotency-Key", "k4").kind(); got != "not-found" {
			t.Errorf("a problem: %s", got)
		}
	}
	// The key is the principal's.
	b.post(t, 201, "other", "/v1/sessions", `{"id":"o"}`, "Idempotency-Key", "k1")
	if info := into[store.SessionInfo](t, b.get(t, 200, "agent", "/v1/sessions/s")); info.Length != 5 {
		t.Errorf("the session has %d events", info.Length)
	}
}

// TestUnderway: a request that was accepted and has no answer is not carried
// out a second time, whether its server still runs or has died.
func TestUnderway(t *testing.T) {
	for name, c := range map[string]struct {
		age  time.Duration
		kind string
	}{"just now": {0, "request-underway"}, "long ago": {requestTime, "request-unresolved"}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.tainted(t, "s")
			body := mailTo("c1", "ann@corp.example")
			before, err := store.Open(t.Context(), b.name, store.Options{Now: func() time.Time { return time.Now().Add(-c.age) }})
			must(t, err)
			defer before.Close()
			_, err = before.Accept(t.Context(), store.Request{Principal: "agent", Key: "k", Content: sha256.Sum256([]byte("POST /v1/sessions/s/decisions?\n" + body))})
			must(t, err)
			if got := b.post(t, 409, "agent", "/v1/sessions/s/decisions", body, "Idempotency-Key", "k").kind(); got != c.kind {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestReleased: a request that was certainly not carried out may be sent again
// under its key.
func TestReleased(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	var ids []string
	for range store.MaxOpenPerSession {
		ids = append(ids, into[store.Approval](t, b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`)).ID)
	}
	if got := b.post(t, 429, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`, "Idempotency-Key", "k"); got.kind() != "too-many" || got.header.Get("Retry-After") == "" {
		t.Errorf("got %s", got.body)
	}
	b.post(t, 200, "person", "/v1/approvals/"+ids[0]+"/answer", `{"answer":"deny"}`)
	b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`, "Idempotency-Key", "k")
	// All are listed, page by page, once.
	var got []string
	path := "/v1/approvals?limit=7"
	for next := ""; ; path = "/v1/approvals?limit=7&cursor=" + next {
		page := into[struct {
			Approvals []store.Approval
			Next      string
		}](t, b.get(t, 200, "agent", path))
		for _, a := range page.Approvals {
			got = append(got, a.ID)
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if len(got) != store.MaxOpenPerSession || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) || slices.Contains(got, ids[0]) {
		t.Errorf("listed %q", got)
	}
}
