package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp"
)

// A client that comes back with an answer comes back to its own question: about
// the call that was asked about, in its conversation, once.
func TestAnswersAreToTheirQuestions(t *testing.T) {
	const other = "zyxwvutsrqponmlkjihgfedcba"
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	const yes = `,"inputResponses":{"remit-approval":{"action":"accept","content":{"decision":"approve"}}}`
	var url string
	send := func(run, to, more string) string {
		t.Helper()
		_, body := post(t, url+"/mcp/"+run, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_email","arguments":{"to":%q,"body":"x"},%s%s}}`, to, meta, more),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "send_email", "Mcp-Protocol-Version": stateless})
		return body
	}
	// ask returns the state by which the client comes back.
	ask := func(to string) string {
		t.Helper()
		var r struct {
			Result struct{ ResultType, RequestState string }
		}
		if body := send(run, to, ""); json.Unmarshal([]byte(body), &r) != nil || r.Result.ResultType != "input_required" {
			t.Fatalf("nobody was asked: %s", body)
		}
		return r.Result.RequestState
	}
	with := func(state string) string { return fmt.Sprintf(`,"requestState":%q`, state) }
	for name, test := range map[string]struct {
		answer func(state string) string
		sent   bool
	}{
		"the answer":         {func(s string) string { return send(run, "ann@corp.example", with(s)+yes) }, true},
		"spaces in the call": {func(s string) string { return send(run, "ann@corp.example", " "+with(s)+yes) }, true},
		"no answer":          {func(s string) string { return send(run, "ann@corp.example", with(s)) }, false},
		"another call":       {func(s string) string { return send(run, "eve@evil.example", with(s)+yes) }, false},
		"another session":    {func(s string) string { return send(other, "ann@corp.example", with(s)+yes) }, false},
		"a state made up":    {func(string) string { return send(run, "ann@corp.example", with("remit:aaaa:e30")+yes) }, false},
		"half a state":       {func(s string) string { return send(run, "ann@corp.example", with(s[:len(s)-2])+yes) }, false},
		"no JSON within": {func(s string) string {
			return send(run, "ann@corp.example", with(s[:strings.LastIndex(s, ":")+1]+"e3s")+yes)
		}, false},
		"used before": {func(s string) string {
			send(run, "ann@corp.example", with(s)) // which is a no
			return send(run, "ann@corp.example", with(s)+yes)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Elicit: true})
			url = serveHTTP(t, g, mcp.HTTP{}) // with sessions of its own: a yes is for the session
			body := test.answer(ask("ann@corp.example"))
			if got := strings.Contains(body, "sent to"); got != test.sent || strings.Contains(body, "input_required") {
				t.Errorf("sent: %t: %s", got, body)
			}
		})
	}
}
