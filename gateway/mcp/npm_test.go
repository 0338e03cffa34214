package mcp_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/gateway/mcp"
	"github.com/remit-project/remit/gateway/mcp/mcptest"
	"github.com/remit-project/remit/gateway/mcp/upstream"
)

func packaged(name string, mode mcp.Mode, p mcptest.Program) mcp.Server {
	c := upstream.Command{Args: p.Command, Env: append(os.Environ(), p.Env...), MaxMessage: 16 << 20, Log: slog.New(slog.DiscardHandler)}
	return mcp.Server{Name: name, Mode: mode, Connect: func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(c, to) }}
}

func direct(t *testing.T, p mcptest.Program) *wireClient {
	t.Helper()
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		kill := time.AfterFunc(3*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait()
	})
	return newWireClient(t, in, out)
}

// answersOnly leaves out what a server says on its own time.
func answersOnly(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !strings.Contains(l, `"method":"notifications/message"`) && !strings.Contains(l, "list_changed") {
			out = append(out, l)
		}
	}
	return out
}

// The reference server, which uses every feature of the protocol, looks the same
// through the gateway, byte by byte.
func TestEverything(t *testing.T) {
	program := mcptest.NPM(t, "everything")
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{packaged("everything", mcp.Shadow, program)}})
	with, without := raw(t, g), direct(t, program)
	id := 0
	both := func(method, params string) string {
		t.Helper()
		id++
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
		a, b := answersOnly(without.ask(line)), answersOnly(with.ask(line))
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s\n(-without +with the gateway)\n%s", line, d)
		}
		return a[len(a)-1]
	}
	both("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	for _, c := range []*wireClient{with, without} {
		c.ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	tools := both("tools/list", `{}`)
	both("prompts/list", `{}`)
	both("resources/templates/list", `{}`)
	resources := both("resources/list", `{}`)
	both("ping", `{}`)
	both("acme/unknown", `{}`)
	both("prompts/get", `{"name":"simple-prompt"}`)
	both("prompts/get", `{"name":"none"}`)
	var list struct {
		Result struct {
			Tools     []struct{ Name string }
			Resources []struct{ URI string }
		}
	}
	if err := json.Unmarshal([]byte(tools), &list); err != nil || len(list.Result.Tools) < 5 {
		t.Fatalf("%v in %s", err, tools)
	}
	calls := map[string]string{
		"echo":                           `{"message":"caf\u00e9 12345678901234567890"}`,
		"get-sum":                        `{"a":1.50,"b":2}`,
		"get-tiny-image":                 `{}`,
		"get-annotated-message":          `{"messageType":"error","includeImage":true}`,
		"get-structured-content":         `{"location":"New York"}`,
		"get-resource-links":             `{"count":2}`,
		"trigger-long-running-operation": `{"duration":0.2,"steps":2}`,
	}
	called := 0
	for _, tool := range list.Result.Tools {
		if args, ok := calls[tool.Name]; ok {
			called++
			both("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"p"}}`, tool.Name, args))
		}
	}
	if called < 4 {
		t.Errorf("only %d tools are known by name: %s", called, tools)
	}
	if err := json.Unmarshal([]byte(resources), &list); err != nil {
		t.Fatal(err)
	}
	for i, r := range list.Result.Resources {
		if i == 3 {
			break
		}
		both("resources/read", fmt.Sprintf(`{"uri":%q}`, r.URI))
	}
}
