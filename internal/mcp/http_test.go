package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// endpoint is a server of the SDK's over HTTP, and what was sent to it.
type endpoint struct {
	url string

	mu      sync.Mutex
	headers []http.Header
}

// sdkHandler answers for a server of the SDK's in one generation.
func sdkHandler(s *sdk.Server, version string) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: version == stateless, PropagateRequestCancellation: true})
}

func serveSDK(t testing.TB, s *sdk.Server, version string) *endpoint {
	t.Helper()
	e := &endpoint{}
	h := sdkHandler(s, version)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.headers = append(e.headers, r.Header.Clone())
		e.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	e.url = server.URL
	return e
}

// at is a gateway's server at an HTTP address.
func at(name, url string, header http.Header) mcp.Server {
	e := upstream.Endpoint{URL: url, Header: header, MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler)}
	return mcp.Server{Name: name, Connect: func(to upstream.Receiver) (upstream.Link, error) { return upstream.Dial(e, to), nil }}
}

// serveHTTP serves the gateway over HTTP and returns its address.
func serveHTTP(t testing.TB, g *mcp.Gateway, o mcp.HTTP) string {
	t.Helper()
	s := httptest.NewServer(mcp.NewHandler(g, o))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

const run = "0123456789abcdefghijklmnop"

// Client and server over HTTP, of either generation, and a server over stdio.
func TestHTTP(t *testing.T) {
	ctx := context.Background()
	generations(t, func(t *testing.T, version string) {
		for _, kind := range []string{"http", "stdio"} {
			t.Run(kind, func(t *testing.T) {
				server := child(t, "desk", "desk")
				if kind == "http" {
					server = at("desk", serveSDK(t, desk(), version).url, nil)
				}
				g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{server}})
				url := serveHTTP(t, g, mcp.HTTP{})
				var mu sync.Mutex
				progress, changed := 0, 0
				o := colours()
				o.ProgressNotificationHandler = func(context.Context, *sdk.ProgressNotificationClientRequest) {
					mu.Lock()
					defer mu.Unlock()
					progress++
				}
				o.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) {
					mu.Lock()
					defer mu.Unlock()
					changed++
				}
				s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run}, o, version)
				if got := s.InitializeResult().ProtocolVersion; got != version {
					t.Fatalf("agreed on %s", got)
				}
				params := &sdk.CallToolParams{Name: "get_time", Arguments: empty{}}
				params.SetProgressToken("p1")
				if r, err := s.CallTool(ctx, params); err != nil || r.IsError || len(r.Content) != 3 {
					t.Fatalf("get_time: %+v, %v", r, err)
				}
				eventually(t, "progress", func() bool { mu.Lock(); defer mu.Unlock(); return progress == 3 })
				if r := call(t, s, "get_answer", empty{}); !strings.HasPrefix(textOf(r), "blue") {
					t.Errorf("get_answer: %s", textOf(r))
				}
				if r, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: "note://1"}); err != nil || len(r.Contents) != 1 {
					t.Errorf("resources/read: %v, %v", r, err)
				}
				short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
				if _, err := s.CallTool(short, &sdk.CallToolParams{Name: "get_slowly", Arguments: empty{}}); err == nil {
					t.Error("a cancelled call returned")
				}
				call(t, s, "read_inbox", empty{})
				if r := call(t, s, "send_email", mail{To: "eve@evil.example", Body: "x"}); !r.IsError {
					t.Errorf("sent: %s", textOf(r))
				}
				if r := call(t, s, "get_worse", empty{}); r.IsError {
					t.Error(textOf(r))
				}
				eventually(t, "word of changed tools", func() bool { mu.Lock(); defer mu.Unlock(); return changed > 0 })
				if r := call(t, s, "read_inbox", empty{}); !r.IsError {
					t.Errorf("a changed tool was called: %s", textOf(r))
				}
			})
		}
	})
}

// A conversation is known by its anchor, and by nothing else: another client
// learns nothing of it, and one that comes back has what it had.
func TestAnchors(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		person := &yes{}
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Approver: person})
		url := serveHTTP(t, g, mcp.HTTP{MetaKey: "example.com/conversation"})
		send := func(path string) int {
			t.Helper()
			s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + path}, nil, version)
			defer s.Close()
			before := len(person.asked)
			if r := call(t, s, "send_email", mail{To: "ann@corp.example", Body: "x"}); r.IsError {
				t.Fatal(textOf(r))
			}
			return len(person.asked) - before
		}
		if send("/mcp/"+run) != 1 {
			t.Error("the first call was not asked about")
		}
		if send("/mcp/"+run) != 0 {
			t.Error("a client that came back was asked again")
		}
		if send("/mcp/other-"+run) != 1 {
			t.Error("another run had the first one's confirmation")
		}
		if version == legacy {
			for range 2 {
				if send("/mcp") != 1 {
					t.Error("two sessions of the protocol shared their labels")
				}
			}
		}
	})
}

