package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

// listener reads a stream of the server.
type listener struct {
	t      *testing.T
	in     *sse.Reader
	cancel context.CancelFunc
	header http.Header
}

func (b *bench) listen(t *testing.T, who, path, last string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.http.URL+path, nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+who)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := b.http.Client().Do(r)
	must(t, err)
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(res.Body)
		t.Fatalf("status %d: %s", res.StatusCode, data)
	}
	return &listener{t, sse.NewReader(res.Body, 1<<20), cancel, res.Header}
}

// next wants an event, and returns its id and some of its data.
func (l *listener) next(name string) (id string, data struct {
	Call, Verdict, ID, State string
	Approvals                []string
}) {
	l.t.Helper()
	e, err := l.in.Next()
	must(l.t, err)
	if e.Name != name {
		l.t.Fatalf("event %s, want %s: %s", e.Name, name, e.Data)
	}
	must(l.t, json.Unmarshal(e.Data, &data))
	return e.ID, data
}

func (l *listener) ends() {
	l.t.Helper()
	if e, err := l.in.Next(); !errors.Is(err, io.EOF) {
		l.t.Fatalf("got %s %s, %v at the end", e.Name, e.Data, err)
	}
}

// TestStreamDecisions follows a session from its beginning and from a place in
// it, also where another process writes, to its end.
func TestStreamDecisions(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	whole := b.listen(t, "agent", "/v1/sessions/s/stream", "")
	if got := whole.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("it is %s", got)
	}
	first, d := whole.next("decision")
	if d.Call != "r1" || d.Verdict != "allow" || first != "1" {
		t.Errorf("first: event %s, %+v", first, d)
	}
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	if id, d := whole.next("decision"); d.Call != "c1" || d.Verdict != "ask" || id != "3" {
		t.Errorf("second: event %s, %+v", id, d)
	}
	// Another process, which wakes no waiter here.
	elsewhere, err := store.Open(t.Context(), b.name, store.Options{})
	must(t, err)
	defer elsewhere.Close()
	build, _ := monitorFor(t)
	m, err := build(nil)
	must(t, err)
	session, err := ledger.New(elsewhere, ledger.Options{}).Open(t.Context(), m, "s")
	must(t, err)
	_, err = session.Decide(t.Context(), remit.Call{ID: "c2", Tool: "send", Arguments: json.RawMessage(`{"to":"ann@corp.example","text":"x"}`)})
	must(t, err)
	if _, d := whole.next("decision"); d.Call != "c2" || d.Verdict != "allow" {
		t.Errorf("third: %+v", d)
	}
	rest := b.listen(t, "agent", "/v1/sessions/s/stream", "1")
	for _, want := range []string{"c1", "c2"} {
		if _, d := rest.next("decision"); d.Call != want {
			t.Errorf("after the first: %+v, want %s", d, want)
		}
	}
	b.post(t, 200, "agent", "/v1/sessions/s/end", "")
	for _, l := range []*listener{whole, rest} {
		if _, d := l.next("end"); d.ID != "s" {
			t.Errorf("end: %+v", d)
		}
		l.ends()
	}
}

// TestStreamLargeDecisions reads few large decisions at a time, and sends all.
func TestStreamLargeDecisions(t *testing.T) {
	b := newBench(t)
	b.post(t, 201, "agent", "/v1/sessions", `{"id":"s"}`)
	info, err := b.store.Session(t.Context(), "s")
	must(t, err)
	const decisions = 5
	text, err := json.Marshal(strings.Repeat("x", streamBytes/2))
	must(t, err)
	for i := range decisions {
		id := fmt.Sprint("c", i)
		must(t, b.store.Append(t.Context(), "s", info.Length+int64(i), store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: &remit.Call{ID: id, Tool: "send"}, Verdict: remit.Allow},
			Decision: &remit.Decision{Session: "s", Call: id, Tool: "send", Verdict: remit.Allow, Arguments: json.RawMessage(text)}}))
	}

	list, more, err := b.decisions(t.Context(), "s", 0)
	if err != nil || len(list) != 2 || !more {
		t.Errorf("%d are read at once, more: %v, %v", len(list), more, err)
	}
	l := b.listen(t, "agent", "/v1/sessions/s/stream", "")
	for i := range decisions {
		if _, d := l.next("decision"); d.Call != fmt.Sprint("c", i) {
			t.Errorf("%d: %+v", i, d)
		}
	}
}

