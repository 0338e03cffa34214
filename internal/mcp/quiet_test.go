package mcp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/ledger"
)

// listener notes comments in what answers requests of one method.
type listener struct {
	method string
	once   sync.Once
	heard  chan struct{} // closed when there was one
}

func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == l.method {
		resp.Body = &overheard{resp.Body, l}
	}
	return resp, err
}

type overheard struct {
	io.ReadCloser
	l *listener
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	if bytes.Contains(p[:n], []byte(":\n\n")) {
		o.l.once.Do(func() { close(o.l.heard) })
	}
	return n, err
}

// later is a person who agrees after something has happened.
type later struct {
	yes
	after <-chan struct{}
}

func (l *later) Ask(ctx context.Context, s *ledger.Session, held ...*remit.Decision) (ledger.Answer, error) {
	select {
	case <-l.after:
	case <-ctx.Done():
		return ledger.Answer{}, ctx.Err()
	}
	return l.yes.Ask(ctx, s, held...)
}

// While a call waits for a person its connection isn't silent, and neither is the stream
// on which a client of the older generation listens.
func TestSignsOfLife(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			if method == http.MethodGet && version == stateless {
				continue // there is no such stream
			}
			t.Run(method, func(t *testing.T) {
				l := &listener{method: method, heard: make(chan struct{})}
				g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Approver: &later{after: l.heard}})
				url := serveHTTP(t, g, mcp.HTTP{Quiet: time.Millisecond})
				s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run, HTTPClient: &http.Client{Transport: l}}, nil, version)
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "send_email", Arguments: mail{To: "ann@corp.example", Body: "Hello."}})
				if err != nil {
					t.Fatal(err)
				}
				if r.IsError || textOf(r) != "sent to ann@corp.example" {
					t.Errorf("got %s", textOf(r))
				}
			})
		}
	})
}
