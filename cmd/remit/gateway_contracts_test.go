package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/definitions"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// served is a gateway over stdio with a client, both in this process, in front of
// the test's server.
type served struct {
	client *sdk.ClientSession
	stop   func() string // returns what the gateway logged
}

func serveGateway(t *testing.T, flags ...string) *served {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("REMIT_TEST_SERVER", "1")
	t.Setenv("CALLS", filepath.Join(t.TempDir(), "calls"))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var log bytes.Buffer
	done := make(chan int, 1)
	go func() {
		code := run(append(append([]string{"gateway"}, flags...), "--", exe), inR, outW, &log)
		outW.Close()
		done <- code
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	s := &served{client: client}
	s.stop = func() string {
		if !stopped {
			stopped = true
			client.Close()
			inW.Close()
			if code := <-done; code != 0 {
				t.Errorf("the gateway ended with %d: %s", code, &log)
			}
		}
		return log.String()
	}
	t.Cleanup(func() { s.stop() })
	return s
}

// send calls send_email and returns whether it went through.
func (s *served) send(t *testing.T, to string) bool {
	t.Helper()
	r, err := s.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "send_email", Arguments: map[string]any{"to": to}})
	if err != nil {
		t.Error(err)
		return false
	}
	return !r.IsError
}

// asked waits until a question is in the store and returns its id.
func asked(t *testing.T, name string) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		st, err := store.Open(t.Context(), name, store.Options{Existing: true})
		if err != nil {
			continue
		}
		list, err := st.Pending(t.Context(), 1)
		if err := errors.Join(err, st.Close()); err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 {
			return list[0].ID
		}
	}
	t.Fatal("nobody was asked")
	return ""
}

func runArgs(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	code = run(args, strings.NewReader(""), &b, &b)
	return code, b.String()
}

// What a person allows reaches exactly as far as the person says: one call, calls
// like it in the session, or an entry in the contract file, from the next call on
// and in every session.
func TestApprovalsReach(t *testing.T) {
	for extent, want := range map[string]struct{ again, elsewhere bool }{
		"once":    {false, false},
		"session": {true, false},
		"always":  {true, true},
	} {
		t.Run(extent, func(t *testing.T) {
			dir := t.TempDir()
			file, db := filepath.Join(dir, "test.yaml"), filepath.Join(dir, "remit.db")
			flags := []string{"--name", "test", "--contracts", dir, "--store", db, "--queue", "--log", "info"}
			first := serveGateway(t, append(flags, "--session", "zero")...)
			if _, err := first.client.ListTools(t.Context(), nil); err != nil { // which makes the contract
				t.Fatal(err)
			}
			first.stop()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.Replace(text, []byte("  send_email:\n"), []byte("  send_email: # looked at by ann\n"), 1)
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}

			g := serveGateway(t, append(flags, "--session", "one")...)
			// waits reports whether a call waits for a person, who denies it then.
			waits := func(g *served, to string) bool {
				t.Helper()
				through := make(chan bool, 1)
				go func() { through <- g.send(t, to) }()
				for {
					select {
					case ok := <-through:
						if !ok {
							t.Error("denied without a question")
						}
						return false
					case <-time.After(5 * time.Millisecond):
					}
					st, err := store.Open(t.Context(), db, store.Options{Existing: true})
					if err != nil {
						t.Fatal(err)
					}
					list, err := st.Pending(t.Context(), 1)
					for _, a := range list {
						_, err = st.Answer(t.Context(), a.ID, store.Answer{By: "test"})
					}
					if err = errors.Join(err, st.Close()); err != nil {
						t.Fatal(err)
					}
					if len(list) == 1 {
						return !<-through
					}
				}
			}
			through := make(chan bool, 1)
			go func() { through <- g.send(t, "ann@corp.example") }()
			if code, out := runArgs(t, "approvals", "answer", "--store", db, "--for", extent, "--by", "ann", asked(t, db), "approve"); code != 0 {
				t.Fatalf("%d: %s", code, out)
			}
			if !<-through {
				t.Fatal("the call was approved, and denied")
			}
			if got := waits(g, "ann@corp.example"); got == want.again {
				t.Errorf("the same call again is asked about: %t", got)
			}
			if !waits(g, "bob@corp.example") {
				t.Error("another value passes")
			}
			g.stop()
			other := serveGateway(t, append(flags, "--session", "two")...)
			if got := waits(other, "ann@corp.example"); got == want.elsewhere {
				t.Errorf("the same call in another session is asked about: %t", got)
			}
			other.stop()

			after, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !want.elsewhere {
				if !bytes.Equal(after, text) {
					t.Errorf("the contract was edited:\n%s", after)
				}
				return
			}
			if !strings.Contains(string(after), "    approved:\n      - {/to: ann@corp.example}\n") || !strings.Contains(string(after), "# looked at by ann") || len(after) > len(text)+60 {
				t.Errorf("the contract is now:\n%s", after)
			}
			if _, out := runArgs(t, "audit", "export", "--store", db); !strings.Contains(out, `"about":"approved","members":{"by":"ann"`) || !strings.Contains(out, `"value /to":"ann@corp.example"`) {
				t.Errorf("the audit log doesn't have it:\n%s", out)
			}
		})
	}
}

