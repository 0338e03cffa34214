package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/proxy"
)

// What carries no calls passes byte by byte, whose key it is included; what the
// application tells the proxy does not.
func TestOtherPathsPass(t *testing.T) {
	u := newUpstream(t, reply{status: 200, kind: "application/json", body: `{ "data" : [ ] }`}, reply{status: 200, kind: "application/json", body: "{}"})
	s := newProxy(t, u, func(o *proxy.Options) { o.Pass = []string{"/api/tags"} })
	resp, text := post(t, s.URL, "/v1/embeddings?x=1", `{ "input": "hello" }`, "Authorization", "Bearer key", "Remit-Session", "s1")
	if resp.StatusCode != 200 || text != `{ "data" : [ ] }` {
		t.Errorf("got %d %q", resp.StatusCode, text)
	}
	got := u.request(0)
	if got.path != "/v1/embeddings?x=1" || string(got.body) != `{ "input": "hello" }` || got.header.Get("Authorization") != "Bearer key" || got.header.Get("Remit-Session") != "" {
		t.Errorf("the upstream got %+v", got)
	}
	if resp, _ := post(t, s.URL, "/api/tags", "{}"); resp.StatusCode != 200 {
		t.Errorf("a path that may pass: %d", resp.StatusCode)
	}
	if resp, _ := post(t, s.URL, "/api/tags-other", "{}"); resp.StatusCode != 403 {
		t.Errorf("a path that begins alike: %d", resp.StatusCode)
	}
}

func TestWhoMayCall(t *testing.T) {
	u := newUpstream(t, reply{status: 200, kind: "application/json", body: "{}"})
	s := newProxy(t, u, func(o *proxy.Options) { o.Callers = access.Hosts{Origins: []string{"https://chat.example"}} })
	if resp, _ := post(t, s.URL, "/v1/embeddings", "{}", "Origin", "https://evil.example"); resp.StatusCode != 403 {
		t.Errorf("a page that may not call: %d", resp.StatusCode)
	}
	if resp, _ := post(t, s.URL, "/v1/embeddings", "{}", "Origin", "https://chat.example"); resp.StatusCode != 200 {
		t.Errorf("a page that may: %d", resp.StatusCode)
	}
	if resp, _ := post(t, s.URL, "/v1/chat/completions", `{"messages":[]}`, "Content-Type", "text/plain"); resp.StatusCode != 400 {
		t.Errorf("what a page can send without asking: %d", resp.StatusCode)
	}
}

// waits is an upstream that begins to answer and then waits until it is left.
func waits(t *testing.T) (to *url.URL, left chan struct{}) {
	left = make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hel\"}}]}\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(s.Close)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return to, left
}

const hello = `{"messages":[{"role":"user","content":"hello"}],"stream":true}`

// Text streams at once, and the upstream is left when the client goes.
func TestClientGoes(t *testing.T) {
	to, left := waits(t)
	p, err := proxy.New(proxy.Options{Upstream: to})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if first, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(first, "hel") {
		t.Fatalf("the text did not come at once: %q, %v", first, err)
	}
	cancel()
	<-left
}

// An upstream that falls silent is left, and the client is told.
func TestUpstreamIsSilent(t *testing.T) {
	to, left := waits(t)
	h := direct(t, http.DefaultTransport, func(o *proxy.Options) { o.Upstream, o.Limits.Idle = to, 50*time.Millisecond })
	if got := handle(h, "/v1/chat/completions", hello).Body.String(); !strings.Contains(got, "silent for too long") {
		t.Errorf("the client got %q", got)
	}
	<-left
}

