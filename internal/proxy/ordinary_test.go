package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/proxy"
)

// answering is a model that does what its tools are for: it reads the page first,
// then answers by the tool for it, hands over, or mails to bob when it was told so.
func answering(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body map[string]any
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	var tools []string
	names(body["tools"], &tools)
	can := func(prefix string) string {
		if i := slices.IndexFunc(tools, func(name string) bool { return strings.HasPrefix(name, prefix) }); i >= 0 {
			return tools[i]
		}
		return ""
	}
	text := string(raw)
	tool, arguments, words := "", any(map[string]any{}), "I write to bob@corp.example."
	person := map[string]any{"name": "Ann Lee", "email": "ann@news.example"}
	switch {
	case can("read_page") != "" && !strings.Contains(text, "Today's news"):
		tool, arguments = "read_page", map[string]any{"url": "https://news.example/today"}
	case can("final_result_Person") != "":
		tool, arguments = can("final_result_Person"), person
	case can("final_result") != "":
		tool, arguments = can("final_result"), person
	case can("Person") != "":
		tool, arguments = "Person", person
	case can("SendDecision") != "":
		tool, arguments = "SendDecision", map[string]any{"send": true, "reason": "It says so."}
	case can("transfer_to_mailer") != "" && strings.Contains(text, "do that"):
		tool = "transfer_to_mailer"
	case can("send_email") != "" && strings.Contains(text, "sent to"):
		words = "Done."
	case can("send_email") != "":
		to := "bob@corp.example"
		if strings.Contains(text, "carol@corp.example") {
			to = "carol@corp.example"
		}
		tool, arguments = "send_email", map[string]any{"to": to, "body": "hello"}
	}
	w.Header().Set("Content-Type", "application/json")
	id := fmt.Sprint("id", len(raw))
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		item := map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": words, "annotations": []any{}}}}
		if tool != "" {
			item = map[string]any{"id": "fc_" + id, "type": "function_call", "status": "completed", "call_id": id, "name": tool, "arguments": encoded(arguments)}
		}
		io.WriteString(w, encoded(map[string]any{"id": "resp_" + id, "object": "response", "created_at": 1, "model": "gpt-4o", "status": "completed", "output": []any{item}, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{}}))
	default:
		message, finish := map[string]any{"role": "assistant", "content": words}, "stop"
		if tool != "" {
			finish = "tool_calls"
			message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": encoded(arguments)}}}}
		}
		io.WriteString(w, encoded(map[string]any{"id": "chatcmpl-" + id, "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}}))
	}
}

// TestOrdinaryAgents has what frameworks do with an ordinary agent, after a page
// was read or the time in its prompt has changed, without a stranger in it: the
// structured answer comes, and the mail goes out.
func TestOrdinaryAgents(t *testing.T) {
	agents := mcptest.Over(t, "frameworks", agentScript("ordinary.py")).StartAgent(t)
	model := httptest.NewServer(http.HandlerFunc(answering))
	t.Cleanup(model.Close)
	const (
		person   = `{"email":"ann@news.example","name":"Ann Lee"}`
		decision = `{"reason":"It says so.","send":true}`
		mailed   = `{"sent":["bob@corp.example","carol@corp.example"]}`
	)
	for _, test := range []struct{ agent, want string }{
		{"pydantic_ai", person},
		{"pydantic_ai_types", person},
		{"langchain_structured", person},
		{"langchain_decision", decision},
		{"langchain_agent", person},
		{"openai_agents", mailed},
		{"openai_agents_chat", mailed},
	} {
		t.Run(test.agent, func(t *testing.T) {
			base, log := before(t, model.URL, func(o *proxy.Options) { o.Monitor.Reviewed = true })
			var got struct {
				Returned map[string]any
				Ended    string
			}
			agents.Run(t, map[string]string{"base": base, "agent": test.agent}, &got)
			if encoded(got.Returned) != test.want || got.Ended != "" {
				t.Errorf("it returned %s, and ended with %q, want %s\n%s", encoded(got.Returned), got.Ended, test.want, log)
			}
		})
	}
}
