package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// person answers the gateway's questions in front of the client.
type person struct {
	agrees atomic.Bool
	asked  atomic.Int32
}

func (p *person) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		p.asked.Add(1)
		if p.agrees.Load() {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
		}
		return &sdk.ElicitResult{Action: "decline"}, nil
	}}
}

// refused reports whether a result is one of a call that Remit stopped.
func refused(isError bool, text string) bool {
	return isError && strings.HasPrefix(text, "The call of ")
}

// gatewayArgs is the command of a gateway, which is this program.
func gatewayArgs(args ...string) []string {
	return append([]string{"remit", "gateway", "--log", "error"}, args...)
}

// startAgent connects a client of Go's SDK to a gateway that it starts.
func startAgent(t *testing.T, command, env []string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// waitForTools waits until the gateway offers the tools of calls: a server that starts
// slowly delays no other, and its tools come later.
func waitForTools(t *testing.T, c *sdk.ClientSession, calls []toolCall) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for missing := ""; ; {
		list, err := c.ListTools(ctx, nil)
		if err != nil {
			t.Fatalf("waiting for %s: %v", missing, err)
		}

		offered := map[string]bool{}
		for _, tool := range list.Tools {
			offered[tool.Name] = true
		}
		i := slices.IndexFunc(calls, func(call toolCall) bool { return !offered[call.Tool] })
		if i < 0 {
			return
		}
		missing = calls[i].Tool
	}
}

// use makes a call.
func use(t *testing.T, c *sdk.ClientSession, call toolCall) (isError bool, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: call.Tool, Arguments: call.Arguments})
	if err != nil {
		t.Fatalf("%s: %v", call.Tool, err)
	}
	for _, part := range r.Content {
		if said, ok := part.(*sdk.TextContent); ok {
			text += said.Text
		}
	}
	return r.IsError, text
}

// edit changes a file as a person would: old text, new text.
func edit(t *testing.T, name string, changes []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(text), changes[i]) {
			t.Fatalf("%s: there is no %q", name, changes[i])
		}
	}
	if err := os.WriteFile(name, []byte(strings.NewReplacer(changes...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// configure writes a configuration for servers, and returns its file.
func configure(t *testing.T, servers []packaged, listens bool, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("version: 1\ncontracts: contracts\n")
	for _, line := range more {
		b.WriteString(line + "\n")
	}
	if listens {
		b.WriteString("listen: {address: 127.0.0.1:0}\n")
	}
	b.WriteString("servers:\n")
	for _, s := range servers {
		env := map[string]string{}
		for _, e := range s.program.Env {
			k, v, _ := strings.Cut(e, "=")
			env[k] = v
		}
		// JSON is YAML.
		text, err := json.Marshal(map[string]any{"command": s.program.Command, "env": env})
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("  " + s.name + ": " + string(text) + "\n")
	}
	name := filepath.Join(dir, "remit.yaml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// listen starts the gateway of a configuration that listens, and returns the
// address of one run.
func listen(t *testing.T, config string) string {
	t.Helper()
	cmd := exec.Command("remit", "gateway", "--config", config)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "msg=listening url="); ok {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return url + "/" + strings.ToLower(rand.Text())
		}
	}
	t.Fatalf("the gateway of %s ended before it listened", config)
	return ""
}
