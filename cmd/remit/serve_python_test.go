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
// runs, and holds its types to mypy. Its package is tried where releases are.
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
}
