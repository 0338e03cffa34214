// Package mcptest has the MCP servers and SDKs from their packages that make
// setup installs, for tests.
package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program is one that tests start: its command, and what it needs in its
// environment beside the test's own.
type Program struct {
	Command, Env []string
}

// Node is a script below testdata/npm, which has the packages there. Where make
// setup had no npm the test is skipped; a gate (CI is set) in which npm could
// have installed them fails.
func Node(tb testing.TB, script string, args ...string) Program {
	tb.Helper()
	dir := filepath.Join(testdata(tb), "npm")
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Skip("node is not installed")
	}
	need(tb, filepath.Join(dir, "node_modules", "installed"), "npm", "--version")
	return Program{Command: append([]string{node, filepath.Join(dir, script)}, args...)}
}

// NPM is one of the reference servers, by its short name.
func NPM(tb testing.TB, name string, args ...string) Program {
	tb.Helper()
	return Node(tb, filepath.Join("node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"), args...)
}

// Python is a script below testdata/python, which has the packages there. It is
// skipped as [Node] is.
func Python(tb testing.TB, script string, args ...string) Program {
	tb.Helper()
	dir := filepath.Join(testdata(tb), "python")
	need(tb, filepath.Join(dir, "venv", "installed"), "python3", "-m", "ensurepip", "--version")
	return Program{Command: append([]string{filepath.Join(dir, "venv", "bin", "python"), filepath.Join(dir, script)}, args...)}
}

// PyPI is one of the reference servers, by its short name.
func PyPI(tb testing.TB, name string, args ...string) Program {
	tb.Helper()
	p := Python(tb, filepath.Join("venv", "bin", "mcp-server-"+name), args...)
	switch name {
	case "sqlite":
		// It is made for the first generation of the SDK.
		p.Env = []string{"PYTHONPATH=" + filepath.Join(testdata(tb), "python", "venv", "v1")}
	case "fetch":
		// Where it finds node, it has npm install something.
		p.Env = []string{"PATH=/none"}
	}
	return p
}

// Over is a script below testdata/python that has further packages over those
// there: of requirements-MORE.txt. It is skipped as [Node] is.
func Over(tb testing.TB, more, script string, args ...string) Program {
	tb.Helper()
	p := Python(tb, script, args...)
	dir := filepath.Join(testdata(tb), "python", "venv", more)
	need(tb, dir, "python3", "-m", "ensurepip", "--version")
	p.Env = []string{"PYTHONPATH=" + dir}
	return p
}

// need skips a test unless make setup has left its stamp, or fails it in a gate
// where the installer is there: a command that succeeds if it is.
func need(tb testing.TB, stamp string, installer ...string) {
	tb.Helper()
	if _, err := os.Stat(stamp); err == nil {
		return
	}
	const missing = "packages from npm or PyPI are missing: run make setup"
	if os.Getenv("CI") != "" && exec.Command(installer[0], installer[1:]...).Run() == nil {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
}

// testdata is the gateway's, seen from any package of the module.
func testdata(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "internal", "mcp", "testdata")
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	tb.Fatalf("the test doesn't run inside the module: %v", err)
	return ""
}