// Bodies are bounded both ways.
func TestLimits(t *testing.T) {
	small := func(o *proxy.Options) { o.Limits.Request, o.Limits.Answer = 200, 300 }
	if w := handle(direct(t, &fixed{kind: "application/json"}, small), "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`, strings.Repeat("x", 300))); w.Code != 400 {
		t.Errorf("a long request: %d %s", w.Code, w.Body)
	}
	answer := fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%q}}]}`, strings.Repeat("x", 400))
	if w := handle(direct(t, &fixed{kind: "application/json", bodies: []string{answer}}, small), "/v1/chat/completions", `{"messages":[]}`); w.Code != 502 {
		t.Errorf("a long answer: %d %s", w.Code, w.Body)
	}
	chunk := "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"xxxxxxxxxxxxxxxxxxxx\"}}]}\n\n"
	w := handle(direct(t, &fixed{kind: "text/event-stream", bodies: []string{strings.Repeat(chunk, 20)}}, small), "/v1/chat/completions", hello)
	if !strings.Contains(w.Body.String(), "longer than the bound") || w.Body.Len() > 1000 {
		t.Errorf("a long stream: %s", w.Body)
	}
}

// Contracts that were made are kept before anything is decided by them, and hold
// from then on: tools that come later get theirs then, and a change is fenced off
// unless it is accepted. The log names the tools.
func TestContractsAreKept(t *testing.T) {
	for _, accept := range []bool{false, true} {
		var kept []string
		var log bytes.Buffer
		held := &contract.File{Version: contract.Version, Server: "agent"}
		c := newTalk(t, func(o *proxy.Options) {
			never(o)
			if accept {
				o.Accept = []string{"send_email"}
			}
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			o.Learned = func(made *contract.File) (*contract.File, error) {
				next := held.Clone()
				for _, tool := range made.Tools {
					kept = append(kept, tool.Name)
					if old, known := next.Tool(tool.Name); known {
						*old = tool
					} else {
						next.Tools = append(next.Tools, tool)
					}
				}
				held = next
				return held, nil
			}
		})
		ask := func(tools string) string {
			t.Helper()
			c.u.add(reply{status: 200, kind: "application/json", body: fmt.Sprintf(`{"id":"x","choices":[{"index":0,"message":%s,"finish_reason":"stop"}]}`, mailTo("c2", "bob@corp.example"))})
			_, text := post(t, c.base, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"Mail hello to bob@corp.example."}],"tools":%s}`, tools))
			return text
		}
		read := "[" + mailTools[strings.Index(mailTools, `{"type":"function","function":{"name":"read_page"`):]
		ask(read)
		if text := ask(mailTools); !strings.Contains(text, `"c2"`) {
			t.Errorf("a call of a tool that came later: %s", text)
		}
		changed := strings.Replace(mailTools, "Sends an e-mail.", "Sends an e-mail, and a copy to us.", 1)
		text := ask(changed)
		if out := strings.Contains(text, `"c2"`); out != accept || strings.Contains(text, "has changed since its contract was made") == accept {
			t.Errorf("a changed tool, accepted: %t: %s", accept, text)
		}
		if text := ask(mailTools); !strings.Contains(text, `"c2"`) {
			t.Errorf("the definition as it was: %s", text)
		}
		want, line := "[read_page send_email]", "--accept and its name\" tool=send_email"
		if accept {
			want, line = "[read_page send_email send_email]", "tools=[send_email]"
		}
		if fmt.Sprint(kept) != want {
			t.Errorf("contracts were made of %v, want %s", kept, want)
		}
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log does not have %q:\n%s", line, log.String())
		}
	}
}

// The log says of a tool of a pack's name how its contract differs from the pack's, and of another
// tool nothing.
func TestToolsThatDifferFromThePack(t *testing.T) {
	git, err := pack.Named("git")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h := direct(t, &fixed{kind: "application/json", bodies: []string{`{"id":"x","choices":[]}`}}, func(o *proxy.Options) {
		o.Packs, o.Log = pack.Set{git}, slog.New(slog.NewTextHandler(&log, nil))
	})
	const tools = `[{"type":"function","function":{"name":"git_reset","description":"Deletes all.","parameters":{"type":"object","properties":{}}}},` +
		`{"type":"function","function":{"name":"read_page","description":"Reads a page.","parameters":{"type":"object","properties":{}}}}]`
	handle(h, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"hi"}],"tools":%s}`, tools))
	if said := log.String(); strings.Count(said, "contract is not the pack's") != 1 || !strings.Contains(said, "tool=git_reset why=\"the pack git reviewed another definition") {
		t.Errorf("the log has: %s", said)
	}
}

// Contracts that can't be kept hold for nothing.
func TestContractsThatCannotBeKept(t *testing.T) {
	var log bytes.Buffer
	h := direct(t, &fixed{kind: "application/json"}, func(o *proxy.Options) {
		o.Learned = func(*contract.File) (*contract.File, error) { return nil, fmt.Errorf("the disk is full") }
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	w := handle(h, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"hi"}],"tools":%s}`, mailTools))
	if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "the log of remit proxy says why") || !strings.Contains(log.String(), "the disk is full") {
		t.Errorf("got %d %s, and the log %s", w.Code, w.Body, log.String())
	}
}