// Without sessions in the protocol and without an anchor there is nothing to
// keep labels by, and nothing is called.
func TestNoAnchor(t *testing.T) {
	ctx := context.Background()
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	url := serveHTTP(t, g, mcp.HTTP{MetaKey: "example.com/conversation"})
	s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp"}, nil, stateless)
	if _, err := s.ListTools(ctx, nil); err != nil {
		t.Errorf("tools can't be listed: %v", err)
	}
	_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "get_time", Arguments: empty{}})
	if err == nil || !strings.Contains(err.Error(), "names no conversation") || !strings.Contains(err.Error(), "example.com/conversation") {
		t.Errorf("got %v", err)
	}
	params := &sdk.CallToolParams{Meta: sdk.Meta{"example.com/conversation": "c-17"}, Name: "get_time", Arguments: empty{}}
	if r, err := s.CallTool(ctx, params); err != nil || r.IsError {
		t.Errorf("with a declared conversation: %v, %v", r, err)
	}
}

func post(t *testing.T, url, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// Who may call, and what a request must be like.
func TestHTTPRefuses(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Limits: mcp.Limits{Message: 1 << 16}})
	const token = "0123456789012345678901"
	url := serveHTTP(t, g, mcp.HTTP{Token: token, Hosts: []string{"gate.example"}, Origins: []string{"https://console.example"}})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	callOf := func(name string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s,"name":%q,"arguments":{}}}`, meta, name)
	}
	for name, test := range map[string]struct {
		path, body string
		header     map[string]string
		status     int
		says       string
	}{
		"no token":               {"/mcp", ping, map[string]string{"Authorization": ""}, 401, "bearer"},
		"another token":          {"/mcp", ping, map[string]string{"Authorization": "Bearer x"}, 401, "bearer"},
		"a token otherwise":      {"/mcp", ping, map[string]string{"Authorization": "Basic " + token}, 401, "bearer"},
		"another name":           {"/mcp", ping, map[string]string{"Host": "evil.example"}, 403, "listen.hosts"},
		"a known name":           {"/mcp", ping, map[string]string{"Host": "gate.example:80"}, 400, "initialize"},
		"a page":                 {"/mcp", ping, map[string]string{"Origin": "https://evil.example"}, 403, "listen.origins"},
		"a page on this machine": {"/mcp", ping, map[string]string{"Origin": "http://localhost:3000"}, 403, "listen.origins"},
		"a known page":           {"/mcp", ping, map[string]string{"Origin": "https://console.example"}, 400, "initialize"},
		"a short run":            {"/mcp/short", ping, nil, 404, "random"},
		"text":                   {"/mcp", ping, map[string]string{"Content-Type": "text/plain"}, 415, "application/json"},
		"only JSON accepted":     {"/mcp", ping, map[string]string{"Accept": "application/json"}, 406, "event-stream"},
		"too long":               {"/mcp", strings.Repeat(" ", 1<<17), nil, 413, "65536"},
		"no JSON":                {"/mcp", "{", nil, 400, "-32700"},
		"a batch":                {"/mcp", "[" + ping + "]", nil, 400, "batches"},
		"no session":             {"/mcp", ping, nil, 400, "Mcp-Session-Id"},
		"no such session":        {"/mcp", ping, map[string]string{"Mcp-Session-Id": "x"}, 404, "no such session"},
		"no version in the header": {"/mcp/" + run, callOf("get_time"),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "get_time"}, 400, "-32020"},
		"a version in the header alone": {"/mcp/" + run, ping,
			map[string]string{"Mcp-Method": "ping", "Mcp-Protocol-Version": stateless}, 400, "-32020"},
		"another method": {"/mcp/" + run, callOf("get_time"),
			map[string]string{"Mcp-Method": "tools/list", "Mcp-Name": "get_time", "Mcp-Protocol-Version": stateless}, 400, "-32020"},
		"another name in the header": {"/mcp/" + run, callOf("send_email"),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "get_time", "Mcp-Protocol-Version": stateless}, 400, "-32020"},
		"no name": {"/mcp/" + run, callOf("get_time"),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Protocol-Version": stateless}, 400, "-32020"},
		"all of it": {"/mcp/" + run, callOf("get_time"),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "get_time", "Mcp-Protocol-Version": stateless}, 200, "12:00"},
		"a method nobody knows": {"/mcp/" + run, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"acme/x","params":%s}}`, meta),
			map[string]string{"Mcp-Method": "acme/x", "Mcp-Protocol-Version": stateless}, 404, "-32601"},
	} {
		t.Run(name, func(t *testing.T) {
			header := map[string]string{"Authorization": "Bearer " + token}
			for k, v := range test.header {
				header[k] = v
			}
			status, body := post(t, url+test.path, test.body, header)
			if status != test.status || !strings.Contains(body, test.says) {
				t.Errorf("got %d %s; want %d with %q", status, body, test.status, test.says)
			}
		})
	}
	if resp, err := http.Get(url + "/healthz"); err != nil || resp.StatusCode != 200 {
		t.Errorf("health: %v, %v", resp, err)
	}
}

