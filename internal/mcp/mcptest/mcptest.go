// Package mcptest has the MCP servers and SDKs from their packages that make
// setup installs, for tests.
package mcptest

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Program is one that tests start: its command, and what it needs in its
// environment beside the test's own.
type Program struct {
	Command, Env []string
}

// Cmd returns the program as a command that is not started yet.
func (p Program) Cmd() *exec.Cmd {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Env = append(os.Environ(), p.Env...)
	return cmd
}

// Start runs the program until the test ends: it has its input closed then, and is
// killed if it doesn't end by itself soon. Its errors are in the test's output.
func (p Program) Start(tb testing.TB) (in io.WriteCloser, out io.Reader) {
	tb.Helper()
	cmd := p.Cmd()
	cmd.Stderr = tb.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		in.Close()
		kill := time.AfterFunc(endBound, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait() // many servers report the end of their input as an error
	})
	return in, out
}

// endBound is how long a program may take to end once its input is closed.
const endBound = 3 * time.Second

// Agent is a program that runs agents: it reads a task as JSON, runs it, and writes
// what became of it. Its packages take seconds to load, so that one process runs all
// the tasks of a test.
type Agent struct {
	in  *json.Encoder
	out *json.Decoder
}

// StartAgent runs the program, with a home of its own, until the test ends.
func (p Program) StartAgent(tb testing.TB) *Agent {
	tb.Helper()
	p.Env = append(slices.Clone(p.Env), "HOME="+tb.TempDir())
	in, out := p.Start(tb)
	return &Agent{json.NewEncoder(in), json.NewDecoder(out)}
}

// Run has the agent carry out a task, and decodes what became of it into result.
func (a *Agent) Run(tb testing.TB, task, result any) {
	tb.Helper()
	if err := a.in.Encode(task); err != nil {
		tb.Fatal(err)
	}
	if err := a.out.Decode(result); err != nil {
		tb.Fatal(err)
	}
}

// Node returns a script below testdata/npm, which has the packages there. Where make setup had no
// npm the test is skipped; a gate (CI is set) in which npm could have installed them fails.
func Node(tb testing.TB, script string, args ...string) Program {
	tb.Helper()
	dir := npm(tb)
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Skip("node is not installed")
	}
	need(tb, filepath.Join(dir, "node_modules", "installed"), "npm", "--version")
	return Program{Command: append([]string{node, filepath.Join(dir, script)}, args...)}
}

// NPMFiles returns the files of the packages below testdata/npm that match a pattern: none where
// make setup had no npm, or a package is not for this platform.
func NPMFiles(tb testing.TB, pattern string) []string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(npm(tb), "node_modules", filepath.FromSlash(pattern)))
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// npm returns the directory that make setup installs packages of npm into. A wrong path fails: it
// would look as if nothing were installed, and tests would be skipped.
func npm(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(testdata(tb), "npm")
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err != nil {
		tb.Fatalf("the packages of npm have moved: bring mcptest and the Makefile up to date: %v", err)
	}
	return dir
}

// NPM returns one of the reference servers, by its short name.
func NPM(tb testing.TB, name string, args ...string) Program {
	tb.Helper()
	return Node(tb, filepath.Join("node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"), args...)
}

// Python returns a script below testdata/python, which has the packages there. It is skipped as
// [Node] is.
func Python(tb testing.TB, script string, args ...string) Program {
	tb.Helper()
	return Program{Command: append([]string{Interpreter(tb), filepath.Join(testdata(tb), "python", script)}, args...)}
}

// Interpreter returns the Python that has the packages of requirements.txt. A test is skipped as
// with [Node].
func Interpreter(tb testing.TB) string {
	tb.Helper()
	venv := filepath.Join(testdata(tb), "python", "venv")
	need(tb, filepath.Join(venv, "installed"), "python3", "-m", "ensurepip", "--version")
	return filepath.Join(venv, "bin", "python")
}

// PyPI returns one of the reference servers, by its short name.
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

// Over returns a script below testdata/python that has further packages over those there: of
// requirements-MORE.txt. It is skipped as [Node] is.
func Over(tb testing.TB, more, script string, args ...string) Program {
	tb.Helper()
	p := Python(tb, script, args...)
	p.Env = []string{"PYTHONPATH=" + Packages(tb, more)}
	return p
}

// Packages returns the directory of the packages of requirements-MORE.txt. A test is skipped as
// with [Node].
func Packages(tb testing.TB, more string) string {
	tb.Helper()
	dir := filepath.Join(testdata(tb), "python", "venv", more)
	need(tb, dir, "python3", "-m", "ensurepip", "--version")
	return dir
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

// TypeScript returns the directory of the TypeScript client, which has its packages there, and
// the program that runs it. It is skipped as [Node] is.
func TypeScript(tb testing.TB) (dir, node string) {
	tb.Helper()
	dir = filepath.Join(module(tb), "clients", "typescript")
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Skip("node is not installed")
	}
	need(tb, filepath.Join(dir, "node_modules", "installed"), "npm", "--version")
	return dir, node
}

// LinkFrameworks links the frameworks that the TypeScript client is tested with into a
// directory where that client is installed, as npm would without a registry.
func LinkFrameworks(client, dir string) error {
	for _, name := range []string{"@langchain", "@modelcontextprotocol", "@openai", "ai", "langchain", "zod"} {
		if err := os.Symlink(filepath.Join(client, "node_modules", name), filepath.Join(dir, "node_modules", name)); err != nil {
			return err
		}
	}
	return nil
}

// testdata returns the gateway's directory of test data, seen from any package of the module.
func testdata(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(module(tb), "internal", "mcp", "testdata")
}

// module returns the module's directory.
func module(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	tb.Fatalf("the test doesn't run inside the module: %v", err)
	return ""
}
