package upstream_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/strictjson"
)

// inbox is a receiver that keeps what comes.
type inbox struct {
	mu   sync.Mutex
	got  []string
	some chan struct{}
}

func newInbox() *inbox { return &inbox{some: make(chan struct{}, 100)} }

func (b *inbox) add(s string) {
	b.mu.Lock()
	b.got = append(b.got, s)
	b.mu.Unlock()
	b.some <- struct{}{}
}
func (b *inbox) Receive(raw []byte, about int64) { b.add(fmt.Sprintf("%d %s", about, raw)) }
func (b *inbox) Failed(id int64, err error)      { b.add(fmt.Sprintf("failed %d: %v", id, err)) }
func (b *inbox) Closed(err error)                { b.add(fmt.Sprintf("closed: %v", err)) }

func (b *inbox) wait(t *testing.T, n int) []string {
	t.Helper()
	for range n {
		select {
		case <-b.some:
		case <-time.After(10 * time.Second):
			t.Fatalf("waited in vain after %q", b.got)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.got
}

func dial(t *testing.T, h http.HandlerFunc, to upstream.Receiver) upstream.Link {
	t.Helper()
	s := httptest.NewServer(h)
	l := upstream.Dial(upstream.Endpoint{URL: s.URL, MaxMessage: 1 << 16, Log: slog.New(slog.DiscardHandler)}, to)
	t.Cleanup(func() {
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
		s.CloseClientConnections()
		s.Close()
	})
	return l
}

// A stream that breaks off is taken up again where it ended, when it has ids.
func TestResume(t *testing.T) {
	b := newInbox()
	l := dial(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Method == http.MethodPost {
			io.WriteString(w, "id: 1\nretry: 10\ndata: {\"n\":1}\n\n")
			return
		}
		if got := r.Header.Get("Last-Event-ID"); got != "1" {
			t.Errorf("Last-Event-ID %q", got)
		}
		io.WriteString(w, "id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n")
	}, b)
	if err := l.Send(upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","id":7,"method":"x"}`), ID: 7, Method: "x"}); err != nil {
		t.Fatal(err)
	}
	got := b.wait(t, 2)
	if want := []string{`7 {"n":1}`, `7 {"jsonrpc":"2.0","id":7,"result":{}}`}; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A stream that has brought the answer is read to its end, so that the next
// request finds its connection: a connection of its own each would cost more
// than the call.
func TestReuse(t *testing.T) {
	const calls = 20
	var connections atomic.Int64
	answered := make(chan bool)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", strictjson.Get(body, "id"))
		w.(http.Flusher).Flush()
		<-answered // the end comes by itself
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	b := newInbox()
	l := upstream.Dial(upstream.Endpoint{URL: s.URL, Transport: upstream.NewTransport(), MaxMessage: 1 << 16, Log: slog.New(slog.DiscardHandler)}, b)
	for id := range int64(calls) {
		if err := l.Send(upstream.Message{Raw: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"x"}`, id+1), ID: id + 1, Method: "x"}); err != nil {
			t.Fatal(err)
		}
		b.wait(t, 1)
		answered <- true
	}
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The next request may come before the last one's stream has ended.
	if n := connections.Load(); n > calls/2 {
		t.Errorf("%d requests made %d connections", calls, n)
	}
}

// What was notified arrives before what is asked afterwards, however slow the
// server is.
func TestOrder(t *testing.T) {
	var mu sync.Mutex
	var order []string
	b := newInbox()
	l := dial(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "slow") {
			time.Sleep(100 * time.Millisecond)
		}
		mu.Lock()
		order = append(order, string(body))
		mu.Unlock()
		if !strings.Contains(string(body), "id") {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}, b)
	for _, m := range []upstream.Message{{Raw: []byte(`{"method":"slow"}`), Method: "slow"}, {Raw: []byte(`{"method":"fast"}`), Method: "fast"}, {Raw: []byte(`{"id":1}`), ID: 1, Method: "x"}} {
		if err := l.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	b.wait(t, 1)
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(order, " "); got != `{"method":"slow"} {"method":"fast"} {"id":1}` {
		t.Errorf("got %s", got)
	}
}

// A request whose caller has gone is ended, and the link goes on.
func TestAbandon(t *testing.T) {
	b := newInbox()
	ended := make(chan bool, 1)
	l := dial(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "hang") {
			<-r.Context().Done()
			ended <- true
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	}, b)
	if err := l.Send(upstream.Message{Raw: []byte(`{"method":"hang"}`), ID: 1, Method: "hang"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	l.Abandon(1)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the request goes on")
	}
	if err := l.Send(upstream.Message{Raw: []byte(`{"method":"x"}`), ID: 2, Method: "x"}); err != nil {
		t.Fatal(err)
	}
	b.wait(t, 2)
}

// What a server says as soon as the handshake is over is heard, whether it opens
// its stream of notifications before, or only then, or begins to answer on it only
// when it has something to say.
func TestFirstNotification(t *testing.T) {
	for _, kind := range []string{"before", "only then", "late"} {
		t.Run(kind, func(t *testing.T) {
			told, open := make(chan struct{}), make(chan struct{})
			b := newInbox()
			l := dial(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					if kind == "before" {
						select {
						case <-open:
						default:
							t.Error("told before the stream was open")
						}
					}
					close(told)
					w.WriteHeader(http.StatusAccepted)
					return
				}
				if kind == "only then" {
					select {
					case <-told:
					default:
						w.WriteHeader(http.StatusBadRequest)
						return
					}
				}
				w.Header().Set("Content-Type", "text/event-stream")
				if kind == "before" {
					close(open)
					w.(http.Flusher).Flush()
				}
				<-told
				io.WriteString(w, "data: {\"n\":1}\n\n")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}, b)
			if err := l.Send(upstream.Message{Raw: []byte(`{}`), Method: "notifications/initialized"}); err != nil {
				t.Fatal(err)
			}
			if got := b.wait(t, 1); got[0] != `0 {"n":1}` {
				t.Errorf("got %q", got)
			}
		})
	}
}

// slowWire is a server that takes requests when it may, and keeps their order.
type slowWire struct {
	mu    sync.Mutex
	took  []string
	takes chan struct{}
}

func (w *slowWire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	call := strictjson.Get(body, "id") != nil
	if call {
		<-w.takes
	}
	w.mu.Lock()
	w.took = append(w.took, strictjson.GetText(body, "method"))
	w.mu.Unlock()
	if call {
		httptrace.ContextClientTrace(r.Context()).WroteRequest(httptrace.WroteRequestInfo{})
		<-r.Context().Done() // the answer takes its time
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Request: r}, nil
}

// A cancellation is for a request that the server has: it doesn't overtake it, and the
// request isn't given up before it was written.
func TestACancellationFollowsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slowWire{takes: make(chan struct{})}
		l := upstream.Dial(upstream.Endpoint{URL: "http://server.example/mcp", Transport: w, MaxMessage: 1 << 16, Log: slog.New(slog.DiscardHandler)}, newInbox())
		send := func(m upstream.Message) {
			if err := l.Send(m); err != nil {
				t.Fatal(err)
			}
		}
		send(upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`), ID: 1, Method: "tools/call"})
		send(upstream.Message{Raw: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`), Ends: 1, Method: "notifications/cancelled"})
		l.Abandon(1)
		synctest.Wait()
		if len(w.took) > 0 {
			t.Errorf("before the request: %q", w.took)
		}

		close(w.takes)
		synctest.Wait()
		if got := strings.Join(w.took, " "); got != "tools/call notifications/cancelled" {
			t.Errorf("the server got %q", got)
		}
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
