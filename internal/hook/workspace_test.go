package hook_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/hook"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// git is not run in a folder that it takes for a repository, and making one is asked about.
func TestEmbeddedRepository(t *testing.T) {
	c := converse(t)
	c.reads("x")
	mark := filepath.Join(t.TempDir(), "mark")
	sub := filepath.Join(c.dir, "sub")
	git(t, c.dir, "init", "-q")
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch " + mark + "; false\"\n",
	} {
		path := filepath.Join(sub, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, text)
	}
	git(t, sub, "status")
	if _, err := os.Stat(mark); err != nil {
		t.Fatalf("git does not run what the settings name, so that nothing is tried here: %v", err)
	}
	if _, a := c.proposes("Bash", bash("git status")); a.Verdict != remit.Allow {
		t.Errorf("in the workspace's own: %+v", a)
	}
	root := c.dir
	for _, name := range []string{"sub/HEAD", "sub/config", "other/HEAD", "sub/other"} {
		if _, a := c.proposes("Write", map[string]any{"file_path": filepath.Join(root, name), "content": "x"}); a.Verdict != remit.Ask {
			t.Errorf("writing %s: %+v", name, a)
		}
	}
	c.roots, c.dir = root, sub
	for _, line := range []string{"git status", "git diff", "cd . && git log", "git commit -m x"} {
		if _, a := c.proposes("Bash", bash(line)); a.Verdict != remit.Ask {
			t.Errorf("%s there: %+v", line, a)
		}
	}
}

// Files that version control's settings name are as its own.
func TestSettingsNameFiles(t *testing.T) {
	c := converse(t)
	git(t, c.dir, "init", "-q")
	git(t, c.dir, "config", "core.hooksPath", "tools/at-commit")
	git(t, c.dir, "config", "include.path", "../shared.cfg")
	git(t, c.dir, "config", "filter.x.clean", "python3 tools/clean.py %f")
	c.reads("x")
	write := func(name string) remit.Verdict {
		_, a := c.proposes("Write", map[string]any{"file_path": filepath.Join(c.dir, name), "content": "x"})
		return a.Verdict
	}
	for _, name := range []string{"tools/at-commit/pre-commit", "shared.cfg", "tools/clean.py"} {
		if v := write(name); v != remit.Ask {
			t.Errorf("%s: %s", name, v)
		}
	}
	if v := write("tools/other.py"); v != remit.Allow {
		t.Errorf("another file: %s", v)
	}
}

// Where a path's last part is a pattern, what it matches counts.
func TestPatternsThroughLinks(t *testing.T) {
	c := converse(t)
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "key"), "x")
	if err := os.Symlink(home, filepath.Join(c.dir, "link")); err != nil {
		t.Fatal(err)
	}
	c.reads("x")
	for _, line := range []string{"cat lin*/key", "cat */key", "cat l[i]nk/key", "grep -R x .", "rg -L x", "find -L . -name key", "find . -name key | xargs cat", "find . -exec cat {} +"} {
		if _, a := c.proposes("Bash", bash(line)); a.Verdict != remit.Ask {
			t.Errorf("%s: %+v", line, a)
		}
	}
	for _, line := range []string{"grep -r x .", "rg x", "find . -name key", "ls *"} {
		if _, a := c.proposes("Bash", bash(line)); a.Verdict == remit.Allow && line == "ls *" {
			t.Errorf("%s: %+v", line, a)
		} else if a.Verdict != remit.Allow && line != "ls *" {
			t.Errorf("%s: %+v", line, a)
		}
	}
}

// The workspace is what the agent says, not where the model has a command run.
func TestTheModelChoosesNoWorkspace(t *testing.T) {
	for name, input := range map[string]string{
		"windsurf": `{"trajectory_id":"s","agent_action_name":"pre_run_command","tool_info":{"command_line":"cat shadow","cwd":"/etc"}}`,
		"cursor":   `{"conversation_id":"s","hook_event_name":"beforeShellExecution","command":"cat shadow","cwd":"/etc"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, find(t, name))
			for _, env := range []map[string]string{{}, {"PWD": t.TempDir()}, {"ROOT_WORKSPACE_PATH": t.TempDir()}} {
				e, err := s.agent.Parse([]byte(input), func(n string) string { return env[n] })
				if err != nil {
					t.Fatal(err)
				}
				if a, err := s.service.Handle(t.Context(), hook.Settings{}, e); err != nil || a.Verdict != remit.Deny {
					t.Errorf("%v: %+v, %v", env, a, err)
				}
			}
		})
	}
}
