package doctor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/hook"
)

// TestHooksOverMistakes: hooks that deny a call are no protection as they should be where their
// policies or contracts have mistakes.
func TestHooksOverMistakes(t *testing.T) {
	agent, err := hook.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		policy    string
		protected bool
	}{
		"none":                     {"", true},
		"a right one":              {"tool: '*'\npolicies: [{name: p, require: 'args.size() < 9', message: m}]\n", true},
		"of a tool that isn't":     {"tool: send\npolicies: [{name: p, require: 'false', message: m}]\n", true},
		"one that doesn't compile": {"tool: '*'\npolicies: [{name: p, require: 'args.size( < 9', message: m}]\n", false},
		"one that can't be read":   {"tool: '*'\npolicies: {}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "remit")
			write(t, program, "#!/bin/sh\ncat >/dev/null\necho '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"Remit denies it\"}}'\n")
			settings := hook.Settings{}
			if c.policy != "" {
				settings.Policies = "my policies" // of the directory in which the agent works
				write(t, filepath.Join(dir, settings.Policies, "a.yaml"), c.policy)
			}
			data, err := agent.Install("settings.json", nil, agent.Command(program, settings))
			if err != nil {
				t.Fatal(err)
			}

			d, err := ExamineHooks(t.Context(), agent, "settings.json", data, dir, 0, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if d.Denied == 0 || d.Protected != c.protected {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
