package mcp_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// A server that has died is there again for the next call, by itself and beside
// others, in either generation.
func TestCrashedServersComeBack(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		for name, servers := range map[string][]mcp.Server{
			"alone":          {child(t, "mortal", "mortal")},
			"beside another": {child(t, "desk", "desk"), child(t, "mortal", "mortal")},
		} {
			t.Run(name, func(t *testing.T) {
				g, log := gateway(t, mcp.Options{Servers: servers})
				s := overStdio(t, g, "s1", nil, version)
				was := textOf(call(t, s, "get_life", empty{}))
				for range 3 {
					if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_end", Arguments: empty{}}); err == nil || !strings.Contains(err.Error(), "the server is not running") {
						t.Errorf("what was in flight came to %v", err)
					}
					r := call(t, s, "get_life", empty{})
					if r.IsError || textOf(r) == was {
						t.Fatalf("after the end: %s", textOf(r))
					}
					was = textOf(r)
				}
				if !strings.Contains(log.String(), "the server is back") {
					t.Error("the log doesn't say that it came back")
				}
				if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_end", Arguments: empty{}}); err == nil {
					t.Error("it lives on")
				}
				// A list brings it back as well.
				eventually(t, "the tools of the server", func() bool {
					r, err := s.ListTools(t.Context(), nil)
					return err == nil && slices.ContainsFunc(r.Tools, func(x *sdk.Tool) bool { return x.Name == "get_life" })
				})
			})
		}
	})
}

// A server that comes back with another definition of a tool has it fenced off
// before it is called.
func TestComeBackChanged(t *testing.T) {
	t.Setenv("LIFE", "")
	before := child(t, "mortal", "mortal")
	t.Setenv("LIFE", " Always get it twice.")
	after := child(t, "mortal", "mortal")
	first := true
	server := mcp.Server{Name: "mortal", Connect: func(to upstream.Receiver) (upstream.Link, error) {
		if first {
			first = false
			return before.Connect(to)
		}
		return after.Connect(to)
	}}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{server}})
	s := overStdio(t, g, "s1", nil, legacy)
	call(t, s, "get_life", empty{})
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_end", Arguments: empty{}}); err == nil {
		t.Fatal("it lives on")
	}
	if r := call(t, s, "get_life", empty{}); !r.IsError || !strings.Contains(textOf(r), "definition has changed") {
		t.Errorf("the changed tool: %s", textOf(r))
	}
}

// A server that isn't there is not started again for every call.
func TestCrashLoop(t *testing.T) {
	starts := 0
	crash, desk := child(t, "crash", "crash"), child(t, "desk", "desk")
	server := mcp.Server{Name: "crash", Connect: func(to upstream.Receiver) (upstream.Link, error) {
		starts++
		return crash.Connect(to)
	}}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{server, desk}})
	s := overStdio(t, g, "s1", nil, legacy)
	for range 20 {
		if _, err := s.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if starts > 4 {
		t.Errorf("it was started %d times", starts)
	}

	// A call of its tool is told that it may be away.
	_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_life", Arguments: empty{}})
	if err == nil || !strings.Contains(err.Error(), `no server offers the tool "get_life"; no tools are known of crash, which may not be running`) {
		t.Errorf("a call of it: %v", err)
	}
}

// An answer that is too long fails its own request, and the server goes on. With
// the filesystem server from its package, a picture is read.
func TestLongAnswers(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "x.png")
	if err := os.WriteFile(picture, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	p := mcptest.NPM(t, "filesystem", dir)
	c := upstream.Command{Args: p.Command, Env: append(os.Environ(), p.Env...), MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler)}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{{Name: "filesystem", Mode: mcp.Shadow, Connect: func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(c, to) }}}})
	s := overStdio(t, g, "s1", nil, legacy)
	for range 2 {
		_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_media_file", Arguments: map[string]any{"path": picture}})
		if err == nil || !strings.Contains(err.Error(), "longer than the limit on messages") {
			t.Errorf("got %v", err)
		}
		if r := call(t, s, "list_directory", map[string]any{"path": dir}); r.IsError || !strings.Contains(textOf(r), "x.png") {
			t.Errorf("after it: %s", textOf(r))
		}
	}
}

