package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/remit-project/remit/internal/fleet"
)

// ready is what the gateway says about itself.
func (p *gatewayProcess) ready(t *testing.T) bool {
	t.Helper()
	r, err := http.Get(strings.TrimSuffix(p.url, "/mcp") + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode == http.StatusOK
}

// quit ends the gateway and returns its log.
func (p *gatewayProcess) quit(t *testing.T) string {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	log := <-p.log
	_ = p.cmd.Wait()
	return log
}

// client is a client of the gateway's, in a conversation of its own.
func (p *gatewayProcess) client(t *testing.T) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s, err := p.connect(ctx, strings.Repeat("y", 30))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func readMail(ctx context.Context, s *sdk.ClientSession) error {
	_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "read", Arguments: deskCall{N: "1"}})
	return err
}

// A disk that is full stops calls, and shows: in the log, and to those who ask
// whether the gateway is ready. So does its end.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system of its own")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	d := newDesk(t)
	g := startGateway(t, program(t, "remit"), d.configure(t, filepath.Join(disk, "remit.db")))
	s := g.client(t)
	if err := readMail(t.Context(), s); err != nil || !g.ready(t) {
		t.Fatalf("ready %t, %v", g.ready(t), err)
	}
	full := filepath.Join(disk, "full")
	f, err := os.Create(full)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	f.Close()
	for err = nil; err == nil; { // the store has some room left
		err = readMail(t.Context(), s)
	}
	if g.ready(t) {
		t.Error("ready, with a disk that is full")
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	if !g.ready(t) {
		t.Error("not ready, with room on the disk")
	}
	if err := readMail(t.Context(), s); err != nil {
		t.Error(err)
	}
	if log := g.quit(t); strings.Count(log, `level=ERROR msg="a step could not be recorded`) < 1 || !strings.Contains(log, "the gateway is not ready") {
		t.Errorf("the log has no word of it:\n%s", log)
	}
}

// A store that was removed or replaced is missed before anything is written into
// nothing.
func TestLostStore(t *testing.T) {
	program := program(t, "remit")
	for name, replaced := range map[string]bool{"removed": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			d, db := newDesk(t), filepath.Join(t.TempDir(), "remit.db")
			g := startGateway(t, program, d.configure(t, db))
			s := g.client(t)
			if err := readMail(t.Context(), s); err != nil || !g.ready(t) {
				t.Fatalf("ready %t, %v", g.ready(t), err)
			}
			if err := os.Rename(db, db+".away"); err != nil {
				t.Fatal(err)
			}
			if replaced {
				if err := os.WriteFile(db, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := readMail(t.Context(), s); err == nil || g.ready(t) {
				t.Errorf("ready %t, %v", g.ready(t), err)
			}
			if err := os.Rename(db+".away", db); err != nil {
				t.Fatal(err)
			}
			if err := readMail(t.Context(), s); err != nil || !g.ready(t) {
				t.Errorf("put back: ready %t, %v", g.ready(t), err)
			}
			if log := g.quit(t); !strings.Contains(log, "is not there any more") {
				t.Errorf("the log has no word of it:\n%s", log)
			}
		})
	}
}

// A gateway none of whose servers has a program isn't ready.
func TestMissingPrograms(t *testing.T) {
	config := filepath.Join(t.TempDir(), "remit.yaml")
	if err := os.WriteFile(config, []byte("version: 1\nlisten: {address: '127.0.0.1:0'}\nservers:\n  gone: {command: [no-such-program]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := startGateway(t, program(t, "remit"), config)
	if g.ready(t) {
		t.Error("ready, without a server")
	}
	if log := g.quit(t); !strings.Contains(log, "the server's program can't be started") {
		t.Errorf("the log has no word of it:\n%s", log)
	}
}

// On SIGHUP contracts are read again, for conversations that are going on; one with
// mistakes leaves what was in force.
func TestReload(t *testing.T) {
	d := newDesk(t)
	config := d.configure(t, filepath.Join(t.TempDir(), "remit.db"))
	file := filepath.Join(filepath.Dir(config), "desk.yaml")
	g := startGateway(t, program(t, "remit"), config)
	s := g.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sends := func() bool {
		t.Helper()
		r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "send", Arguments: deskCall{N: "1", To: "ann@corp.example"}})
		if err != nil {
			t.Fatal(err)
		}
		return !r.IsError
	}
	// hup reloads the text; the gateway notes only in the log when it has.
	hup := func(text string, until bool) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := g.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for sends() != until {
			if ctx.Err() != nil {
				t.Fatal("the contract is not in force")
			}
		}
	}
	if sends() {
		t.Fatal("sent before it was allowed")
	}
	allowed := strings.Replace(fleet.Contracts, "    effect: egress\n", "    effect: egress\n    approved: [{/n: '1', /to: ann@corp.example}]\n", 1)
	hup(allowed, true)
	hup(fleet.Contracts, false)
	hup(allowed, true)
	hup("version: 1\nserver: desk\ntools: {send: {efect: egress}}\n", true)
	if log := g.quit(t); strings.Count(log, `msg="the contract file was read again"`) != 3 {
		t.Errorf("the log:\n%s", log)
	}
}
