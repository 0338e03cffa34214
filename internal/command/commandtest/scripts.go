// Package commandtest runs the scripts that specify the commands of a program.
package commandtest

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/remit-project/remit/internal/raced"
)

// Scripts runs testdata/*.txtar. Each script is the specification of a command,
// with its messages and exit codes. They start hundreds of programs, each of which starts five
// times as long with the race detector: servers and hooks have tests of their own with it.
func Scripts(t *testing.T) {
	raced.SkipTable(t)
	testscript.Run(t, Params("testdata"))
}

// Params returns the parameters for the scripts of a directory. Two commands are
// added to those of package testscript: "exits N command…" runs a command and
// compares its exit code, and "replace OLD NEW FILE" edits a file as a person
// would.
func Params(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		// The race detector makes every process wait a second before it ends.
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "replace": replace},
	}
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