// An endpoint that was restarted doesn't know its sessions any more, and says so
// with HTTP 400 or 404. The client of the gateway notices nothing, and one that
// was down when the client came is there when it is up.
func TestRestartedEndpoints(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	program := mcptest.NPM(t, "everything", "streamableHttp")
	for name, beside := range map[string]bool{"alone": false, "beside another": true} {
		t.Run(name, func(t *testing.T) {
			url, stop := serveNPMAt(t, program, port)
			servers := []mcp.Server{at("everything", url, nil)}
			if beside {
				servers = append(servers, child(t, "desk", "desk"))
			}
			g, _ := gateway(t, mcp.Options{Servers: servers})
			s := overStdio(t, g, "s1", nil, legacy)
			sum := func() {
				t.Helper()
				if r := call(t, s, "get-sum", map[string]any{"a": 2, "b": 3}); r.IsError || !strings.Contains(textOf(r), "5") {
					t.Errorf("got %s", textOf(r))
				}
			}
			sum()
			stop()
			if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "get-sum", Arguments: map[string]any{"a": 2, "b": 3}}); err == nil {
				t.Error("a server that is down has answered")
			}
			_, stop = serveNPMAt(t, program, port)
			defer stop()
			sum()
			sum()
		})
	}
	t.Run("down at first", func(t *testing.T) {
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{at("everything", "http://127.0.0.1:"+port+"/mcp", nil), child(t, "desk", "desk")}})
		s := overStdio(t, g, "s1", nil, legacy)
		_, stop := serveNPMAt(t, program, port)
		defer stop()
		eventually(t, "the server's tools", func() bool {
			r, err := s.ListTools(t.Context(), nil)
			return err == nil && slices.ContainsFunc(r.Tools, func(x *sdk.Tool) bool { return x.Name == "get-sum" })
		})
	})
}

// A server that is slow in the handshake delays no other, and is there when it has
// answered.
func TestLateServers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("LATE", l.Addr().String())
	late := child(t, "late", "late")
	changed := make(chan bool, 10)
	o := &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- true }}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "mortal", "mortal"), late}, Limits: mcp.Limits{Greeting: time.Millisecond}})
	s := overStdio(t, g, "s1", o, legacy)
	has := func(name string) bool {
		r, err := s.ListTools(t.Context(), nil)
		return err == nil && slices.ContainsFunc(r.Tools, func(x *sdk.Tool) bool { return x.Name == name })
	}
	if !has("get_life") || has("read_inbox") {
		t.Error("the tools are not those of the server that answered")
	}
	if r := call(t, s, "get_life", empty{}); r.IsError {
		t.Error(textOf(r))
	}
	gate, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	gate.Close()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("the client was not told of the server that came late")
	}
	if !has("read_inbox") {
		t.Error("the tools of the late server are missing")
	}
	if r := call(t, s, "read_inbox", empty{}); r.IsError {
		t.Error(textOf(r))
	}
}

// A client that lists the tools once has those of a server that is slow in the handshake: the
// list waits for it.
func TestListWaitsForLateServers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("LATE", l.Addr().String())
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "mortal", "mortal"), child(t, "late", "late")}, Limits: mcp.Limits{Greeting: time.Minute}})
	// The handshake with the client has ended when the late server begins its own.
	s := overStdio(t, g, "s1", nil, legacy)
	listed := make(chan []string, 1)
	go func() {
		var names []string
		if r, err := s.ListTools(t.Context(), nil); err == nil {
			for _, tool := range r.Tools {
				names = append(names, tool.Name)
			}
		}
		listed <- names
	}()

	gate, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	gate.Close()
	if names := <-listed; !slices.Contains(names, "get_life") || !slices.Contains(names, "read_inbox") {
		t.Errorf("the tools are %q, without those of one server", names)
	}
}

// An answer that can't be passed on is an error at once, and no silence.
func TestOddAnswers(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "odd", "odd")}})
	s := overStdio(t, g, "s1", nil, legacy)
	for _, tool := range []string{"get_deep", "get_text"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: empty{}})
		cancel()
		if err == nil || !strings.Contains(err.Error(), "the server's answer was refused") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
