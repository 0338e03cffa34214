package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit"
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

// TestUnkeyed: an operation that takes no idempotency key keeps no answer under one, so that
// who may only read writes nothing into the store.
func TestUnkeyed(t *testing.T) {
	b := newBench(t)
	for range 2 { // under one key, and for two requests: a kept answer would be in conflict
		b.post(t, 200, "person", "/v1/playground", `{"tools":"","conversation":""}`, "Idempotency-Key", "k")
		want(t, 400, b.send(t, "person", "POST", "/v1/playground", `{"tools":"{","conversation":""}`, "Idempotency-Key", "k"))
	}
}

// TestUnanswered: what a server had begun and not answered is carried out when it
// is sent again, at once and by whichever replica, and what it had written is not
// written again.
func TestUnanswered(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	const path = "/v1/sessions/s/decisions"
	body := mailTo("c1", "ann@corp.example")
	id := store.Request{Principal: "agent", Key: "k", Content: sha256.Sum256([]byte("POST " + path + "?\n" + body))}

	// It died before it wrote anything: the other one decides.
	first := b.post(t, 200, "agent", path, body, "Idempotency-Key", "k")
	if verdictOf(first) != "allow" {
		t.Fatalf("%s", first.body)
	}
	// It died after it had written the decision, and before it answered.
	replica := newBench(t, func(o *Options) { o.Store = b.store })
	again := replica.post(t, 200, "agent", path, body, "Idempotency-Key", "k")
	if string(again.body) != string(first.body) {
		t.Errorf("got %s, then %s", first.body, again.body)
	}
	// It is about to write what the other one has written: it answers the same.
	slow := &request{Request: httptest.NewRequest(http.MethodPost, path, nil), who: callers["agent"], form: decisionForm}
	slow.SetPathValue("session", "s")
	slow.body = []byte(mailTo("c2", "ann@corp.example"))
	id.Key = "k2"
	out, err := b.runKeyed(t.Context(), slow, id, func(ctx context.Context, r *request) (reply, error) {
		must(t, b.store.Settle(ctx, id, store.Reply{Status: 200, Header: map[string]string{}, Body: []byte(`{"first":true}`)}))
		return b.decide(ctx, r)
	})
	must(t, err)
	if text, _ := out.body.(kept); string(text) != `{"first":true}` {
		t.Errorf("got %v", out)
	}
	if info := into[store.SessionInfo](t, b.get(t, 200, "agent", "/v1/sessions/s")); info.Length != 4 {
		t.Errorf("the session has %d events", info.Length)
	}
}

// TestOvertaken: an answer that was made for a write which didn't come about, since
// another one was first, is not given.
func TestOvertaken(t *testing.T) {
	b := newBench(t)
	r := &request{Request: httptest.NewRequest(http.MethodPost, "/", nil), who: callers["agent"], form: decisionForm}
	id := store.Request{Principal: "agent", Key: "k"}
	for range 2 {
		out, err := b.runKeyed(t.Context(), r, id, func(_ context.Context, r *request) (reply, error) {
			_, err := r.settles.Reply(&remit.Decision{Call: "c1", Verdict: remit.Allow})
			must(t, err)
			return decisionReply(&remit.Decision{Call: "c1", Verdict: remit.Ask}, nil)
		})
		must(t, err)
		if text, _ := out.body.(kept); !strings.Contains(string(text), `"verdict":"ask"`) {
			t.Errorf("got %s", text)
		}
	}
}

// TestBatchUnanswered: of several evaluations, those that were carried out before
// the server died keep their answers.
func TestBatchUnanswered(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	one := `{"action":{"name":"send"},"context":{"session":"s","call":"c1","arguments":{"to":"ann@corp.example","text":"hi"}}}`
	two := `{"action":{"name":"send"},"context":{"session":"s","call":"c2","arguments":{"to":"eve@evil.example","text":"hi"}}}`
	body := `{"subject":{"type":"agent","id":"a"},"resource":{"type":"server","id":"mail"},"evaluations":[` + one + `,` + two + `]}`
	const path = "/access/v1/evaluations"
	id := store.Request{Principal: "agent", Key: "k", Content: sha256.Sum256([]byte("POST " + path + "?\n" + body))}

	r := &request{Request: httptest.NewRequest(http.MethodPost, path, nil), who: callers["agent"], form: decisionForm, settles: &store.Settlement{Request: id}}
	var all struct {
		evaluation
		Evaluations []evaluation `json:"evaluations"`
	}
	must(t, json.Unmarshal([]byte(body), &all))
	if _, err := b.evaluateOne(t.Context(), r, 0, all.Evaluations[0].fillFrom(all.evaluation)); err != nil {
		t.Fatal(err)
	}
	got := b.post(t, 200, "agent", path, body, "Idempotency-Key", "k")
	if again := b.post(t, 200, "agent", path, body, "Idempotency-Key", "k"); string(again.body) != string(got.body) {
		t.Errorf("got %s, then %s", got.body, again.body)
	}
	v := into[struct {
		Evaluations []evaluated `json:"evaluations"`
	}](t, got)
	if len(v.Evaluations) != 2 || !v.Evaluations[0].Decision || v.Evaluations[1].Decision {
		t.Errorf("%s", got.body)
	}
	if info := into[store.SessionInfo](t, b.get(t, 200, "agent", "/v1/sessions/s")); info.Length != 5 {
		t.Errorf("the session has %d events", info.Length)
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
