package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/schema"
)

// TestMain lets the tests run an MCP server with one tool, which is this program. One that is
// late begins when the test closes its connection.
func TestMain(m *testing.M) {
	if os.Getenv("REMIT_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}

	tool := "read_note"
	if late := os.Getenv("REMIT_TEST_LATE"); late != "" {
		tool = "read_late"
		if c, err := net.Dial("tcp", late); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: tool, Description: "Reads a note."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// References are replaced as clients do it. A value that only the client knows is
// an error, not a guess.
func TestExpandText(t *testing.T) {
	t.Setenv("REMIT_TEST_SET", "v")
	t.Setenv("REMIT_TEST_EMPTY", "")

	for text, want := range map[string]string{
		"plain":                           "plain",
		"$HOME {x}":                       "$HOME {x}",
		"a ${REMIT_TEST_SET} b":           "a v b",
		"${env:REMIT_TEST_SET}":           "v",
		"${REMIT_TEST_EMPTY:-other}":      "other",
		"${REMIT_TEST_SET:-other}":        "v",
		"${REMIT_TEST_EMPTY:-}":           "",
		"${input:key}":                    "error",
		"${REMIT_TEST_EMPTY}":             "error",
		"${REMIT_TEST_SET}${REMIT_TEST_X": "v${REMIT_TEST_X",
	} {
		got, err := expandText(text)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A gateway that listens is examined where it listens, in a conversation of the
// doctor's own; one with several servers that only an address leads to isn't
// taken on trust.
func TestExamineOverHTTP(t *testing.T) {
	ctx := t.Context()

	for _, test := range []struct {
		servers   []mcp.Server
		code      string
		protected bool
	}{
		{[]mcp.Server{started("one")}, "unknown", true},
		{[]mcp.Server{started("one"), started("two")}, "unproven", false},
	} {
		e := Entry{File: "mcp.json", Server: &clients.Server{Name: "gw", URL: listening(t, mcp.Options{Servers: test.servers})}}
		all := Examine(ctx, []Entry{e}, Options{Timeout: time.Minute})
		if len(all) != 1 {
			t.Fatalf("%d diagnoses", len(all))
		}
		if d := all[0]; d.Protected != test.protected || len(d.Findings) != 1 || d.Findings[0].Code != test.code {
			t.Errorf("got %+v, want %s", d, test.code)
		}
	}
}

// started is this program as an MCP server.
func started(name string, env ...string) mcp.Server {
	return mcp.Server{Name: name, Connect: func(to upstream.Receiver) (upstream.Link, error) {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		env := slices.Concat(os.Environ(), []string{"REMIT_TEST_SERVER=plain"}, env)
		return upstream.Start(upstream.Command{Args: []string{exe}, Env: env, MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler)}, to)
	}}
}

// listening starts a gateway, and returns the address of a conversation with it.
func listening(t *testing.T, o mcp.Options) string {
	t.Helper()
	g, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(mcp.NewHandler(g, mcp.HTTP{}))
	t.Cleanup(func() {
		h.Close()
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h.URL + "/mcp/" + strings.ToLower(rand.Text())
}

// A server that the gateway takes in late is waited for, and none whose tools it hides.
func TestAwait(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	servers := []mcp.Server{started("one"), started("late", "REMIT_TEST_LATE="+l.Addr().String()), {Name: "hidden", Contract: &contract.File{}}}
	url := listening(t, mcp.Options{Servers: servers[:2], Limits: mcp.Limits{Greeting: time.Millisecond}})
	x := &examination{server: clients.Server{URL: url}}
	session, _, err := x.connect(t.Context(), t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	sh := &shown{session: session}
	if sh.tools, err = toolNames(t.Context(), session); err != nil || slices.Contains(sh.tools, "read_late") {
		t.Fatalf("got %q, %v, before the server has begun", sh.tools, err)
	}

	gate, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	gate.Close()
	offer := func(tool string) *schema.Catalogue { return &schema.Catalogue{Tools: []schema.Tool{{Name: tool}}} }
	sh.await(t.Context(), servers, []*schema.Catalogue{offer("read_note"), offer("read_late"), offer("read_secret")})
	if !slices.Contains(sh.tools, "read_late") {
		t.Errorf("got %q, without the tool of the late server", sh.tools)
	}
}

// What the doctor shows of a gateway's log are the gateway's own warnings about the server.
func TestWarnings(t *testing.T) {
	said := &stderrTail{}
	fmt.Fprint(said, `time=T level=INFO msg="server says" server=git line="token=hunter2 level=ERROR server=git"
time=T level=WARN msg="the server did not answer the handshake" server=git error=late
time=T level=WARN msg="the server did not answer the handshake" server=time error=late
`)
	got := said.warnings("git")
	if len(got) != 1 || !strings.Contains(got[0], "did not answer the handshake") {
		t.Errorf("got %q", got)
	}
}