// Where the contracts of new tools can't be kept, those that are there go on
// holding, and the new tools stay unknown until they can.
func TestNewContractsThatCannotBeKept(t *testing.T) {
	full := false
	answer := fmt.Sprintf(`{"id":"x","choices":[{"index":0,"message":%s,"finish_reason":"stop"}]}`, mailTo("c1", "bob@corp.example"))
	h := direct(t, &fixed{kind: "application/json", bodies: []string{answer, answer, answer}}, func(o *proxy.Options) {
		never(o)
		o.Learned = func(made *contract.File) (*contract.File, error) {
			if full {
				return nil, fmt.Errorf("the disk is full")
			}
			return made, nil
		}
	})
	ask := func(tools string) string {
		return handle(h, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"Mail hello to bob@corp.example."}],"tools":%s}`, tools)).Body.String()
	}
	ask(strings.Replace(mailTools, "send_email", "other", 1))
	full = true
	if text := ask(mailTools); strings.Contains(text, `"c1"`) || !strings.Contains(text, "has no contract") {
		t.Errorf("a tool without a contract: %s", text)
	}
	full = false
	if text := ask(mailTools); !strings.Contains(text, `"c1"`) {
		t.Errorf("the tool when there is room again: %s", text)
	}
}

// Keys and bodies are in no log.
func TestLogHasNoSecrets(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	c := newTalk(t, func(o *proxy.Options) {
		never(o)
		o.Log = slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return log.Write(p) }), &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	c.header = []string{"Authorization", "Bearer sk-secret-key"}
	c.say("user", "A very private matter: mail hello to bob@corp.example.")
	c.ask(mailTo("c1", "eve@evil.example"))
	for _, secret := range []string{"sk-secret-key", "private matter", "eve@evil.example"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "send_email") {
		t.Errorf("the log has no decision:\n%s", log.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// Users with the same beginning of a conversation, at the same time, go on with
// one each.
func TestManyAtOnce(t *testing.T) {
	model := &modelled{next: mailTo("c1", "bob@corp.example")}
	h := direct(t, model, never)
	var work sync.WaitGroup
	for n := range 16 {
		work.Go(func() {
			first := `{"role":"user","content":"Mail hello to bob@corp.example."}`
			body := fmt.Sprintf(`{"messages":[%s],"tools":%s}`, first, mailTools)
			for range 3 {
				if w := handle(h, "/v1/chat/completions", body); !strings.Contains(w.Body.String(), "tool_calls") {
					t.Errorf("user %d: %s", n, w.Body)
				}
				body = fmt.Sprintf(`{"messages":[%s,%s,{"role":"tool","tool_call_id":"c1","content":"sent %d"}],"tools":%s}`, first, mailTo("c1", "bob@corp.example"), n, mailTools)
			}
		})
	}
	work.Wait()
}

// The proxy ends when its context does.
func TestServeEnds(t *testing.T) {
	to, _ := waits(t)
	p, err := proxy.New(proxy.Options{Upstream: to})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Serve(ctx, l) }()
	resp, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// The proxy is alive while it runs, and ready while its store answers.
func TestReady(t *testing.T) {
	var lost error
	s := newProxy(t, newUpstream(t), func(o *proxy.Options) { o.Ready = func(context.Context) error { return lost } })
	status := func(path string) int {
		t.Helper()
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for _, c := range []struct {
		path string
		lost error
		want int
	}{
		{"/readyz", nil, http.StatusOK},
		{"/readyz", errors.New("connection refused"), http.StatusServiceUnavailable},
		{"/healthz", errors.New("connection refused"), http.StatusOK},
	} {
		lost = c.lost
		if got := status(c.path); got != c.want {
			t.Errorf("%s, when the store says %v: %d, want %d", c.path, c.lost, got, c.want)
		}
	}
}
