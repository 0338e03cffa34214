package mcp_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
)

// On shutdown, calls in flight finish or are answered with an error; no new
// ones begin, and no server is left behind.
func TestShutdown(t *testing.T) {
	g, log := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mcp.NewHandler(g, mcp.HTTP{Grace: 300 * time.Millisecond}).Serve(ctx, l) }()
	s := connect(t, &sdk.StreamableClientTransport{Endpoint: "http://" + l.Addr().String() + "/mcp", MaxRetries: -1}, nil, legacy)
	call(t, s, "get_time", empty{})
	slow := make(chan error, 1)
	go func() {
		_, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "get_slowly", Arguments: empty{}})
		slow <- err
	}()
	eventually(t, "the slow call", func() bool { return strings.Contains(log.String(), "tool=get_slowly") })
	begun := time.Now()
	stop()
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	select {
	case err := <-slow:
		if err == nil {
			t.Error("the slow call has a result")
		}
	case <-time.After(10 * time.Second):
		t.Error("the slow call was forgotten")
	}
	if !strings.Contains(log.String(), "the connection to the server has ended") {
		t.Error("the server is left")
	}
}

// A client over stdio that takes no answers any more is served no longer, though it may go on writing.
func TestDeafClient(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	outR.Close()
	done := make(chan error, 1)
	go func() { done <- g.ServeStdio(context.Background(), inR, outW, "s1") }()
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// Many conversations at once, each with calls at once: nothing is mixed up.
func TestConcurrency(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{at("desk", serveSDK(t, desk(), stateless).url, nil)}})
	url := serveHTTP(t, g, mcp.HTTP{})
	var work sync.WaitGroup
	for i := range 8 {
		s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run + string(rune('a'+i))}, nil, stateless)
		for range 8 {
			work.Go(func() {
				for range 4 {
					r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "read_inbox", Arguments: empty{}})
					if err != nil || textOf(r) != mailbox {
						t.Errorf("got %v, %v", r, err)
					}
				}
			})
		}
	}
	work.Wait()
}
