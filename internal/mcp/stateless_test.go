package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// What the SDK has no words for any more, since they are on their way out of the
// protocol: a log message, and a result that asks in all three ways.
const (
	fairLog  = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"fair","data":{"n":12345678901234567890}}}`
	fairAsks = `{"resultType":"input_required","requestState":"state-1","inputRequests":{` +
		`"form":{"method":"elicitation/create","params":{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"kind":{"type":"string"}}}}},` +
		`"model":{"method":"sampling/createMessage","params":{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"Tea?"}}]}},` +
		`"roots":{"method":"roots/list","params":{}}}}`
)

// written is a result that is written as it is.
type written struct {
	*sdk.CallToolResult
	text string
}

// MarshalJSON implements [json.Marshaler].
func (w written) MarshalJSON() ([]byte, error) { return []byte(w.text), nil }

// serveFair serves a fair over HTTP. The log message comes on the way to the
// result of its call.
func serveFair(t *testing.T) string {
	t.Helper()
	served := sdkHandler(fair(), stateless)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") != "get_log" {
			served.ServeHTTP(w, r)
			return
		}
		var m struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n\n", fairLog, m.ID)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// fair is a server with every feature of the generation without sessions.
func fair() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "fair", Version: "1"}, &sdk.ServerOptions{
		Instructions: "A fair.", PageSize: 3,
		CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "aris"}, Total: 1}}, nil
		},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	text := &sdk.TextContent{Text: "café", Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}, Priority: 0.7}}
	stand := func(name string, handler sdk.ToolHandlerFor[empty, any]) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Gets something."}, handler)
	}
	said := func(content ...sdk.Content) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: content}, nil, nil
	}
	stand("get_picture", func(context.Context, *sdk.CallToolRequest, empty) (*sdk.CallToolResult, any, error) {
		size := int64(3)
		return said(text, &sdk.ImageContent{MIMEType: "image/png", Data: []byte{1, 2, 3}}, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte{4, 5}},
			&sdk.ResourceLink{URI: "fair://text", Name: "text", MIMEType: "text/plain", Size: &size},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "fair://bytes", MIMEType: "application/x", Blob: []byte{6}}})
	})
	stand("get_steps", func(ctx context.Context, r *sdk.CallToolRequest, _ empty) (*sdk.CallToolResult, any, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: 3, Message: "on"}); err != nil {
				return nil, nil, err
			}
		}
		return said(text)
	})
	stand("get_log", func(context.Context, *sdk.CallToolRequest, empty) (*sdk.CallToolResult, any, error) {
		fmt.Println(fairLog) // where stdout is the connection
		return said(text)
	})
	stand("get_answers", func(_ context.Context, r *sdk.CallToolRequest, _ empty) (*sdk.CallToolResult, any, error) {
		got, err := json.Marshal(r.Params.InputResponses)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Params.RequestState + string(got)}}}, nil, err
	})
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if c, ok := r.(*sdk.CallToolRequest); ok && c.Params.Name == "get_answers" && len(c.Params.InputResponses) == 0 {
				return written{&sdk.CallToolResult{}, fairAsks}, nil
			}
			return next(ctx, method, r)
		}
	})
	stand("get_error", func(context.Context, *sdk.CallToolRequest, empty) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("it rains")
	})
	stand("get_slowly", func(ctx context.Context, _ *sdk.CallToolRequest, _ empty) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	stand("get_news", func(ctx context.Context, _ *sdk.CallToolRequest, _ empty) (*sdk.CallToolResult, any, error) {
		s.AddPrompt(&sdk.Prompt{Name: "later"}, nil)
		s.AddResource(&sdk.Resource{Name: "later", URI: "fair://later"}, nil)
		stand("get_later", nil)
		return &sdk.CallToolResult{Content: []sdk.Content{text}}, nil, s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "fair://text"})
	})
	sdk.AddTool(s, &sdk.Tool{Name: "get_sum", Description: "Gets a sum.", OutputSchema: json.RawMessage(`{"type":"object","properties":{"ticks":{"type":"integer"}}}`)},
		func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"ticks":12345678901234567890}`)}, nil, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Title: "Greeting", Arguments: []*sdk.PromptArgument{{Name: "city", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if r.Params.Arguments["city"] == "" && len(r.Params.InputResponses) == 0 {
			return &sdk.GetPromptResult{RequestState: "p", InputRequests: sdk.InputRequestMap{"city": &sdk.ElicitParams{Message: "Which city?"}}}, nil
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Hello " + r.Params.Arguments["city"]}}}}, nil
	})
	for name, contents := range map[string]sdk.ResourceContents{"text": {Text: "Tea.", MIMEType: "text/plain"}, "bytes": {Blob: []byte{1, 2}}} {
		s.AddResource(&sdk.Resource{Name: name, URI: "fair://" + name}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := contents
			c.URI = r.Params.URI
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		})
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "kind", URITemplate: "fair://kinds/{name}"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		if strings.HasSuffix(r.Params.URI, "/none") {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "A kind."}}}, nil
	})
	return s
}

