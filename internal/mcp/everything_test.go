package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// packaged is a gateway's server from its package.
func packaged(name string, mode mcp.Mode, p mcptest.Program) mcp.Server {
	c := upstream.Command{Args: p.Command, Env: append(os.Environ(), p.Env...), MaxMessage: 16 << 20, Log: slog.New(slog.DiscardHandler)}
	return mcp.Server{Name: name, Mode: mode, Connect: func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(c, to) }}
}

// request writes a request. Ids need not be unique in a run, only in flight.
func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// calling writes a call with a progress token.
func calling(id int, tool, arguments string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"p%d","x.example/n":12345678901234567890}}`, tool, arguments, id))
}

func times(n int, method string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = method
	}
	return out
}

const (
	updatedTools = "notifications/tools/list_changed"
	logMessage   = "notifications/message"
)

// everything is what the reference server offers: every feature of the protocol
// up to 2025-11-25.
var everything = []feature{
	{
		name: "initialize, with list_changed, roots and logging after it",
		say: []string{
			request(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"tasks":{"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}},"clientInfo":{"name":"t","version":"1"}}`),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		},
		then: append(times(7, updatedTools), "roots/list", logMessage), shows: `"instructions"`,
	},
	{name: "ping", say: []string{`{"jsonrpc":"2.0","id":"two","method":"ping"}`}, shows: `"result":{}`},
	{name: "tools/list", say: []string{request(1, "tools/list", `{}`)}, shows: `"outputSchema"`},
	{name: "tools/list with a cursor", say: []string{request(1, "tools/list", `{"cursor":"1"}`)}, shows: `"id":N`},
	{name: "text", say: []string{calling(1, "echo", `{"message":"caf\u00e9 12345678901234567890"}`)}, shows: "café"},
	{name: "numbers", say: []string{calling(1, "get-sum", `{"a":1.50,"b":2}`)}, shows: "3.5"},
	{name: "an image", say: []string{calling(1, "get-tiny-image", `{}`)}, shows: `"type":"image"`},
	{name: "annotations", say: []string{calling(1, "get-annotated-message", `{"messageType":"error","includeImage":true}`)}, shows: `"annotations"`},
	{name: "structured content", say: []string{calling(1, "get-structured-content", `{"location":"New York"}`)}, shows: `"structuredContent"`},
	{name: "resource links", say: []string{calling(1, "get-resource-links", `{"count":2}`)}, shows: `"resource_link"`},
	{name: "embedded resources", say: []string{calling(1, "get-resource-reference", `{"resourceType":"Blob","resourceId":2}`)}, shows: `"blob"`},
	{name: "progress", say: []string{calling(1, "trigger-long-running-operation", `{"duration":0.2,"steps":2}`)}, shows: `"progressToken":"p1"`},
	{name: "an unknown tool", say: []string{calling(1, "none", `{}`)}, shows: "none"},
	{name: "wrong arguments", say: []string{calling(1, "get-sum", `{"a":"one"}`)}, shows: `"isError":true`},
	{name: "an unknown method", say: []string{request(1, "acme/unknown", `{"n":12345678901234567890}`)}, shows: "-32601"},
	{name: "sampling", say: []string{calling(1, "trigger-sampling-request", `{"prompt":"Tea?","maxTokens":10}`)}, shows: `"sampling/createMessage"`},
	{name: "elicitation by a form", say: []string{calling(1, "trigger-elicitation-request", `{}`)}, shows: `"elicitation/create"`},
	{name: "elicitation by an address", say: []string{calling(1, "trigger-url-elicitation", `{"url":"https://tea.example/","message":"Look."}`)}, shows: `"mode":"url"`},
	{name: "elicitation by an error", say: []string{calling(1, "trigger-url-elicitation", `{"url":"https://tea.example/2","message":"Look.","errorPath":true}`)}, shows: "-32042"},
	{name: "roots", say: []string{calling(1, "get-roots-list", `{}`)}, shows: "file:///srv/notes"},
	{name: "roots that changed", say: []string{`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`}, then: []string{"roots/list", logMessage}, shows: "Roots updated"},
	{name: "resources/list", say: []string{request(1, "resources/list", `{}`)}, shows: `"mimeType"`},
	{name: "resources/templates/list", say: []string{request(1, "resources/templates/list", `{}`)}, shows: `"uriTemplate"`},
	{name: "resources/read: a file", say: []string{request(1, "resources/read", `{"uri":"demo://resource/static/document/features.md"}`)}, shows: `"text/markdown"`},
	{name: "resources/read: by a template", say: []string{request(1, "resources/read", `{"uri":"demo://resource/dynamic/text/3"}`)}, shows: "Resource 3"},
	{name: "resources/read: bytes", say: []string{request(1, "resources/read", `{"uri":"demo://resource/dynamic/blob/3"}`)}, shows: `"blob"`},
	{name: "resources/read: none", say: []string{request(1, "resources/read", `{"uri":"demo://resource/none"}`)}, shows: `"error"`},
	{
		name: "a resource that a call makes",
		say: []string{
			calling(1, "gzip-file-as-resource", `{"name":"tea.gz","data":"data:text/plain,tea","outputType":"resourceLink"}`),
			request(2, "resources/read", `{"uri":"demo://resource/session/tea.gz"}`),
		},
		then: []string{"notifications/resources/list_changed"}, shows: `"application/gzip"`,
	},
	{name: "resources/subscribe", say: []string{request(1, "resources/subscribe", `{"uri":"demo://resource/dynamic/text/3"}`)}, then: []string{logMessage}, shows: "Received Subscribe"},
	{
		name: "resources/updated",
		say:  []string{calling(1, "toggle-subscriber-updates", `{}`), calling(2, "toggle-subscriber-updates", `{}`)},
		then: []string{"notifications/resources/updated"}, shows: "Started simulated resource",
	},
	{name: "resources/unsubscribe", say: []string{request(1, "resources/unsubscribe", `{"uri":"demo://resource/dynamic/text/3"}`)}, then: []string{logMessage}, shows: "Received Unsubscribe"},
	{name: "prompts/list", say: []string{request(1, "prompts/list", `{}`)}, shows: `"arguments"`},
	{name: "prompts/get", say: []string{request(1, "prompts/get", `{"name":"simple-prompt"}`)}, shows: `"messages"`},
	{name: "prompts/get with arguments", say: []string{request(1, "prompts/get", `{"name":"args-prompt","arguments":{"city":"Århus"}}`)}, shows: "Århus"},
	{name: "prompts/get with a resource", say: []string{request(1, "prompts/get", `{"name":"resource-prompt","arguments":{"resourceType":"Text","resourceId":"1"}}`)}, shows: `"type":"resource"`},
	{name: "prompts/get: none", say: []string{request(1, "prompts/get", `{"name":"none"}`)}, shows: `"error"`},
	{name: "completion of a prompt", say: []string{request(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"name","value":"A"},"context":{"arguments":{"department":"Engineering"}}}`)}, shows: "Alice"},
	{name: "completion of a template", say: []string{request(1, "completion/complete", `{"ref":{"type":"ref/resource","uri":"demo://resource/dynamic/text/{resourceId}"},"argument":{"name":"resourceId","value":"4"}}`)}, shows: `"values":["4"]`},
	{
		name: "logging",
		say:  []string{request(1, "logging/setLevel", `{"level":"debug"}`), calling(2, "toggle-simulated-logging", `{}`), calling(3, "toggle-simulated-logging", `{}`)},
		then: []string{logMessage}, shows: `"level":"ANY"`,
	},
	{name: "sampling as a task of the client", say: []string{calling(1, "trigger-sampling-request-async", `{"prompt":"Tea?"}`)}, shows: `"method":"tasks/result"`},
	{
		// Over stdio the answer to a call that was not cancelled would come among those below.
		name: "cancellation",
		say: []string{
			"&" + request(7, "tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":2,"steps":1}}`),
			request(8, "ping", `{}`),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"no need"}}`,
		},
		shows: `"result":{}`,
	},
	{
		name: "a task",
		say: []string{
			request(1, "tools/call", `{"name":"simulate-research-query","arguments":{"topic":"tea","ambiguous":false},"task":{"ttl":60000}}`),
			request(2, "tasks/result", `{"taskId":"TASK"}`), request(3, "tasks/get", `{"taskId":"TASK"}`), request(4, "tasks/list", `{}`),
			request(5, "tasks/cancel", `{"taskId":"TASK"}`),
		},
		shows: "Research Report: tea",
	},
}

// The reference server, which uses every feature of the protocol, looks the same
// through the gateway, byte by byte, over stdio and over HTTP.
func TestEverything(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		program := mcptest.NPM(t, "everything")
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{packaged("everything", mcp.Shadow, program)}})
		compare(t, direct(t, program), raw(t, g), everything)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		program := mcptest.NPM(t, "everything", "streamableHttp")
		server := at("everything", serveNPM(t, program), nil)
		server.Mode = mcp.Shadow
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{server}})
		compare(t, overHTTP(t, serveNPM(t, program)), overHTTP(t, serveHTTP(t, g, mcp.HTTP{})+"/mcp"), everything)
	})
}

// serveNPM starts a server that listens where PORT says, and returns its address.
func serveNPM(t *testing.T, p mcptest.Program) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	url, _ := serveNPMAt(t, p, port)
	return url
}

// serveNPMAt is serveNPM at a port, and returns what ends the server as well.
func serveNPMAt(t *testing.T, p mcptest.Program, port string) (url string, stop func()) {
	t.Helper()
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "listening on port") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return "http://127.0.0.1:" + port + "/mcp", stop
		}
	}
	t.Fatal("the server ended before it listened")
	return "", nil
}
