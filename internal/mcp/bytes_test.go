package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/mcp"
)

// wireClient sends lines and collects what comes back, byte by byte.
type wireClient struct {
	t   testing.TB
	in  io.Writer
	out chan string
}

func newWireClient(t testing.TB, in io.Writer, out io.Reader) *wireClient {
	c := &wireClient{t: t, in: in, out: make(chan string, 1000)}
	go func() {
		defer close(c.out)
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.out <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

// ask sends a message and returns what comes up to the response to it. Nothing
// is waited for when the message is not a request. What the server asks meanwhile is
// answered.
func (c *wireClient) ask(line string) []string {
	c.t.Helper()
	c.tell(line)
	var sent struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &sent); err != nil {
		c.t.Fatal(err)
	}
	var got []string
	for answered := sent.ID == nil; !answered; {
		s, id, method := c.hear("an answer to " + line)
		got = append(got, s)
		answered = method == "" && string(id) == string(sent.ID)
	}
	return got
}

// tell sends a message and waits for nothing.
func (c *wireClient) tell(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hear returns the next message, and answers it if it is a request.
func (c *wireClient) hear(awaited string) (message string, id json.RawMessage, method string) {
	c.t.Helper()
	select {
	case s, ok := <-c.out:
		if !ok {
			c.t.Fatalf("the stream ended before %s", awaited)
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			c.t.Fatalf("%v in %s", err, s)
		}
		if a := answer(m.Method, s); m.ID != nil && a != "" {
			c.tell(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + a + "}")
		}
		return s, m.ID, m.Method
	case <-time.After(time.Minute):
		c.t.Fatalf("waited in vain for %s", awaited)
	}
	return "", nil, ""
}

// answer is what the client says to a request of the server's, "" to one that it
// doesn't know.
func answer(method, request string) string {
	const said = `{"role":"assistant","content":{"type":"text","text":"Tea."},"model":"m"}`
	const task = `"taskId":"t1","ttl":null,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"`
	switch method {
	case "elicitation/create":
		if strings.Contains(request, `"task":`) {
			return `{"task":{"status":"working",` + task + `}}`
		}
		return `{"action":"accept","content":{"colour":"blue","name":"Ann"}}`
	case "sampling/createMessage":
		if strings.Contains(request, `"task":`) {
			return `{"task":{"status":"working",` + task + `}}`
		}
		return said
	case "tasks/get":
		return `{"status":"completed",` + task + `}`
	case "tasks/result":
		return said
	case "roots/list":
		return `{"roots":[{"uri":"file:///srv/notes","name":"notes"}]}`
	}
	return ""
}

const statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"x.example/n":12345678901234567890}`

// scripts use every feature of the desk, in both generations. No call in them is
// one that is stopped.
var scripts = map[string][]string{
	legacy: {
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":"two","method":"ping"}`,
		`{ "method" : "tools/list", "id": 3 , "jsonrpc":"2.0","params":{}}`,
		`{"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/list","params":{}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"note://1"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"note://none"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"greet"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"x","value":"p"}}}`,
		`{"jsonrpc":"2.0","id":10,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"get_time","arguments":{},"_meta":{"progressToken":"tökén","x":12345678901234567890}}}`,
		`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"get_time"}}`,
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"get_answer","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":14,"method":"resources/subscribe","params":{"uri":"note://1"}}`,
		`{"jsonrpc":"2.0","id":15,"method":"acme/unknown","params":{"n":12345678901234567890}}`,
		`{"jsonrpc":"2.0","id":-16,"method":"tools/list","params":{"cursor":"nonsense"}}`,
	},
	stateless: {
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/list","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"note://1",` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"greet",` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"get_time","arguments":{},` + strings.Replace(statelessMeta, "{", `{"progressToken":7,`, 1) + `}}`,
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"get_answer","arguments":{},` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"get_answer","arguments":{},"inputResponses":{"colour":{"action":"accept","content":{"colour":"red"}}},"requestState":"state-1",` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":15,"method":"acme/unknown","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":16,"method":"initialize","params":{` + statelessMeta + `}}`,
		`{"jsonrpc":"2.0","id":17,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	},
}

// Where nothing is decided against, a client sees the same bytes through the
// gateway as without it.
func TestByteByByte(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		without := direct(t, childProgram(t, "desk"))
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
		with := raw(t, g)
		for _, line := range scripts[version] {
			if d := cmp.Diff(without.ask(line), unmarked(t, with.ask(line))); d != "" {
				t.Errorf("%s\n(-without +with the gateway)\n%s", line, d)
			}
		}
	})
}

// raw connects to the gateway over stdio, without a client's own ideas.
func raw(t testing.TB, g *mcp.Gateway) *wireClient {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := g.ServeStdio(context.Background(), inR, outW, "s")
		outW.Close()
		done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return newWireClient(t, inW, outR)
}

// A method that some servers would take for one that the gateway handles goes to none of them.
func TestMisspeltMethods(t *testing.T) {
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}})
	c := raw(t, g)
	c.ask(scripts[legacy][0])
	c.ask(scripts[legacy][1])
	for _, method := range []string{"tools/Call", "TOOLS/CALL", "tools/call ", "/tools/call/", `tools/call\u0000`, "tools//call", "tools / call", "tools_call", `tools/\u200bcall`, "toolſ/call", "Resources/Read"} {
		got := strings.Join(c.ask(`{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"name":"get_time"}}`), "")
		if !strings.Contains(got, "and some servers take it for that") {
			t.Errorf("%q: %s", method, got)
		}
	}
}
