package mcp_test

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// TestTheClientLeavesItsQuestion closes the connection of a call that waits for a person. Its question is
// withdrawn, a yes that comes then says so, and the call is not made; made again, it is asked about again.
func TestTheClientLeavesItsQuestion(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		g, log := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")},
			Ledger: ledger.New(st, ledger.Options{}), Approver: &ledger.Queue{Approvals: st}, Limits: mcp.Limits{Gather: time.Millisecond}})
		server := httptest.NewServer(mcp.NewHandler(g, mcp.HTTP{}))
		t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})

		// asked makes the call and returns its question, and what comes of the call.
		asked := func() (store.Approval, <-chan *sdk.CallToolResult) {
			t.Helper()
			s := connect(t, &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp/" + run, MaxRetries: -1}, nil, version)
			made := make(chan *sdk.CallToolResult, 1)
			go func() {
				r, _ := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "send_email", Arguments: mail{To: "ann@corp.example", Body: "Hello."}})
				made <- r
			}()
			var open []store.Approval
			eventually(t, "the question", func() bool {
				open, err = st.Pending(t.Context(), 2)
				return err != nil || len(open) > 0
			})
			if err != nil || len(open) != 1 {
				t.Fatalf("%d questions, %v", len(open), err)
			}
			return open[0], made
		}

		left, made := asked()
		server.CloseClientConnections()
		if a, err := st.Wait(t.Context(), left.ID); err != nil || a.State != store.Cancelled || !strings.HasSuffix(a.Why, "has gone") {
			t.Fatalf("the question is %s (%s), %v", a.State, a.Why, err)
		}
		if _, err := st.Answer(t.Context(), left.ID, store.Answer{Approve: true}); !errors.Is(err, store.ErrSettled) || !strings.Contains(err.Error(), "no longer waits") {
			t.Errorf("a late yes: %v", err)
		}
		if r := <-made; r != nil {
			t.Errorf("the client got %s", textOf(r))
		}
		if strings.Contains(log.String(), "verdict="+string(remit.Allow)) {
			t.Error("the call was made")
		}

		again, made := asked()
		if _, err := st.Answer(t.Context(), again.ID, store.Answer{Approve: true}); err != nil {
			t.Fatal(err)
		}
		if r := <-made; r == nil || r.IsError {
			t.Errorf("the second call was not made: %+v", r)
		}
	})
}