// A contract that could not be read again is not written: it would keep the
// gateway from starting.
func TestContractsAreReadBack(t *testing.T) {
	f := &contract.File{Version: contract.Version, Server: "tickets", Tools: []contract.Tool{{
		Name: "close", Effect: contract.Write, Why: "named so",
		Args: []contract.Arg{{Pattern: "/id", Role: label.Selector, Why: "named so"}, {Pattern: "/id", Role: label.Selector, Why: "named so"}},
	}}}
	dir := filepath.Join(t.TempDir(), "contracts")
	if err := contractDir(dir).add(f); err == nil || !strings.Contains(err.Error(), "stands twice") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written")
	}
	f.Tools[0].Args = f.Tools[0].Args[:1]
	if err := contractDir(dir).add(f); err != nil {
		t.Error(err)
	}
}

// Of gateways that start at the same time with one server, each makes its contracts, and
// writes them where the others do.
func TestContractsOfGatewaysThatStartTogether(t *testing.T) {
	file := func(why string) *contract.File {
		return &contract.File{Version: contract.Version, Server: "tickets", Tools: []contract.Tool{{Name: "close", Effect: contract.Write, Why: why}}}
	}
	dir := contractDir(filepath.Join(t.TempDir(), "contracts"))
	var errs [8]error
	var gateways sync.WaitGroup
	for i := range errs {
		gateways.Go(func() { errs[i] = dir.add(file("named so")) })
	}
	gateways.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}

	first, err := dir.find("tickets")
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.add(file("another release says so")); err == nil || !strings.Contains(err.Error(), "other contracts") {
		t.Errorf("for other contracts got %v", err)
	}
	if now, err := dir.find("tickets"); err != nil || !reflect.DeepEqual(now, first) {
		t.Errorf("the file is now %v, %v", now, err)
	}
}

// A gateway keeps the definitions of tools beside their contracts, each as reviewed as long as
// it is the one that its contract was made for.
func TestGatewayKeepsDefinitions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "contracts")
	file := filepath.Join(dir, "test.yaml")
	listTools := func() definitions.Tool {
		t.Helper()
		s := serveGateway(t, "--name", "test", "--contracts", dir)
		if _, err := s.client.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		s.stop()
		kept, err := definitions.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		return kept["send_email"]
	}
	first := listTools()
	if first.Reviewed == nil || first.Changed() || !strings.Contains(string(first.Reviewed.Text), "send_email") {
		t.Fatalf("kept is %+v", first)
	}

	// The server says another thing than it did when the contract was made.
	was := strings.Replace(first.Reviewed.Fingerprint, "sha256:", "sha256:0", 1)[:len(first.Reviewed.Fingerprint)]
	for _, name := range []string{file, definitions.Name(file)} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte(first.Reviewed.Fingerprint), []byte(was)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if now := listTools(); !now.Changed() || now.Reviewed.Fingerprint != was || now.Present.Fingerprint != first.Reviewed.Fingerprint {
		t.Errorf("kept is %+v", now)
	}
}