// The header that goes to a server is made from the body as it is sent, not from the client's.
// Credentials go to their own server only, and never to the log.
func TestUpstreamHeader(t *testing.T) {
	tool := desk()
	schema := `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}`
	tool.AddTool(&sdk.Tool{Name: "get_region", Description: "Gets a region.", InputSchema: json.RawMessage(schema)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}}}, nil
	})
	one, other := serveSDK(t, tool, stateless), serveSDK(t, sdk.NewServer(&sdk.Implementation{Name: "b", Version: "1"}, nil), stateless)
	secret := http.Header{"Authorization": {"Bearer s3cr3t-of-one"}}
	person := &yes{}
	g, log := gateway(t, mcp.Options{Servers: []mcp.Server{at("one", one.url, secret), at("other", other.url, nil)}, Approver: person})
	url := serveHTTP(t, g, mcp.HTTP{})
	s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run}, nil, stateless)
	if r := call(t, s, "get_region", map[string]any{"region": "Zürich", "n": 7}); r.IsError {
		t.Fatal(textOf(r))
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	found := false
	for _, h := range one.headers {
		if h.Get("Authorization") != "Bearer s3cr3t-of-one" {
			t.Errorf("a request without credentials: %v", h)
		}
		if h.Get("Mcp-Name") == "get_region" {
			found = true
			if h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Param-Region") != "=?base64?WsO8cmljaA==?=" || h.Get("Mcp-Param-N") != "7" {
				t.Errorf("the header is %v", h)
			}
		}
	}
	if !found {
		t.Error("the call did not arrive")
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	for _, h := range other.headers {
		if h.Get("Authorization") != "" {
			t.Error("the other server was sent credentials")
		}
	}
	if strings.Contains(log.String(), "s3cr3t") {
		t.Error("credentials were logged")
	}
}

// A server at an HTTP address that misbehaves fails the request and nothing
// else.
func TestHTTPServerMisbehaves(t *testing.T) {
	answers := map[string]func(w http.ResponseWriter, r *http.Request){
		"HTTP 500":         func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret stack trace", 500) },
		"neither JSON":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"ended the stream": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") },
		"HTTP 302": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		},
		"longer than": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			flood(w)
		},
		"longer than the": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			flood(w)
		},
		"answer was refuse": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"id":1,"result":{}}`)
		},
		"-32001": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no"}}`)
		},
	}
	for want, answer := range answers {
		t.Run(want, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(answer))
			defer s.Close()
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{at("bad", s.URL, nil)}})
			var out bytes.Buffer
			in := strings.NewReader(`{"jsonrpc":"2.0","id":"x","method":"initialize","params":{}}` + "\n")
			if err := g.ServeStdio(context.Background(), in, &out, "s"); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			if !strings.Contains(got, `"id":"x"`) || !strings.Contains(got, strings.TrimSuffix(want, " the")) || strings.Contains(got, "secret") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func flood(w io.Writer) {
	io.WriteString(w, "data: ")
	for range 64 {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
			return
		}
	}
}

// A caller that is turned away shows in the log: wrong tokens, names and pages.
func TestRefusalsAreLogged(t *testing.T) {
	g, log := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	h := mcp.NewHandler(g, mcp.HTTP{Token: "0123456789abcdefghijklmn"})
	for want, change := range map[string]func(*http.Request){
		"the token is missing or wrong": func(r *http.Request) { r.Header.Set("Authorization", "Bearer hunter2") },
		"evil.example":                  func(r *http.Request) { r.Host = "evil.example" },
		"https://page.example":          func(r *http.Request) { r.Header.Set("Origin", "https://page.example") },
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader("{}"))
		change(r)
		h.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", want, w.Code)
		}
		if !strings.Contains(log.String(), want) || strings.Contains(log.String(), "hunter2") {
			t.Errorf("no %q in the log", want)
		}
	}
}
