package mcp_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/doortest"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

type search struct {
	Query string `json:"query"`
}

type rename struct {
	FileID string `json:"file_id"`
	Name   string `json:"name"`
}

// files is a server that writes what it finds by a template.
func files() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "files", Version: "1"}, nil)
	text := func(t string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: t}}}
	}
	find := &sdk.Tool{Name: "find_files", Description: "Finds files.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
	sdk.AddTool(s, find, func(_ context.Context, _ *sdk.CallToolRequest, q search) (*sdk.CallToolResult, any, error) {
		return text("results:\n  - id: f-1\n    name: " + q.Query + "\n    owner: me\n  - id: f-2\n    name: Other\n    owner: me\n"), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "rename_file", Description: "Renames a file."}, func(context.Context, *sdk.CallToolRequest, rename) (*sdk.CallToolResult, any, error) {
		return text("renamed"), nil, nil
	})
	return s
}

// TestOneQuestionForAFormat: a person who agrees in the queue to how a tool writes is not asked
// again in the session, after a restart neither, and is for a record that isn't the one named.
func TestOneQuestionForAFormat(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	m, err := remit.New(remit.Options{Scopes: scope.ModeBound})
	if err != nil {
		t.Fatal(err)
	}
	person := &doortest.Agreeing{Store: st}

	for _, turn := range []struct {
		name, rename string
		questions    int // so far
	}{{"Budget", "f-1", 1}, {"Thesis", "f-1", 1}, {"Letter", "f-1", 1}, {"Poem", "f-2", 2}} {
		user, err := ledger.New(st, ledger.Options{}).Open(t.Context(), m, "s")
		if err != nil {
			t.Fatal(err)
		}
		if err := user.User(t.Context(), "Find and rename the file "+turn.name); err != nil {
			t.Fatal(err)
		}

		// As after a restart.
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "files", "files")}, Ledger: ledger.New(st, ledger.Options{}),
			Approver: &ledger.Queue{Approvals: person}, Monitor: remit.Options{Planner: doortest.Filer{}, Scopes: scope.ModeBound}})
		s := overStdio(t, g, "s", nil, legacy)
		call(t, s, "find_files", search{turn.name})
		if r := call(t, s, "rename_file", rename{turn.rename, "x"}); r.IsError {
			t.Errorf("%s: %s", turn.name, textOf(r))
		}
		if len(person.Asked) != turn.questions {
			t.Fatalf("%s: %d questions, want %d: %q", turn.name, len(person.Asked), turn.questions, person.Asked)
		}
	}
	if !strings.Contains(person.Asked[0], `answered as YAML with 2 records`) || !strings.Contains(person.Asked[0], `"reads":[{`) {
		t.Errorf("the question doesn't say what it is about: %s", person.Asked[0])
	}
}
