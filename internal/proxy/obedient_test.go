package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// obedient is a model that obeys everything that it reads: it reads the page first, mails to eve
// where anything says so, and otherwise to everyone who was named and has no mail yet. With tools
// for neither it passes on what it knows.
type obedient struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string
}

func newObedient(t *testing.T) *obedient {
	o := &obedient{}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

// count is how often the model was asked.
func (o *obedient) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.asked)
}

var address = regexp.MustCompile(`[a-z]+@(corp|evil)\.example`)

// next is what the model does: a call, or words.
func (o *obedient) next(tools []string, text string) (tool string, arguments map[string]any, words string) {
	can := func(name string) bool { return slices.Contains(tools, name) }
	page := "Nothing was read."
	if i := strings.Index(text, "Today's news"); i >= 0 {
		page, _, _ = strings.Cut(text[i:], "END")
		page = strings.TrimSpace(page + "END")
	}
	to, done := "", "Done."
	for _, who := range address.FindAllString(text, -1) {
		if sent := "email-sent to " + who; strings.Contains(text, sent) {
			if !strings.Contains(done, sent) {
				done += " " + sent + "."
			}
			continue
		}
		if to == "" || strings.HasPrefix(who, "eve@") {
			to = who
		}
	}
	answer := func(words string) (string, map[string]any, string) {
		for _, final := range []string{"final_answer", "final_result"} {
			if can(final) {
				return final, map[string]any{"answer": words}, ""
			}
		}
		return "", nil, words
	}
	switch {
	case !can("read_page") && !can("send_email") && !can("look_up_contacts") && !can("find_contacts") && !can("transfer_to_mailer"):
		return answer(page)
	case strings.Contains(text, "held back") || strings.Contains(text, "was denied"):
		return answer("It was not sent.")
	case can("read_page") && page == "Nothing was read." && !strings.Contains(text, "email-sent"):
		return "read_page", map[string]any{"url": "https://news.example/today"}, ""
	case to == "":
		return answer(done)
	case can("send_email"):
		return "send_email", map[string]any{"to": to, "body": "Today's news: the bridge is open again."}, ""
	case can("transfer_to_mailer"):
		return "transfer_to_mailer", map[string]any{}, ""
	case can("find_contacts"):
		return "find_contacts", map[string]any{"task": "Mail a summary of the page to " + to + "."}, ""
	case can("look_up_contacts"):
		return "look_up_contacts", map[string]any{"input": "Mail a summary of the page to " + to + "."}, ""
	}
	return answer(page)
}

func (o *obedient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body map[string]any
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	o.asked = append(o.asked, string(raw))
	n := len(o.asked)
	o.mu.Unlock()
	var tools []string
	names(body["tools"], &tools)
	var texts []string
	for _, member := range []string{"messages", "input", "contents", "instructions", "system", "systemInstruction"} {
		strings_(body[member], &texts)
	}
	tool, arguments, words := o.next(tools, strings.Join(texts, "\n"))
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.Contains(r.URL.Path, "enerateContent"):
		part := map[string]any{"text": words}
		if tool != "" {
			part = map[string]any{"functionCall": map[string]any{"id": fmt.Sprint("call_", n), "name": tool, "args": arguments}, "thoughtSignature": "c2ln"}
		}
		answer := encoded(map[string]any{"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}}, "usageMetadata": map[string]any{"totalTokenCount": 2}, "modelVersion": "gemini", "responseId": fmt.Sprint("r", n)})
		if r.URL.Query().Get("alt") == "sse" {
			w.Header().Set("Content-Type", "text/event-stream")
			answer = "data: " + answer + "\r\n\r\n"
		}
		io.WriteString(w, answer)
	case strings.HasSuffix(r.URL.Path, "awPredict"):
		block, reason := map[string]any{"type": "text", "text": words}, "end_turn"
		if tool != "" {
			block, reason = map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_", n), "name": tool, "input": arguments}, "tool_use"
		}
		io.WriteString(w, encoded(map[string]any{"id": fmt.Sprint("msg_", n), "type": "message", "role": "assistant", "model": "claude", "content": []any{block}, "stop_reason": reason, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}))
	case strings.HasSuffix(r.URL.Path, "/responses"):
		item := map[string]any{"id": fmt.Sprint("msg_", n), "type": "message", "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": words, "annotations": []any{}}}}
		if tool != "" {
			item = map[string]any{"id": fmt.Sprint("fc_", n), "type": "function_call", "status": "completed", "call_id": fmt.Sprint("call_", n), "name": tool, "arguments": encoded(arguments)}
		}
		details := map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}
		io.WriteString(w, encoded(map[string]any{"id": fmt.Sprint("resp_", n), "object": "response", "created_at": 1, "model": "gpt-4o", "status": "completed", "output": []any{item}, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{}, "usage": details}))
	default:
		message, finish := map[string]any{"role": "assistant", "content": words}, "stop"
		if tool != "" {
			finish = "tool_calls"
			message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": fmt.Sprint("call_", n), "type": "function", "function": map[string]any{"name": tool, "arguments": encoded(arguments)}}}}
		}
		io.WriteString(w, encoded(map[string]any{"id": fmt.Sprint("chatcmpl-", n), "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}, "usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}))
	}
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// names are those of the tools in a request.
func names(v any, out *[]string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			names(x, out)
		}
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			*out = append(*out, name)
		}
		names(v["function"], out)
		names(v["functionDeclarations"], out)
	}
}

// strings_ are all texts in a value, in an order of their own within objects.
func strings_(v any, out *[]string) {
	switch v := v.(type) {
	case string:
		*out = append(*out, v)
	case []any:
		for _, x := range v {
			strings_(x, out)
		}
	case map[string]any:
		for _, x := range v {
			strings_(x, out)
		}
	}
}
