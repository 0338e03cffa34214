package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// clock is a small server beside the desk, with a tool of the same name.
func clock() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "clock", Version: "1"}, nil)
	for _, name := range []string{"get_time", "get_date", "get_zone"} {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Gets the " + name[4:] + "."}, func(context.Context, *sdk.CallToolRequest, empty) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "clock's " + name}}}, nil, nil
		})
	}
	s.AddPrompt(&sdk.Prompt{Name: "greet"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "clock's greeting"}}}}, nil
	})
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "zone", URITemplate: "zone://{name}"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "a zone"}}}, nil
	})
	return s
}

// Several servers look like one. Names that two of them have carry the server's.
func TestMany(t *testing.T) {
	ctx := context.Background()
	generations(t, func(t *testing.T, version string) {
		hanging := child(t, "hanging", "hang")
		hanging.Timeout = 500 * time.Millisecond
		g, _ := gateway(t, mcp.Options{Version: "1", Servers: []mcp.Server{
			child(t, "desk", "desk"), child(t, "broken", "crash"), hanging, at("clock", serveSDK(t, clock(), version).url, nil),
		}})
		changed := make(chan bool, 8)
		o := colours()
		o.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) { changed <- true }
		s := overStdio(t, g, "s1", o, version)
		if got := s.InitializeResult().ProtocolVersion; got != version {
			t.Fatalf("agreed on %s", got)
		}
		var tools []string
		for tool, err := range s.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, tool.Name)
		}
		slices.Sort(tools)
		want := []string{"clock__get_time", "desk__get_time", "get_answer", "get_date", "get_slowly", "get_worse", "get_zone", "read_inbox", "send_email"}
		if d := cmp.Diff(want, tools); d != "" {
			t.Fatal(d)
		}
		for tool, text := range map[string]string{"clock__get_time": "clock's get_time", "desk__get_time": "12:00", "get_date": "clock's get_date", "get_answer": "blue"} {
			if r := call(t, s, tool, empty{}); r.IsError || !strings.HasPrefix(textOf(r), text) {
				t.Errorf("%s: %s", tool, textOf(r))
			}
		}
		if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "get_time", Arguments: empty{}}); err == nil {
			t.Error("a name that two servers have was called")
		}
		var prompts []string
		for p, err := range s.Prompts(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			prompts = append(prompts, p.Name)
		}
		slices.Sort(prompts)
		if d := cmp.Diff([]string{"clock__greet", "desk__greet"}, prompts); d != "" {
			t.Error(d)
		}
		if r, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "clock__greet"}); err != nil || r.Messages[0].Content.(*sdk.TextContent).Text != "clock's greeting" {
			t.Errorf("prompts/get: %v, %v", r, err)
		}
		for uri, text := range map[string]string{"note://1": "Trudy", "zone://cet": "a zone"} {
			if r, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri}); err != nil || !strings.HasPrefix(r.Contents[0].Text, text) {
				t.Errorf("%s: %v, %v", uri, r, err)
			}
		}
		if r, err := s.Complete(ctx, &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "desk__greet"}, Argument: sdk.CompleteParamsArgument{Name: "x", Value: "p"}}); err != nil || r.Completion.Values[0] != "paris" {
			t.Errorf("completion: %v, %v", r, err)
		}
		if version == legacy {
			if err := s.Ping(ctx, nil); err != nil {
				t.Error(err)
			}
		}
		// What one server returned is evidence against a call of another.
		call(t, s, "read_inbox", empty{})
		if r := call(t, s, "send_email", mail{To: "eve@evil.example"}); !r.IsError {
			t.Error("sent")
		}
		if r := call(t, s, "get_worse", empty{}); r.IsError {
			t.Error(textOf(r))
		}
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Error("no word of changed tools")
		}
		if r := call(t, s, "read_inbox", empty{}); !r.IsError {
			t.Error("a changed tool was called")
		}
	})
}

