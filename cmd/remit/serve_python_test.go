package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// clientTime bounds the tests of the Python client.
const clientTime = 3 * time.Minute

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

// TestPythonClient runs the Python client's own tests against a server that
// runs, holds its types to mypy, and builds its package.
func TestPythonClient(t *testing.T) {
	client, err := filepath.Abs(filepath.Join("..", "..", "clients", "python"))
	must(t, err)
	run := func(t *testing.T, tool string, args ...string) {
		t.Helper()
		p := mcptest.Python(t, filepath.Join("venv", "bin", tool), args...)
		ctx, cancel := context.WithTimeout(t.Context(), clientTime)
		defer cancel()
		c := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
		c.Dir = client
		c.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(client, "src"), "PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=*", "no_proxy=*")
		if tool == "pytest" {
			s := serve(t)
			c.Env = append(c.Env, "REMIT_URL="+s.url, "REMIT_TOKEN="+s.token, "REMIT_OTHER_TOKEN="+s.newToken(t, program(t, "remit"), "other", "sessions:read"))
			ruled := serve(t, "--contracts", files(t, "shop.yaml", clientContracts), "--policies", files(t, "cancel.yaml", clientRules))
			c.Env = append(c.Env, "REMIT_RULED_URL="+ruled.url, "REMIT_RULED_TOKEN="+ruled.token)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Run("pytest", func(t *testing.T) { run(t, "pytest", "-q", "-p", "no:cacheprovider", "tests") })
	t.Run("mypy", func(t *testing.T) {
		// What it knows of its packages lies beside them: to read them takes ten seconds.
		venv := filepath.Dir(filepath.Dir(mcptest.Python(t, filepath.Join("venv", "bin", "mypy")).Command[1]))
		run(t, "mypy", "--strict", "--cache-dir", filepath.Join(venv, "mypy"), "src", "tests")
	})
	t.Run("package", func(t *testing.T) {
		dir := t.TempDir()
		run(t, "hatchling", "build", "-t", "wheel", "-d", dir)
		if wheels, err := filepath.Glob(filepath.Join(dir, "remit_client-*.whl")); err != nil || len(wheels) != 1 {
			t.Errorf("built %v, %v", wheels, err)
		}
	})
}
