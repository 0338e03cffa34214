package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = `module example.com/m

go 1.24
`

const tests = `package m

import "testing"

func TestGood(t *testing.T) { t.Log("well") }

func TestBad(t *testing.T) { t.Run("one", func(t *testing.T) { t.Error("is two") }) }

func TestSkipped(t *testing.T) { t.Skip("there is no moon") }

func TestSkippedToo(t *testing.T) {
	t.Run("here", func(t *testing.T) { t.Skip("there is no moon") })
	t.Run("there", func(t *testing.T) { t.SkipNow() })
}
`

// TestRun runs the tests of a module: what failed and what it took is printed, and what was skipped comes
// last, by the reason.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		run, printed, end string
		code              int
	}{
		"one fails": {".", "    m_test.go:7: is two\n", "skipped: it doesn't say why\n  example.com/m TestSkippedToo/there\nskipped: there is no moon\n  example.com/m TestSkipped\n  example.com/m TestSkippedToo/here\n", 1},
		"all pass":  {"Good", "ok  \texample.com/m\t", "skipped: nothing\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			code, err := run(&out, []string{"-C", moduleWith(t, tests), "test", "-json", "-run", c.run, "."})
			if err != nil || code != c.code {
				t.Errorf("the exit code is %d: %v", code, err)
			}
			if got := out.String(); !strings.Contains(got, c.printed) || !strings.Contains(got, "s of CPU time\n") || !strings.HasSuffix(got, c.end) || strings.Contains(got, "well") {
				t.Errorf("printed:\n%s", got)
			}
		})
	}
}

// TestRunOfWhatDoesNotBuild prints the compiler's mistakes.
func TestRunOfWhatDoesNotBuild(t *testing.T) {
	var out strings.Builder
	code, err := run(&out, []string{"-C", moduleWith(t, "package m\n\nfunc f() int {}\n"), "test", "-json", "."})
	if got := out.String(); err != nil || code != 1 || !strings.Contains(got, "missing return") || !strings.Contains(got, "[build failed]") {
		t.Errorf("exit code %d, %v, printed:\n%s", code, err, got)
	}
}

// TestRunThatPanics prints what a test said before it ended the whole run.
func TestRunThatPanics(t *testing.T) {
	const panics = "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(\"first\"); go func() { panic(\"no\") }(); select {} }\n"
	var out strings.Builder
	code, err := run(&out, []string{"-C", moduleWith(t, panics), "test", "-json", "."})
	if got := out.String(); err != nil || code != 1 || !strings.Contains(got, "first") || !strings.Contains(got, "panic: no") {
		t.Errorf("exit code %d, %v, printed:\n%s", code, err, got)
	}
}

// TestSlowTestsAreNamed is about a test of eleven seconds.
func TestSlowTestsAreNamed(t *testing.T) {
	var out strings.Builder
	r := newReport(&out)
	r.line([]byte(`{"Action":"pass","Package":"m","Test":"TestLong","Elapsed":11.2}`))
	r.line([]byte(`{"Action":"pass","Package":"m","Test":"TestShort","Elapsed":9.9}`))
	r.summary()
	if got := out.String(); got != "slow: 11 s: m TestLong\nskipped: nothing\n" {
		t.Errorf("printed:\n%s", got)
	}
}

func moduleWith(t *testing.T, test string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": module, "m_test.go": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
