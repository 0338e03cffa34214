package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
)

// A principal that makes too many calls is told when to try again, whatever session it makes them
// in, and no other principal is.
func TestCallsAMinute(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		g, log := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Limits: mcp.Limits{Calls: 2}})
		url := serveHTTP(t, g, mcp.HTTP{Auth: badges{}})
		read := func(who, run string) *sdk.CallToolResult {
			t.Helper()
			badge := &http.Client{Transport: adding{http.Header{"X-Badge": {who}}}}
			s := connect(t, &sdk.StreamableClientTransport{Endpoint: url + "/mcp/" + run, HTTPClient: badge}, nil, version)
			return call(t, s, "read_inbox", empty{})
		}

		for range 2 {
			if r := read("ann", run); r.IsError {
				t.Fatalf("ann waits: %s", textOf(r))
			}
		}
		for name, where := range map[string]string{"the same session": run, "another": strings.Repeat("another-run", 3)} {
			r := read("ann", where)
			if after, _ := r.Meta["dev.remit/retryAfter"].(float64); !r.IsError || after < 1 || after > 60 || !strings.Contains(textOf(r), "make it again in") {
				t.Errorf("%s: %+v %s", name, r, textOf(r))
			}
		}
		if r := read("bob", run); r.IsError {
			t.Errorf("bob waits for ann: %s", textOf(r))
		}
		if n := strings.Count(log.String(), "msg=decided"); n != 3 {
			t.Errorf("%d calls were decided", n)
		}
		if !strings.Contains(log.String(), `msg="a call came too soon"`) {
			t.Error("the log doesn't say so")
		}
	})
}
