package proxy_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/proxy"
)

// reaches lets an upstream answer, and returns what reaches the agent.
func reaches(t *testing.T, path, kind, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := `{"messages":[{"role":"user","content":"Mail hello to eve@evil.example."}],"input":"Mail hello to eve@evil.example.","contents":[{"parts":[{"text":"Mail hello to eve@evil.example."}]}],"stream":true}`
	return handle(direct(t, &fixed{kind: kind, bodies: []string{body, body, body}}, func(o *proxy.Options) { o.Retries = 2 }), path, request)
}

// secret is in every call of the answers below, and may not reach the agent.
const secret = "drop-all-tables"

// Kinds of calls that aren't known are calls: none reaches the agent undecided,
// and where something can't be read in one way only, nothing does.
func TestUnknownKindsAreCalls(t *testing.T) {
	for _, kind := range []string{"custom_tool_use", "client_tool_use", "bash_tool_use", "tool_call", "computer_use", "Tool_Use", "tool_use ", "function_call", "unknown", "future", ""} {
		block := fmt.Sprintf(`{"type":%q,"id":"t1","name":"run","input":{"command":%q}}`, kind, secret)
		neverOut(t, "/v1/messages", "application/json", fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"Hi."},%s],"stop_reason":"tool_use"}`, block), kind)
		neverOut(t, "/v1/messages", "text/event-stream", strings.Join([]string{
			`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{}}}`,
			fmt.Sprintf(`data: {"type":"content_block_start","index":0,"content_block":%s}`, block),
			fmt.Sprintf(`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"c\":\"%s\"}"}}`, secret),
			`data: {"type":"content_block_stop","index":0}`,
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{}}`,
			`data: {"type":"message_stop"}`, ""}, "\n\n"), kind)
	}
	for _, kind := range []string{"mcp_approval_request", "program", "function_calls", "tool_search_call", "shell_call", "apply_patch_call", "computer_call", "Function_Call", "custom_tool_call", "future"} {
		item := fmt.Sprintf(`{"type":%q,"id":"i1","call_id":"c1","name":"run","execution":"client","arguments":"%s","action":{"command":[%q]}}`, kind, secret, secret)
		neverOut(t, "/v1/responses", "application/json", fmt.Sprintf(`{"id":"r","object":"response","status":"completed","output":[%s]}`, item), kind)
		created := `data: {"type":"response.created","response":{"id":"r","output":[]}}`
		neverOut(t, "/v1/responses", "text/event-stream", strings.Join([]string{created,
			fmt.Sprintf(`data: {"type":"response.output_item.added","output_index":0,"item":%s}`, item),
			fmt.Sprintf(`data: {"type":"response.output_item.done","output_index":0,"item":%s}`, item),
			fmt.Sprintf(`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[%s]}}`, item), ""}, "\n\n"), kind)
		neverOut(t, "/v1/responses", "text/event-stream", strings.Join([]string{created,
			fmt.Sprintf(`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[%s]}}`, item), ""}, "\n\n"), kind+" at the end only")
		neverOut(t, "/v1/responses", "text/event-stream", strings.Join([]string{created,
			`data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i1","content":[]}}`,
			fmt.Sprintf(`data: {"type":"response.output_item.done","output_index":0,"item":%s}`, item), ""}, "\n\n"), kind+" that begins as a text")
	}
	// A search among tools that begins at the provider and ends at the client.
	neverOut(t, "/v1/responses", "text/event-stream", strings.Join([]string{
		`data: {"type":"response.output_item.added","output_index":0,"item":{"type":"tool_search_call","execution":"server","id":"i1"}}`,
		fmt.Sprintf(`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"tool_search_call","execution":"client","id":"i1","arguments":%q}}`, secret), ""}, "\n\n"), "a search that changes hands")
	neverOut(t, "/v1/responses", "text/event-stream", fmt.Sprintf("data: {\"type\":\"response.function_call_arguments.done\",\"item_id\":\"i1\",\"name\":\"run\",\"arguments\":%q}\n\n", secret), "arguments of no item")
	for name, message := range map[string]string{
		"an object":      `"tool_calls":{"id":"c1","type":"function","function":{"name":"run","arguments":%q}}`,
		"the old form":   `"function_call":{"name":"run","arguments":%q}`,
		"in its text":    `"content":[{"type":"tool_use","name":"run","input":%q}]`,
		"another name":   `"toolCalls":[{"id":"c1","type":"function","function":{"name":"run","arguments":%q}}]`,
		"other letters":  `"Tool_Calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":%q}}]`,
		"two functions":  `"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_page","arguments":"{}"},"Function":{"name":"run","arguments":%q}}]`,
		"two arguments":  `"tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{}","Arguments":%q}}]`,
		"letters alike":  `"tool_callſ":[{"id":"c1","type":"function","function":{"name":"run","arguments":%q}}]`,
		"an unknown one": `"tool_calls":[{"id":"c1","type":"future","function":{"name":"run","arguments":%q}}]`,
	} {
		message = fmt.Sprintf(message, secret)
		neverOut(t, "/v1/chat/completions", "application/json", fmt.Sprintf(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":"tool_calls"}]}`, message), name)
		neverOut(t, "/v1/chat/completions", "text/event-stream", fmt.Sprintf("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n", message), name)
	}
}

// Members that differ from a known one in the case of letters, and calls where no
// API has them, are read by some clients and not by others.
func TestMembersThatSomeClientsRead(t *testing.T) {
	call := fmt.Sprintf(`[{"id":"c1","type":"function","function":{"name":"run","arguments":%q}}]`, secret)
	block := fmt.Sprintf(`[{"type":"tool_use","id":"t1","name":"run","input":{"c":%q}}]`, secret)
	item := fmt.Sprintf(`[{"type":"function_call","call_id":"c1","name":"run","arguments":%q}]`, secret)
	text := `{"index":0,"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}`
	for path, bodies := range map[string][]string{
		"/v1/chat/completions": {
			fmt.Sprintf(`{"choices":[%s],"Choices":[{"index":0,"message":{"tool_calls":%s}}]}`, text, call),
			fmt.Sprintf(`{"choices":[%s],"tool_calls":%s}`, text, call),
			fmt.Sprintf(`{"choices":[{"index":0,"message":{"content":"Hi."},"tool_calls":%s}]}`, call),
			fmt.Sprintf(`{"choices":[{"index":0,"message":{"content":"Hi."},"Message":{"tool_calls":%s}}]}`, call),
			fmt.Sprintf(`{"choices":[{"index":0,"message":{"content":"Hi."},"delta":{"tool_calls":%s}}]}`, call),
			fmt.Sprintf(`{"choices":{"index":0,"message":{"tool_calls":%s}}}`, call),
		},
		"/v1/messages": {
			fmt.Sprintf(`{"content":[{"type":"text","text":"Hi."}],"Content":%s}`, block),
			fmt.Sprintf(`{"content":[{"type":"text","Type":"tool_use","id":"t1","name":"run","input":%q}]}`, secret),
			fmt.Sprintf(`{"content":[{"type":"text","text":"Hi."}],"tool_calls":%s}`, call),
		},
		"/v1/responses": {
			fmt.Sprintf(`{"output":[],"Output":%s}`, item),
			fmt.Sprintf(`{"output":[{"type":"message","Type":"function_call","name":"run","arguments":%q}]}`, secret),
			fmt.Sprintf(`{"output":[],"function_calls":%s}`, item),
			fmt.Sprintf(`{"output":[{"type":"message","content":[{"type":"function_call","name":"run","arguments":%q}]}]}`, secret),
		},
	} {
		for _, body := range bodies {
			neverOut(t, path, "application/json", body, body)
			neverOut(t, path, "text/event-stream", "data: "+body+"\n\n", body)
		}
	}
	for path, events := range map[string][]string{
		"/v1/messages": {
			fmt.Sprintf(`{"type":"ping","Content_Block":%s}`, block),
			fmt.Sprintf(`{"type":"message_start","message":{"id":"m","content":[],"Content":%s}}`, block),
		},
		"/v1/responses": {
			fmt.Sprintf(`{"type":"response.output_text.delta","Item":%s}`, item),
			fmt.Sprintf(`{"type":"response.created","response":{"id":"r","output":[],"Output":%s}}`, item),
			fmt.Sprintf(`{"type":"response.content_part.added","output_index":0,"part":{"type":"tool_use","name":"run","input":%q}}`, secret),
		},
		"/v1/chat/completions": {
			fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":"Hi."},"Delta":{"tool_calls":%s}}]}`, call),
			fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":"Hi."},"function_call":%s}]}`, call),
		},
	} {
		for _, e := range events {
			neverOut(t, path, "text/event-stream", "data: "+e+"\n\n", e)
		}
	}
}

// neverOut reports where the secret reaches the agent.
func neverOut(t *testing.T, path, kind, body, what string) {
	t.Helper()
	if w := reaches(t, path, kind, body); strings.Contains(w.Body.String(), secret) {
		t.Errorf("%s, %s, %s: a call got through: %s", path, kind, what, w.Body)
	}
}

// What providers are known to answer with passes, whatever else the answer has.
func TestKnownKindsPass(t *testing.T) {
	for path, bodies := range map[string][]string{
		"/v1/chat/completions": {
			`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Hi."}],"function_call":null,"tool_calls":null,"refusal":null,"reasoning_content":"hm","annotations":[],"provider_specific_fields":{}},"finish_reason":"stop","native_finish_reason":"stop"}],"provider":"p"}`,
		},
		"/v1/messages": {
			`{"id":"m","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"A"},{"type":"server_tool_use","id":"s","name":"web_search","input":{"Name":"x"}},{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"x"}]},{"type":"text","text":"Hi."}],"stop_reason":"end_turn","container":null,"context_management":{}}`,
		},
		"/v1/responses": {
			`{"id":"r","object":"response","status":"completed","tools":[{"type":"function","name":"f","parameters":{"properties":{"Output":{"type":"string"},"tool_calls":{}}}}],"metadata":{"Status":"x"},"output":[{"type":"reasoning","id":"a","summary":[]},{"type":"web_search_call","id":"b","status":"completed"},{"type":"tool_search_call","execution":"server","id":"c"},{"type":"mcp_list_tools","id":"d","tools":[]},{"type":"mcp_call","id":"e","name":"x","arguments":"{}","output":"y"},{"type":"compaction","id":"f","encrypted_content":"A"},{"type":"message","id":"g","content":[{"type":"output_text","text":"Hi.","annotations":[]},{"type":"refusal","refusal":"no"}]}]}`,
		},
	} {
		for _, body := range bodies {
			if w := reaches(t, path, "application/json", body); w.Code != 200 || w.Body.String() != body {
				t.Errorf("%s: %d %s\nwant %s", path, w.Code, w.Body, body)
			}
		}
	}
}
