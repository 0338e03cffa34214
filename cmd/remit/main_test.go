package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run the real program, and an MCP server, which are
// this one.
func TestMain(m *testing.M) {
	if os.Getenv("REMIT_TEST_SERVER") != "" {
		testServer()
		return
	}
	testscript.Main(tests{m}, map[string]func(){"remit": main, "test-server": testServer})
}

// tests are all tests, after which the program that some of them run is removed.
type tests struct{ *testing.M }

// Run implements [testscript.TestingM].
func (m tests) Run() int {
	code := m.M.Run()
	if err := os.RemoveAll(builtIn); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs testdata/*.txtar: each is the specification of one command,
// with its messages and exit codes. "exits N command…" runs a command and
// holds it to an exit code; "replace OLD NEW FILE" edits a file as a person
// would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		// The race detector makes every process wait a second before it ends.
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "replace": replace},
	})
}

// exits runs a command and fails unless it ends with the given exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s: there is no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
}

// The session schema in the docs is valid JSON, and it knows every type of
// line that the program knows.
func TestSessionSchemaNamesEveryLine(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "session.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, data)
}
