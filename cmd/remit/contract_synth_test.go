package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// TestSynthWithModel: contracts take what a model says where it is stricter; where it is
// milder the rules stay, and the disagreements are listed for people. A recording is
// used again without a model.
func TestSynthWithModel(t *testing.T) {
	remit := program(t, "remit")
	dir := t.TempDir()
	tools := filepath.Join(dir, "team.json")
	text := `{"tools": [{"name": "post_notice", "description": "Adds a notice", "inputSchema": {"type": "object", "properties": {"board": {"type": "string"}, "headline": {"type": "string"}}}}]}`
	if err := os.WriteFile(tools, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
		return llmtest.Reply{Text: `{"does": "tells everybody", "effect": "egress", "output": "TOOL_OUTPUT", "args": [
			{"at": "/board", "role": "content", "floor": "EXTERNAL", "why": "it says so"},
			{"at": "/headline", "role": "command", "floor": "USER", "why": "is evaluated"}]}`}
	})

	env, _ := endpointOf(s, llm.OpenAI)
	run := func(env []string, args ...string) (out, said string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), remit, append([]string{"contract", "synth", tools, "--model", "openai:some-model"}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		var o, e strings.Builder
		cmd.Stdout, cmd.Stderr = &o, &e
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, e.String())
		}
		return o.String(), e.String()
	}
	out, said := run(env, "--record", filepath.Join(dir, "recordings"))
	for _, want := range []string{"/board:    {role: target, floor: USER", "/headline: {role: command, floor: USER"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %s in\n%s", want, out)
		}
	}
	for _, want := range []string{
		"post_notice args /headline role: the rules say content, the model command; took command (is evaluated)",
		"post_notice args /board role: the rules say target, the model content; kept target (it says so)",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("there is no %s in\n%s", want, said)
		}
	}

	again, _ := run([]string{"OPENAI_API_KEY="}, "--replay", filepath.Join(dir, "recordings"))
	if again != out {
		t.Errorf("replayed:\n%s\nrecorded:\n%s", again, out)
	}
}
