package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/remit-project/remit/internal/proxy"
)

var paths = []string{"/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/models/gemini:streamGenerateContent"}

func seed(f *testing.F, kinds ...string) {
	files, err := filepath.Glob("testdata/exchanges/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			for _, kind := range kinds {
				if strings.HasPrefix(file.Name, kind) {
					f.Add(string(file.Data) + "\n")
				}
			}
		}
	}
}

// FuzzRequests: no request makes the proxy fail, and one that goes on is the
// JSON that came.
func FuzzRequests(f *testing.F) {
	seed(f, "client POST")
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range paths {
			seen := &sees{}
			w := handle(direct(t, seen, nil), path, body)
			if w.Code == http.StatusInternalServerError {
				t.Fatalf("%s: %s", path, w.Body)
			}
			if seen.body == nil {
				continue
			}
			if !json.Valid(seen.body) {
				t.Fatalf("%s: what went on is not JSON: %q", path, seen.body)
			}
			if !strings.Contains(body, "remit_attached") && !strings.Contains(body, `\u`) && string(seen.body) != strings.TrimSpace(body) && string(seen.body) != body {
				t.Fatalf("%s: %q went on, not %q", path, seen.body, body)
			}
		}
	})
}

// sees keeps what goes on.
type sees struct{ body []byte }

func (s *sees) RoundTrip(r *http.Request) (*http.Response, error) {
	s.body, _ = io.ReadAll(r.Body)
	return &http.Response{StatusCode: 503, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("busy")), Request: r}, nil
}

// FuzzAnswers: whatever the upstream answers, no call reaches a client that has
// not been decided: here there are no tools, and none may.
func FuzzAnswers(f *testing.F) {
	seed(f, "upstream ")
	requests := []string{`{"messages":[{"role":"user","content":"hello"}]}`, `{"messages":[{"role":"user","content":"hello"}]}`, `{"input":"hello"}`, `{"contents":[{"parts":[{"text":"hello"}]}]}`}
	f.Fuzz(func(t *testing.T, answer string) {
		for i, path := range paths {
			for _, kind := range []string{"application/json", "text/event-stream"} {
				h := direct(t, &fixed{kind: kind, bodies: []string{answer, answer}}, func(o *proxy.Options) { o.Retries = 1 })
				w := handle(h, path, requests[i])
				if w.Code/100 != 2 {
					continue
				}
				texts := []string{w.Body.String()}
				if kind == "text/event-stream" {
					texts = nil
					for line := range strings.Lines(w.Body.String()) {
						if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
							texts = append(texts, data)
						}
					}
				}
				for _, text := range texts {
					var v map[string]any
					if json.Unmarshal([]byte(text), &v) == nil && hasCall(i, v) {
						t.Fatalf("%s, %s: a call got through: %s", path, kind, text)
					}
					var list []map[string]any
					if json.Unmarshal([]byte(text), &list) == nil && slices.ContainsFunc(list, func(v map[string]any) bool { return hasCall(i, v) }) {
						t.Fatalf("%s, %s: a call got through in a list: %s", path, kind, text)
					}
				}
			}
		}
	})
}

// hasCall finds a call where the clients of an API look for one, the most lenient
// of them too.
func hasCall(dialect int, v map[string]any) bool {
	object := func(v any) map[string]any { m, _ := v.(map[string]any); return m }
	member := func(v any, name string) any {
		for k, value := range object(v) {
			if strings.EqualFold(k, name) {
				return value
			}
		}
		return nil
	}
	list := func(v any) []any {
		if l, ok := v.([]any); ok {
			return l
		}
		if v == nil {
			return nil
		}
		return []any{v}
	}
	is := func(v any, kinds ...string) bool {
		kind, _ := member(v, "type").(string)
		return slices.ContainsFunc(kinds, func(k string) bool { return strings.EqualFold(k, kind) })
	}
	switch dialect {
	case 0:
		for _, c := range append(list(member(v, "choices")), v) {
			for _, of := range []any{c, member(c, "message"), member(c, "delta")} {
				if len(list(member(of, "tool_calls"))) > 0 || member(of, "function_call") != nil {
					return true
				}
			}
		}
	case 1:
		blocks := append(list(member(v, "content")), member(v, "content_block"))
		blocks = append(blocks, list(member(member(v, "message"), "content"))...)
		return slices.ContainsFunc(blocks, func(b any) bool { return is(b, "tool_use", "custom_tool_use", "tool_call") })
	case 3:
		for _, c := range list(member(v, "candidates")) {
			for _, p := range list(member(member(c, "content"), "parts")) {
				if member(p, "functionCall") != nil || member(p, "function_call") != nil {
					return true
				}
			}
		}
	case 2:
		items := append(append(list(member(v, "output")), list(member(member(v, "response"), "output"))...), member(v, "item"))
		return slices.ContainsFunc(items, func(x any) bool { return is(x, "function_call", "custom_tool_call", "mcp_approval_request", "program") })
	}
	return false
}
