package inquire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/inquire"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// scripted is a server that answers requests by a function; nil means not at all.
type scripted struct {
	answer func(s *scripted, m *wire.Message) []byte
	links  atomic.Int32
	to     upstream.Receiver

	mu       sync.Mutex
	answered []string // what came that is not a request
}

func (s *scripted) connect(to upstream.Receiver) (upstream.Link, error) {
	s.links.Add(1)
	s.to = to
	return s, nil
}

func (s *scripted) Send(m upstream.Message) error {
	in, err := wire.Parse(m.Raw, wire.DefaultLimits())
	if err != nil {
		return err
	}
	if in.Kind != wire.Request {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answered = append(s.answered, string(m.Raw))
		return nil
	}
	to := s.to
	go func() {
		if raw := s.answer(s, in); raw != nil {
			to.Receive(raw, m.ID)
		}
	}()
	return nil
}

func (s *scripted) Abandon(int64)               {}
func (s *scripted) Close(context.Context) error { return nil }

// listing answers the handshake and the list of tools, and leaves calls to a function.
func listing(tools string, call func(s *scripted, m *wire.Message) []byte) *scripted {
	return &scripted{answer: func(s *scripted, m *wire.Message) []byte {
		switch m.Method {
		case "initialize":
			return wire.NewResult(m.ID, json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`))
		case "tools/list":
			return wire.NewResult(m.ID, json.RawMessage(`{"tools":[`+tools+`]}`))
		}
		return call(s, m)
	}}
}

// order answers every call with one order.
func order(_ *scripted, m *wire.Message) []byte {
	return wire.NewResult(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"{}"}],"structuredContent":{"id":12345678901234567890}}`))
}

func servers(t *testing.T, named map[string]*scripted) *inquire.Servers {
	t.Helper()
	var list []inquire.Server
	for name, s := range named {
		list = append(list, inquire.Server{Name: name, Connect: s.connect})
	}
	out := inquire.New(list, "test")
	t.Cleanup(func() {
		if err := out.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return out
}

const getOrder = `{"name":"get_order","inputSchema":{"type":"object"}}`

// TestServerOfATool finds the server of a look-up: by its name, or by its tool where no
// server has the name.
func TestServerOfATool(t *testing.T) {
	const other = `{"name":"other"}`
	for name, c := range map[string]struct {
		servers map[string]string
		server  string
		want    string // where the result is from, or part of what went wrong
		nobody  bool
	}{
		"by its name":                   {map[string]string{"shop": getOrder, "desk": getOrder}, "shop", "server:shop", false},
		"by its tool":                   {map[string]string{"shop": getOrder, "desk": other}, "agent", "server:shop", false},
		"two that may be meant":         {map[string]string{"shop": getOrder, "desk": getOrder}, "agent", "have the tool", false},
		"nobody has it":                 {map[string]string{"desk": other}, "agent", "none of the servers has it", true},
		"the named one doesn't":         {map[string]string{"shop": other, "desk": getOrder}, "shop", "no such tool", true},
		"one that changes":              {map[string]string{"shop": `{"name":"get_order","annotations":{"destructiveHint":true}}`}, "shop", "more than read", false},
		"one that says it isn't a read": {map[string]string{"shop": `{"name":"get_order","annotations":{"readOnlyHint":false}}`}, "shop", "more than read", false},
	} {
		t.Run(name, func(t *testing.T) {
			named := map[string]*scripted{}
			for server, tools := range c.servers {
				named[server] = listing(tools, order)
			}
			got, err := servers(t, named).Read(t.Context(), c.server, "get_order", json.RawMessage(`{"id":"W1"}`))
			switch {
			case errors.Is(err, guard.ErrUnreached) != c.nobody:
				t.Errorf("got %v", err)
			case err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q", err, c.want)
			case err == nil && (got.From != c.want || string(got.Structured) != `{"id":12345678901234567890}`):
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestAnswersOfServers takes no answer that isn't one: whatever a server sends, the
// look-up has an error, and in time.
func TestAnswersOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		call func(s *scripted, m *wire.Message) []byte
		want string
	}{
		"an error of the protocol": {func(_ *scripted, m *wire.Message) []byte { return wire.NewError(m.ID, -32000, "broken", nil) }, `error: "broken"`},
		"an error of the tool": {func(_ *scripted, m *wire.Message) []byte {
			return wire.NewResult(m.ID, json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no order"}]}`))
		}, `"no order"`},
		"no answer": {func(*scripted, *wire.Message) []byte { return nil }, "deadline"},
		"garbage":   {func(*scripted, *wire.Message) []byte { return []byte(`{"jsonrpc":"2.0","id":`) }, "deadline"},
		"to another id": {func(*scripted, *wire.Message) []byte {
			return wire.NewResult(strictjson.Int(99), json.RawMessage(`{}`))
		}, "deadline"},
		"it fails":          {func(s *scripted, m *wire.Message) []byte { s.to.Failed(3, errors.New("too long")); return nil }, "too long"},
		"it dies each time": {func(s *scripted, m *wire.Message) []byte { s.to.Closed(nil); return nil }, "connection has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			s := listing(getOrder, c.call)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			got, err := servers(t, map[string]*scripted{"shop": s}).Read(ctx, "shop", "get_order", json.RawMessage(`{}`))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v and %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestLinkedAgain links a server again whose connection has ended, and makes the call
// that was lost once more.
func TestLinkedAgain(t *testing.T) {
	lost := atomic.Bool{}
	s := listing(getOrder, func(s *scripted, m *wire.Message) []byte {
		if lost.CompareAndSwap(false, true) {
			s.to.Closed(errors.New("killed"))
			return nil
		}
		return order(s, m)
	})
	x := servers(t, map[string]*scripted{"shop": s})
	for range 2 {
		if _, err := x.Read(t.Context(), "shop", "get_order", json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.links.Load(); n != 2 {
		t.Errorf("linked %d times", n)
	}
}

// TestRequestsOfServers answers a server's ping and refuses the rest.
func TestRequestsOfServers(t *testing.T) {
	s := listing(getOrder, func(s *scripted, m *wire.Message) []byte {
		s.to.Receive(wire.NewRequest(strictjson.Int(1), "ping", json.RawMessage(`{}`)), 0)
		s.to.Receive(wire.NewRequest(strictjson.Int(2), "sampling/createMessage", json.RawMessage(`{}`)), 0)
		return order(s, m)
	})
	if _, err := servers(t, map[string]*scripted{"shop": s}).Read(t.Context(), "shop", "get_order", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := strings.Join(s.answered, "\n")
	if !strings.Contains(got, `"id":1,"result":{}`) || !strings.Contains(got, `-32601`) {
		t.Errorf("answered %s", got)
	}
}

// TestSDKServer looks things up, several at once, with a server of the SDK over HTTP.
func TestSDKServer(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
	type args struct {
		ID string `json:"id"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "get_order", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in args) (*sdk.CallToolResult, any, error) {
			return nil, map[string]any{"id": in.ID, "status": "pending"}, nil
		})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer h.Close()
	x := inquire.New([]inquire.Server{{Name: "shop", Connect: func(to upstream.Receiver) (upstream.Link, error) {
		return upstream.Dial(upstream.Endpoint{URL: h.URL, MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler)}, to), nil
	}}}, "test")

	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			got, err := x.Read(t.Context(), "shop", "get_order", fmt.Appendf(nil, `{"id":"W%d"}`, i))
			if err != nil || !strings.Contains(string(got.Structured), fmt.Sprintf(`"W%d"`, i)) {
				t.Errorf("got %+v and %v", got, err)
			}
		})
	}
	work.Wait()
	if err := x.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