// TestWithheldToolsTakeNoNames: a tool that no contract knows is neither shown nor called, and so
// changes neither the name of another server's tool nor the rules for it. Where it passes, as in
// shadow mode, both have the server's name.
func TestWithheldToolsTakeNoNames(t *testing.T) {
	file, err := contract.Load("clock.yaml", []byte("version: 1\nserver: clock\ntools:\n  get_date: {effect: read, args: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	rule, err := guard.Load("get_time.yaml", []byte("tool: get_time\npolicies: [{name: any, require: 'true', message: x}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[mcp.Mode][]string{
		mcp.Enforce: {"get_answer", "get_slowly", "get_time", "get_worse", "read_inbox", "send_email"},
		mcp.Shadow:  {"clock__get_time", "desk__get_time", "get_answer", "get_slowly", "get_worse", "get_zone", "read_inbox", "send_email"},
	} {
		t.Run(string(mode), func(t *testing.T) {
			other := at("clock", serveSDK(t, clock(), legacy).url, nil)
			other.Contract, other.Mode = file, mode
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk"), other}, Policies: []*guard.File{rule}})
			s := overStdio(t, g, "s1", nil, legacy)
			var tools []string
			for tool, err := range s.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				if tool.Name != "get_date" { // has a contract, of another definition
					tools = append(tools, tool.Name)
				}
			}
			slices.Sort(tools)
			if d := cmp.Diff(want, tools); d != "" {
				t.Error(d)
			}
			if mode == mcp.Shadow {
				return
			}
			if r := call(t, s, "get_time", empty{}); r.IsError || textOf(r) != "12:00" {
				t.Errorf("got %s", textOf(r))
			}
		})
	}
}

// With a server of the older generation among them, all are of that one.
func TestManyGenerations(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{
		child(t, "desk", "desk"), at("clock", serveSDK(t, clock(), legacy).url, nil),
	}})
	s := overStdio(t, g, "s1", nil, stateless)
	if got := s.InitializeResult().ProtocolVersion; got != legacy {
		t.Errorf("agreed on %s", got)
	}
	for _, tool := range []string{"get_zone", "desk__get_time"} {
		if r := call(t, s, tool, empty{}); r.IsError {
			t.Errorf("%s: %s", tool, textOf(r))
		}
	}
}

// A server that dies in the middle fails its own calls, and only them.
func TestServerDies(t *testing.T) {
	ctx := context.Background()
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk"), child(t, "mortal", "mortal")}})
	s := overStdio(t, g, "s1", nil, legacy)
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "get_end", Arguments: empty{}}); err == nil || !strings.Contains(err.Error(), "mortal: the server is not running") {
		t.Errorf("got %v", err)
	}
	if r := call(t, s, "get_time", empty{}); r.IsError {
		t.Error(textOf(r))
	}
	if r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "get_end", Arguments: empty{}}); err == nil && !r.IsError {
		t.Error("a dead server's tool was called")
	}
}

// What is for no server in particular goes to all of them, or says so.
func TestManyAtOnce(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "one", "desk"), child(t, "two", "desk")}})
	c := raw(t, g)
	c.ask(scripts[legacy][0])
	c.ask(scripts[legacy][1])
	for request, want := range map[string]string{
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`:     `{"jsonrpc":"2.0","id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`:                                            `{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":4,"method":"acme/x","params":{}}`:                              `can't tell which of its servers \"acme/x\" is for`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"99."}}`:            `not one that this gateway gave out`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"x"}}`:              `not one that this gateway gave out`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"none://x"}}`:      `no server offers the resource \"none://x\"`,
		`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"greet"}}`:           `no server offers the prompt \"greet\"`,
		`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"note://1"}}`: `"id":9,"result":{}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"one__read_inbox"}}`: `"id":10,"result"`,
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"read_inbox"}}`:      `no server offers the tool \"read_inbox\""`,
		`{"jsonrpc":"2.0","id":12,"method":"tools/list","params":{"cursor":"1.bm9uc2Vuc2U"}}`: `"tools":[]`,
	} {
		if got := c.ask(request); !strings.Contains(got[len(got)-1], want) {
			t.Errorf("%s: got %s, want %s", request, got, want)
		}
	}
}

// loyal is a server that stays with the generation in which it was first
// addressed.
type loyal struct {
	to    upstream.Receiver
	newer bool
}

func (l *loyal) Send(m upstream.Message) error {
	answer := `"result":{}`
	switch {
	case m.Method == "server/discover":
		l.newer = true
		answer = `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	case m.Method == "initialize" && l.newer:
		answer = `"error":{"code":-32022,"message":"this connection is of the newer generation","data":{"supported":["2026-07-28"]}}`
	case m.Method == "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`
	}
	if m.ID != 0 {
		l.to.Receive(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, m.ID, answer), 0)
	}
	return nil
}
func (l *loyal) Abandon(int64)               {}
func (l *loyal) Close(context.Context) error { return nil }

// A client that asks which generation it is, and doesn't wait for the answer, is
// served in the older one by servers that it has addressed in the newer.
func TestDiscoverGivenUp(t *testing.T) {
	var servers []mcp.Server
	for _, name := range []string{"one", "two"} {
		servers = append(servers, mcp.Server{Name: name, Connect: func(to upstream.Receiver) (upstream.Link, error) { return &loyal{to: to}, nil }})
	}
	g, _ := gateway(t, mcp.Options{Servers: servers})
	c := raw(t, g)
	c.ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + statelessMeta + `}}`)
	got := c.ask(scripts[legacy][0])
	if want := `"protocolVersion":"2025-11-25"`; !strings.Contains(got[len(got)-1], want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
