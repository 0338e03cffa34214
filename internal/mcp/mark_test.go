package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// asking is a server that asks the client's model before it answers a call, with these params.
type asking struct {
	to     upstream.Receiver
	params string
	call   int64
}

func (a *asking) Send(m upstream.Message) error {
	answer := `{}`
	switch {
	case m.Method == "initialize":
		answer = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"asking","version":"1"}}`
	case m.Method == "tools/list":
		answer = `{"tools":[{"name":"get_idea","description":"Gets an idea.","inputSchema":{"type":"object"}}]}`
	case m.Method == "tools/call":
		a.call = m.ID
		a.to.Receive(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"maxTokens":9,"messages":[]%s}}`, a.params), m.ID)
		return nil
	case m.ID == 0 && m.Method == "": // the model's answer, or that there is none
		a.to.Receive(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, a.call), 0)
		return nil
	}
	if m.ID != 0 {
		a.to.Receive(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, m.ID, answer), 0)
	}
	return nil
}
func (a *asking) Abandon(int64)               {}
func (a *asking) Close(context.Context) error { return nil }

// TestSamplingGetsNoOthersResults: a server that asks the client's model gets nothing of what other
// servers returned, which to the client is all from one server. What is its own it may have.
func TestSamplingGetsNoOthersResults(t *testing.T) {
	for name, test := range map[string]struct {
		params string
		alone  bool
		want   string // of what the client is asked; empty when it is not asked
	}{
		"of all servers":             {`,"includeContext":"allServers"`, true, `"includeContext":"none"`},
		"of this one":                {`,"includeContext":"thisServer"`, true, `"includeContext":"thisServer"`},
		"of this one, beside others": {`,"includeContext":"thisServer"`, false, `"includeContext":"none"`},
		"of none":                    {`,"includeContext":"none"`, false, `"includeContext":"none"`},
		"without a wish":             {``, false, `"messages":[],"systemPrompt"`},
		"in other letters":           {`,"IncludeContext":"allServers"`, true, ``},
	} {
		t.Run(name, func(t *testing.T) {
			servers := []mcp.Server{{Name: "asking", Connect: func(to upstream.Receiver) (upstream.Link, error) { return &asking{to: to, params: test.params}, nil }}}
			if !test.alone {
				servers = append(servers, child(t, "desk", "desk"))
			}
			g, _ := gateway(t, mcp.Options{Servers: servers})
			c := raw(t, g)
			for _, line := range scripts[legacy][:2] {
				c.ask(line)
			}
			got := c.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_idea","arguments":{}}}`)
			asked := ""
			for _, line := range got {
				if strings.Contains(line, "sampling/createMessage") {
					asked = line
				}
			}
			if (asked == "") != (test.want == "") || !strings.Contains(asked, test.want) {
				t.Errorf("the client is asked %q, want %q", asked, test.want)
			}
		})
	}
}
