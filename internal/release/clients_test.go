package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// TestClients installs each client from its package into a fresh directory, where nothing of
// the checkout is seen, and stops an injection with it: the decisions are those of the
// program from the archive.
func TestClients(t *testing.T) {
	for name, test := range map[string]struct {
		install func(t *testing.T, dir string) (command []string, env []string)
	}{
		"wheel":   {installWheel},
		"tarball": {installTarball},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			command, env := test.install(t, dir)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()

			example := exec.CommandContext(ctx, command[0], command[1:]...)
			example.Dir, example.Env = dir, append(append(os.Environ(), env...), decisions(t)...)
			out, err := example.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := string(out); !strings.Contains(got, "The call of send_email was held back") || !strings.Contains(got, "ann@corp.example\n") || strings.Contains(got, "sent to eve") {
				t.Errorf("it printed:\n%s", got)
			}
		})
	}
}

// installWheel installs the client for Python, and returns what runs the example with it.
func installWheel(t *testing.T, dir string) ([]string, []string) {
	python, wheel := mcptest.Interpreter(t), artifact(t, ".whl")
	command(t, python, "-m", "venv", "--without-pip", dir)
	fresh := filepath.Join(dir, "bin", "python")
	command(t, python, "-m", "pip", "-q", "--python", fresh, "install", "--no-index", "--no-deps", wheel)
	// What the client needs is there already, and is not fetched.
	packages := strings.TrimSpace(command(t, python, "-c", "import httpx, os; print(os.path.dirname(os.path.dirname(httpx.__file__)))"))
	example, err := filepath.Abs(filepath.Join(root, pythonClient, "examples", "without_a_framework.py"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{fresh, example}, []string{"PYTHONPATH=" + packages, "PYTHONDONTWRITEBYTECODE=1"}
}

// installTarball does so with the client for TypeScript, which needs no other package.
func installTarball(t *testing.T, dir string) ([]string, []string) {
	_, node := mcptest.TypeScript(t)
	tarball := artifact(t, "remit-client-*.tgz")
	for _, name := range []string{"loop.js", "office.js", "package.json"} {
		data, err := os.ReadFile(filepath.Join(root, "examples", "typescript", name))
		if name == "package.json" {
			data = []byte(`{"private": true, "type": "module"}`)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command(t, "npm", "--prefix", dir, "install", "--offline", "--ignore-scripts", "--loglevel", "error", tarball)
	return []string{node, "loop.js"}, nil
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// decisions runs the decision API of the released program until the test ends, and returns
// the variables by which clients find it.
func decisions(t *testing.T) []string {
	dir := t.TempDir()
	extract(t, artifact(t, host()+".tar.gz"), dir)
	program, tokens := only(t, dir, "*", "remit"), filepath.Join(dir, "tokens.yaml")
	made, err := exec.CommandContext(t.Context(), program, "token", "new", "--tokens", tokens, "--principal", "me", "--scope", "all").Output()
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, program, "serve", "--listen", "127.0.0.1:0", "--tokens", tokens, "--store", filepath.Join(dir, "remit.db"))
	log, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, url := bufio.NewScanner(log), ""
	for url == "" && lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	t.Cleanup(func() {
		cancel()
		for lines.Scan() { // to the end, as Wait wants it; what little it logs meanwhile waits in the pipe
		}
		_ = server.Wait() // it says that it was killed
	})
	if url == "" {
		t.Fatal("remit serve doesn't listen")
	}
	return []string{"REMIT_URL=" + url, "REMIT_TOKEN=" + strings.TrimSpace(string(made)), "NO_PROXY=*", "no_proxy=*"}
}
