package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// That a question waits is heard by everybody who could do something about it: the
// log, the client, who watches the queue, and the command of the deployment.
func TestSomebodyHears(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell")
	}
	program, dir := program(t, "remit"), t.TempDir()
	d := newDesk(t)
	config, db, told := d.configure(t, filepath.Join(dir, "remit.db")), filepath.Join(dir, "remit.db"), filepath.Join(dir, "told")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "approvals: {queue: true, notify: ["+sh+", -c, 'cat > "+told+".new && mv "+told+".new "+told+"']}\n"...)
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	g := startGateway(t, program, config)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	progress := make(chan string, 100)
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { progress <- r.Params.Message },
	})
	s, err := c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: g.url + "/" + strings.Repeat("x", 30), MaxRetries: -1, DisableStandaloneSSE: true}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan *sdk.CallToolResult, 1)
	go func() {
		p := &sdk.CallToolParams{Name: "send", Arguments: deskCall{N: "1", To: "ann@corp.example"}}
		p.SetProgressToken("p1")
		r, err := s.CallTool(ctx, p)
		if err != nil {
			t.Error(err)
		}
		result <- r
	}()

	if got := <-progress; got != "waiting for a person's answer" {
		t.Errorf("the client hears %q", got)
	}
	id := asked(t, db)
	watch := exec.CommandContext(ctx, program, "approvals", "--watch", "--store", db)
	out, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	seen := bufio.NewScanner(out)
	for seen.Scan() && !strings.HasPrefix(seen.Text(), id) {
	}
	if !strings.HasPrefix(seen.Text(), id) {
		t.Error("who watches doesn't see the question")
	}
	var said []byte
	for said == nil && ctx.Err() == nil {
		said, _ = os.ReadFile(told)
	}
	if !strings.Contains(string(said), `"tool":"send"`) || !strings.Contains(string(said), `ann@corp.example`) {
		t.Errorf("the command was told %q", said)
	}

	if code, out := runArgs(t, "approvals", "answer", "--store", db, id, "approve"); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
	if r := <-result; r == nil || r.IsError {
		t.Errorf("approved, and stopped: %+v", r)
	}
	if err := watch.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	for seen.Scan() {
		// The pipe has to be read to its end.
	}
	if err := watch.Wait(); err != nil {
		t.Errorf("the watch ended with %v", err)
	}
	_ = s.Close() // the gateway is killed next
	if err := g.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if log := <-g.log; !strings.Contains(log, `msg="a question waits for a person"`) {
		t.Errorf("the log has no word of it:\n%s", log)
	}
	_ = g.cmd.Wait()
}