// anew writes a request of the generation without sessions.
func anew(id int, method, params string) string {
	if params != "" {
		params += ","
	}
	return request(id, method, "{"+params+"META}")
}

// callingAnew writes a call, with more in its params than its name.
func callingAnew(id int, tool, more string) string {
	return anew(id, "tools/call", fmt.Sprintf(`"name":%q,%s`, tool, more))
}

// withoutSessions is what the fair offers.
var withoutSessions = []feature{
	{name: "server/discover", say: []string{anew(1, "server/discover", "")}, shows: `"supportedVersions"`},
	{name: "tools/list", say: []string{anew(1, "tools/list", "")}, shows: `"ttlMs"`},
	{name: "tools/list, further pages", say: []string{anew(1, "tools/list", `"cursor":"CURSOR"`), anew(2, "tools/list", `"cursor":"CURSOR"`)}, shows: "get_sum"},
	{name: "tools/list with a wrong cursor", say: []string{anew(1, "tools/list", `"cursor":"nonsense"`)}, shows: `"error"`},
	{name: "text, an image, audio, a link, a resource", say: []string{callingAnew(1, "get_picture", `"arguments":{}`)}, shows: `"resource_link"`},
	{name: "structured content", say: []string{callingAnew(1, "get_sum", `"arguments":{"a":1.50}`)}, shows: `"ticks":12345678901234567890`},
	{name: "progress", say: []string{strings.Replace(callingAnew(1, "get_steps", `"arguments":{}`), "META", progressMeta, 1)}, shows: `"progressToken":"tökén"`},
	{name: "logging", say: []string{strings.Replace(callingAnew(1, "get_log", `"arguments":{}`), "META", loggingMeta, 1)}, then: []string{logMessage}, shows: `"level":"warning"`},
	{name: "sampling, elicitation and roots asked for", say: []string{callingAnew(1, "get_answers", `"arguments":{}`)}, shows: `"input_required"`},
	{name: "and answered", say: []string{callingAnew(1, "get_answers", `"arguments":{},"requestState":"state-1","inputResponses":{"form":{"action":"accept","content":{"kind":"green"}},"model":{"role":"assistant","content":{"type":"text","text":"Tea."},"model":"m"},"roots":{"roots":[{"uri":"file:///srv/notes"}]}}`)}, shows: "file:///srv/notes"},
	{name: "an error of a tool", say: []string{callingAnew(1, "get_error", `"arguments":{}`)}, shows: "it rains"},
	{
		name: "cancellation",
		say: []string{
			"&" + callingAnew(7, "get_slowly", `"arguments":{}`),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"no need",META}}`,
			callingAnew(8, "get_error", `"arguments":{}`),
		},
		shows: "it rains",
	},
	{
		name: "subscriptions to changes and to a resource",
		say: []string{
			"&" + anew(9, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["fair://text"]}`),
		},
		then: []string{"notifications/subscriptions/acknowledged"}, shows: `"resourceSubscriptions":["fair://text"]`,
	},
	{
		name: "changes", say: []string{callingAnew(1, "get_news", `"arguments":{}`)},
		then:  []string{updatedTools, "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated"},
		shows: "fair://text",
	},
	{name: "resources/list", say: []string{anew(1, "resources/list", "")}, shows: "fair://text"},
	{name: "resources/templates/list", say: []string{anew(1, "resources/templates/list", "")}, shows: `"uriTemplate"`},
	{name: "resources/read: text", say: []string{anew(1, "resources/read", `"uri":"fair://text"`)}, shows: "Tea."},
	{name: "resources/read: bytes", say: []string{anew(1, "resources/read", `"uri":"fair://bytes"`)}, shows: `"blob"`},
	{name: "resources/read: by a template", say: []string{anew(1, "resources/read", `"uri":"fair://kinds/green"`)}, shows: "A kind."},
	{name: "resources/read: none", say: []string{anew(1, "resources/read", `"uri":"fair://kinds/none"`)}, shows: `"error"`},
	{name: "prompts/list", say: []string{anew(1, "prompts/list", "")}, shows: "greet"},
	{name: "prompts/get", say: []string{anew(1, "prompts/get", `"name":"greet","arguments":{"city":"Århus"}`)}, shows: "Hello Århus"},
	{name: "prompts/get that asks", say: []string{anew(1, "prompts/get", `"name":"greet"`)}, shows: `"input_required"`},
	{name: "prompts/get: none", say: []string{anew(1, "prompts/get", `"name":"none"`)}, shows: `"error"`},
	{name: "completion", say: []string{anew(1, "completion/complete", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"city","value":"P"}`)}, shows: "Paris"},
	{
		name: "subscriptions given up",
		say:  []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,META}}`, callingAnew(1, "get_error", `"arguments":{}`)}, shows: "it rains",
	},
	{name: "an unknown method", say: []string{anew(1, "acme/unknown", `"n":12345678901234567890`)}, shows: "-32601"},
	{name: "a method of the older generation", say: []string{anew(1, "initialize", "")}, shows: `"error"`},
	{name: "an unknown revision", say: []string{request(1, "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`)}, shows: "-32022"},
}

var (
	progressMeta = strings.Replace(statelessMeta, "{", `{"progressToken":"tökén",`, 1)
	loggingMeta  = strings.Replace(statelessMeta, "{", `{"io.modelcontextprotocol/logLevel":"info",`, 1)
)

// In the generation without sessions, too, a server looks the same through the
// gateway, byte by byte. The reference server from npm doesn't speak it.
func TestWithoutSessions(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "fair", "fair")}})
		compare(t, direct(t, childProgram(t, "fair")), raw(t, g), withoutSessions)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{at("fair", serveFair(t), nil)}})
		compare(t, overHTTP(t, serveFair(t)), overHTTP(t, serveHTTP(t, g, mcp.HTTP{})+"/mcp/"+run), withoutSessions)
	})
	t.Run("a server from PyPI", func(t *testing.T) {
		t.Parallel()
		program := mcptest.PyPI(t, "time")
		g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{packaged("time", mcp.Shadow, program)}})
		compare(t, direct(t, program), raw(t, g), []feature{
			withoutSessions[0], withoutSessions[1],
			{name: "a call", say: []string{callingAnew(1, "convert_time", `"arguments":{"source_timezone":"Europe/Paris","time":"12:00","target_timezone":"Asia/Tokyo"}`)}, shows: "Asia/Tokyo"},
			{name: "a wrong call", say: []string{callingAnew(1, "convert_time", `"arguments":{"time":"12:00"}`)}, shows: `"isError":true`},
			{name: "an unknown tool", say: []string{callingAnew(1, "none", `"arguments":{}`)}, shows: "none"},
			{name: "an unknown method", say: []string{anew(1, "acme/unknown", "")}, shows: "-32601"},
		})
	})
}
