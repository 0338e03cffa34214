package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// TestMain lets the tests run an MCP server with one tool, which is this program.
func TestMain(m *testing.M) {
	if os.Getenv("REMIT_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}

	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "read_note", Description: "Reads a note."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
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

	server := func(name string) mcp.Server {
		return mcp.Server{Name: name, Connect: func(to upstream.Receiver) (upstream.Link, error) {
			exe, err := os.Executable()
			if err != nil {
				return nil, err
			}
			return upstream.Start(upstream.Command{Args: []string{exe}, Env: append(os.Environ(), "REMIT_TEST_SERVER=plain"), MaxMessage: 1 << 20, Log: slog.New(slog.DiscardHandler)}, to)
		}}
	}
	for _, test := range []struct {
		servers   []mcp.Server
		code      string
		protected bool
	}{
		{[]mcp.Server{server("one")}, "unknown", true},
		{[]mcp.Server{server("one"), server("two")}, "unproven", false},
	} {
		g, err := mcp.New(mcp.Options{Servers: test.servers})
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
		e := Entry{File: "mcp.json", Server: &clients.Server{Name: "gw", URL: h.URL + "/mcp/" + strings.ToLower(rand.Text())}}
		all := Examine(ctx, []Entry{e}, Options{Timeout: time.Minute})
		if len(all) != 1 {
			t.Fatalf("%d diagnoses", len(all))
		}
		if d := all[0]; d.Protected != test.protected || len(d.Findings) != 1 || d.Findings[0].Code != test.code {
			t.Errorf("got %+v, want %s", d, test.code)
		}
	}
}