// TestStreamApprovals follows the questions in sessions of a principal's own,
// and of all.
func TestStreamApprovals(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	ask := func() string {
		t.Helper()
		return into[store.Approval](t, b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`)).ID
	}
	one := ask()
	person, other := b.listen(t, "person", "/v1/approvals/stream", ""), b.listen(t, "other", "/v1/approvals/stream", "")
	if _, d := person.next("pending"); len(d.Approvals) != 1 || d.Approvals[0] != one {
		t.Errorf("pending: %+v", d)
	}
	if _, d := other.next("pending"); len(d.Approvals) != 0 {
		t.Errorf("another's: %+v", d)
	}
	at, d := person.next("asked")
	if d.ID != one || d.State != "pending" {
		t.Errorf("asked: %+v", d)
	}
	two := ask()
	if _, d := person.next("asked"); d.ID != two {
		t.Errorf("asked next: %+v", d)
	}
	b.post(t, 200, "person", "/v1/approvals/"+one+"/answer", `{"answer":"deny"}`)
	if _, d := person.next("settled"); d.ID != one || d.State != "denied" {
		t.Errorf("settled: %+v", d)
	}
	// Who comes back hears of what was asked since, and what waits at all.
	back := b.listen(t, "person", "/v1/approvals/stream", at)
	if _, d := back.next("pending"); len(d.Approvals) != 1 || d.Approvals[0] != two {
		t.Errorf("pending: %+v", d)
	}
	last, d := back.next("asked")
	if d.ID != two {
		t.Errorf("asked since: %+v", d)
	}
	again := b.listen(t, "person", "/v1/approvals/stream", last)
	again.next("pending")
	b.post(t, 200, "person", "/v1/approvals/"+two+"/answer", `{"answer":"approve"}`)
	for _, l := range []*listener{person, back, again} {
		if _, d := l.next("settled"); d.ID != two || d.State != "approved" {
			t.Errorf("settled: %+v", d)
		}
	}
	// Nothing of the agent's came to the other one.
	b.post(t, 201, "other", "/v1/sessions", `{"id":"o"}`)
	b.post(t, 204, "other", "/v1/sessions/o/events", `{"type":"attach","text":"eve@evil.example"}`)
	b.post(t, 200, "other", "/v1/sessions/o/decisions", mailTo("c1", "eve@evil.example"))
	own := into[store.Approval](t, b.post(t, 201, "other", "/v1/sessions/o/approvals", `{"call":"c1"}`)).ID
	if _, d := other.next("asked"); d.ID != own {
		t.Errorf("the other one hears %+v", d)
	}
}

// TestStreamsAreBounded: one more is refused, and one that was closed makes room.
func TestStreamsAreBounded(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	var open []*listener
	for range sse.MaxStreamsEach {
		l := b.listen(t, "agent", "/v1/sessions/s/stream", "")
		l.next("decision")
		open = append(open, l)
	}
	if got := b.get(t, 429, "agent", "/v1/sessions/s/stream"); got.kind() != "too-many" || got.header.Get("Retry-After") == "" {
		t.Errorf("got %s", got.body)
	}
	b.listen(t, "person", "/v1/sessions/s/stream", "").next("decision")
	b.get(t, 200, "agent", "/v1/sessions/s")
	open[0].cancel()
	for b.streamsOf("agent") == sse.MaxStreamsEach {
		b.get(t, 200, "agent", "/v1/sessions/s") // until the server has noticed
	}
	b.listen(t, "agent", "/v1/sessions/s/stream", "").next("decision")
}

func (b *bench) streamsOf(who string) int {
	return b.streams.Open(who)
}

// TestServe stops a server: what it is carrying out is finished and answered,
// and streams end.
func TestServe(t *testing.T) {
	held, begun := make(chan struct{}), make(chan struct{})
	b := newBench(t, func(o *Options) {
		build := o.Monitor
		o.Monitor = func(tools []*schema.Catalogue) (*remit.Monitor, error) {
			if len(tools) > 0 {
				close(begun)
				<-held
			}
			return build(tools)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l) }()
	b.http.URL = "http://" + l.Addr().String()
	b.tainted(t, "s")
	stream := b.listen(t, "agent", "/v1/sessions/s/stream", "")
	stream.next("decision")
	created := make(chan *answerOf, 1)
	go func() {
		created <- b.send(t, "agent", http.MethodPost, "/v1/sessions", `{"id":"late","tools":[{"server":"x","tools":[{"name":"a","inputSchema":{"type":"object"}}]}]}`)
	}()
	<-begun
	cancel()
	stream.ends()
	close(held)
	want(t, 201, <-created)
	if err := <-served; err != nil {
		t.Errorf("stopped with %v", err)
	}
	if info, err := b.store.Session(t.Context(), "late"); err != nil || info.Principal != "agent" {
		t.Errorf("what was carried out is %+v, %v", info, err)
	}
	if _, err := http.Get(b.http.URL + "/healthz"); err == nil {
		t.Error("it still answers")
	}
}

// TestGone: what a caller that has gone asked for is carried out all the same,
// and its answer waits under the key.
func TestGone(t *testing.T) {
	held, begun := make(chan struct{}), make(chan struct{}, 2)
	b := newBench(t, func(o *Options) {
		build := o.Monitor
		o.Monitor = func(tools []*schema.Catalogue) (*remit.Monitor, error) {
			if len(tools) > 0 {
				begun <- struct{}{}
				<-held
			}
			return build(tools)
		}
	})
	const body = `{"id":"late","tools":[{"server":"x","tools":[{"name":"a","inputSchema":{"type":"object"}}]}]}`
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.http.URL+"/v1/sessions", strings.NewReader(body))
	must(t, err)
	for name, value := range map[string]string{"Authorization": "Bearer agent", "Content-Type": "application/json", "Idempotency-Key": "k"} {
		r.Header.Set(name, value)
	}
	failed := make(chan error, 1)
	go func() {
		res, err := b.http.Client().Do(r)
		if err == nil {
			res.Body.Close()
		}
		failed <- err
	}()
	<-begun
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	// It is still being carried out: sent again, it is as well, and one of the
	// two writes.
	again := make(chan *answerOf, 1)
	go func() { again <- b.send(t, "agent", http.MethodPost, "/v1/sessions", body, "Idempotency-Key", "k") }()
	<-begun
	close(held)
	for _, a := range []*answerOf{<-again, b.send(t, "agent", http.MethodPost, "/v1/sessions", body, "Idempotency-Key", "k")} {
		if want(t, 201, a); a.header.Get("Location") != "/v1/sessions/late" {
			t.Errorf("at %q", a.header.Get("Location"))
		}
	}
}
