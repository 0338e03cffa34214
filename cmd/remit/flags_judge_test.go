package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm/llmtest"
)

// TestJudge: a rule of remit session asks the model that --judge names, at the
// address and with the key of the environment.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pay.yaml"), []byte(`{tool: pay, policies: [{name: agreed, require: 'judge("Did the user agree?", "user")', message: Ask the user first.}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply {
		if strings.Contains(a.Messages[0].Text, "Go ahead") {
			return llmtest.Reply{JSON: map[string]any{"entry": 1, "evidence": "Go ahead", "answer": "yes"}}
		}
		return llmtest.Reply{JSON: map[string]any{"entry": 0, "evidence": "", "answer": "no"}}
	})
	t.Setenv("OPENAI_BASE_URL", s.URL()+"/v1")
	t.Setenv("OPENAI_API_KEY", llmtest.Key)
	lines := `{"type":"tools","server":"bank","tools":[{"name":"pay","inputSchema":{"type":"object","properties":{"note":{"type":"string"}}}}]}
{"type":"user","session":"a","text":"What would it cost?"}
{"type":"call","session":"a","id":"1","tool":"pay","arguments":{"note":"cost"}}
{"type":"user","session":"b","text":"Go ahead and pay the cost."}
{"type":"call","session":"b","id":"1","tool":"pay","arguments":{"note":"cost"}}
`
	var out, log bytes.Buffer
	if code := run([]string{"session", "--policies", dir, "--judge", "openai:m"}, strings.NewReader(lines), &out, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, log.String())
	}
	decisions := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(decisions) != 2 || !strings.Contains(decisions[0], "policy-violation") || strings.Contains(decisions[1], "policy-violation") || strings.Contains(decisions[1], "guard-failed") || len(s.Asked()) != 2 {
		t.Errorf("asked %d times for %s", len(s.Asked()), out.String())
	}
}
