package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// clientTime ends tests of a client that hang: on a busy machine they take minutes.
const clientTime = 10 * time.Minute

// The contracts and rules of the client's tests of look-ups.
const (
	clientContracts = `version: 1
server: shop
tools:
  get_order: {effect: read, args: {/id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
  get_user: {effect: read, args: {/id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
  cancel: {effect: write, args: {/id: {role: selector, floor: USER}}}
`
	clientRules = `tool: cancel
policies:
  - name: own-pending-order
    variables: {order: 'tools.get_order({"id": args.id})'}
    require: order.status == "pending" && args.id in tools.get_user({"id":order.user}).orders
    message: Only the user's own pending orders can be cancelled.
  - name: nothing-beside
    require: session.beside() == "" && session.together().size() == 0
    message: Make the call alone, without words beside it.
`
)

// files makes a directory with one file, and returns its name.
func files(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	return dir
}

// clientRun is a run of a tool over the Python client.
type clientRun struct {
	more string // further packages, of requirements-MORE.txt
	tool string
	args []string
	env  []string
}

// do runs the tool in the client's directory.
func (r clientRun) do(t *testing.T) {
	t.Helper()
	client, err := filepath.Abs(filepath.Join("..", "..", "clients", "python"))
	must(t, err)
	p := mcptest.Python(t, filepath.Join("venv", "bin", r.tool), r.args...)
	path := filepath.Join(client, "src")
	if r.more != "" {
		path += string(filepath.ListSeparator) + mcptest.Packages(t, r.more)
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	c := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	c.Dir = client
	c.Env = append(append(os.Environ(), r.env...), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=*", "no_proxy=*")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestPythonClient runs the Python client's own tests against a server that
// runs, holds its types to mypy, and builds its package.
func TestPythonClient(t *testing.T) {
	t.Run("pytest", func(t *testing.T) {
		s := serve(t)
		ruled := serve(t, "--contracts", files(t, "shop.yaml", clientContracts), "--policies", files(t, "cancel.yaml", clientRules))
		clientRun{
			tool: "pytest",
			args: []string{"-q", "-p", "no:cacheprovider", "--ignore", "tests/adapters", "tests"},
			env: []string{
				"REMIT_URL=" + s.url, "REMIT_TOKEN=" + s.token, "REMIT_OTHER_TOKEN=" + s.newToken(t, program(t, "remit"), "other", "sessions:read"),
				"REMIT_RULED_URL=" + ruled.url, "REMIT_RULED_TOKEN=" + ruled.token,
			},
		}.do(t)
	})
	t.Run("mypy", func(t *testing.T) {
		// What it knows of its packages lies beside them: to read them takes ten seconds.
		venv := filepath.Dir(filepath.Dir(mcptest.Python(t, filepath.Join("venv", "bin", "mypy")).Command[1]))
		clientRun{tool: "mypy", args: []string{"--strict", "--cache-dir", filepath.Join(venv, "mypy"), "src", "tests"}}.do(t)
	})
	t.Run("package", func(t *testing.T) {
		dir := t.TempDir()
		clientRun{tool: "hatchling", args: []string{"build", "-d", dir}}.do(t)
		if sources, err := filepath.Glob(filepath.Join(dir, "remit_client-*.tar.gz")); err != nil || len(sources) != 1 {
			t.Errorf("built %v, %v", sources, err)
		}
		wheels, err := filepath.Glob(filepath.Join(dir, "remit_client-*.whl"))
		if err != nil || len(wheels) != 1 {
			t.Fatalf("built %v, %v", wheels, err)
		}
		installed(t, wheels[0])
	})
}

// installed installs a wheel into a new environment, where nothing of the checkout is
// seen, and runs an example there: from nothing to a first call that is stopped.
func installed(t *testing.T, wheel string) {
	t.Helper()
	venv := filepath.Join(t.TempDir(), "venv")
	python := mcptest.Interpreter(t)
	fresh := filepath.Join(venv, "bin", "python")
	s := serve(t)
	run := func(env []string, program string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, args...)
		c.Env = append(os.Environ(), env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	run(nil, python, "-m", "venv", "--without-pip", venv)
	run(nil, python, "-m", "pip", "-q", "--python", fresh, "install", "--no-index", "--no-deps", wheel)
	// What the client needs is there already, and is not fetched.
	packages := strings.TrimSpace(run(nil, python, "-c", "import httpx, os; print(os.path.dirname(os.path.dirname(httpx.__file__)))"))
	example, err := filepath.Abs(filepath.Join("..", "..", "clients", "python", "examples", "without_a_framework.py"))
	must(t, err)
	out := run([]string{"REMIT_URL=" + s.url, "REMIT_TOKEN=" + s.token, "PYTHONPATH=" + packages, "PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=*", "no_proxy=*"}, fresh, example)
	if !strings.Contains(out, "The call of send_email was held back") || !strings.HasSuffix(out, "sent to: ann@corp.example\n") {
		t.Errorf("the example printed:\n%s", out)
	}
}

// TestPythonAdapters runs the tests of the adapters for frameworks with their own
// packages, each against a server of its own: people answer whatever question comes.
func TestPythonAdapters(t *testing.T) {
	for name, packages := range map[string]string{
		"autogen":       "frameworks",
		"crewai":        "crewai",
		"mcp":           "",
		"mcp v1":        "v1",
		"openai_agents": "frameworks",
		"pydantic_ai":   "frameworks",
		"smolagents":    "frameworks",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			test, _, _ := strings.Cut(name, " ")
			clientRun{
				more: packages,
				tool: "pytest",
				args: []string{"-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning", "tests/adapters/test_" + test + ".py"},
				env:  []string{"REMIT_URL=" + s.url, "REMIT_TOKEN=" + s.token},
			}.do(t)
		})
	}
}
