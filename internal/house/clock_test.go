package house_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// root is the project's directory.
const root = "../.."

// clocks are the functions of package time by which a test depends on the day, the
// time zone or the speed of the machine.
var clocks = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Local": true,
	"Sleep": true, "After": true, "AfterFunc": true, "Tick": true, "NewTicker": true, "NewTimer": true,
}

// mayReadTheClock lists the test files that use the wall clock, each with the
// reason why its outcome doesn't depend on the time.
var mayReadTheClock = map[string]string{
	"cmd/remit/approvals_test.go":         "polls a queue until another goroutine has asked",
	"cmd/remit/doctor_test.go":            "is a server that never answers",
	"cmd/remit/gateway_contracts_test.go": "polls a process; the bound only ends a failed test",
	"cmd/remit/gateway_kill_test.go":      "kills a process at a random moment, and any moment will do",
	"internal/mcp/mcptest/mcptest.go":     "the bound only ends a server that stays",
	"internal/mcp/main_test.go":           "polls what a client learns; the bound only ends a failed test",
	"internal/mcp/shutdown_test.go":       "the bound only ends a failed test",
	"internal/mcp/upstream/http_test.go":  "delays a server, and the order must hold for every delay",
	"internal/access/oauth_test.go":       "tokens begin and end an hour from now, whenever now is",
	"internal/access/provider_test.go":    "tokens begin and end an hour from now, whenever now is",
	"internal/accesstest/provider.go":     "tokens end a minute from now, whenever now is",
	"internal/console/overview_test.go":   "calls are of the week before now, whenever now is",
	"internal/console/load_test.go":       "is a benchmark",
	"internal/door/door_test.go":          "runs every test in a bubble of testing/synctest",
	"ledger/queue_test.go":                "polls a queue until another goroutine has asked",
	"ledger/kill_test.go":                 "kills a process at a random moment, and any moment will do",
	"store/full_test.go":                  "lets writers queue up, and the outcome is the same for those that have not",
	"internal/storetest/approvals.go":     "lets waiters begin, and the outcome is the same for those that have not",
	"store/tamper_test.go":                "kills a server at some moment, and any moment will do",
}

// testing packages are those that only tests use.
var testingPackages = []string{"internal/mcp/mcptest", "internal/llm/llmtest", "internal/storetest", "internal/accesstest"}

// TestTestsDoNotReadTheClock finds the uses of the wall clock in tests. Benchmarks
// measure, and in a bubble of testing/synctest time is not the machine's.
func TestTestsDoNotReadTheClock(t *testing.T) {
	reads := map[string]bool{}
	for _, path := range files(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") && !slices.Contains(testingPackages, filepath.ToSlash(filepath.Dir(path))) {
			continue
		}

		for _, use := range clockUses(t, path) {
			reads[path] = true
			if mayReadTheClock[path] == "" {
				t.Errorf("%s: a test must not depend on the time: give it a clock, or a channel to wait for", use)
			}
		}
	}

	for path := range mayReadTheClock {
		if !reads[path] {
			t.Errorf("%s doesn't read the clock: remove it from the list", path)
		}
	}
}

// clockUses returns the places in a file where the wall clock is used.
func clockUses(t *testing.T, path string) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}

	var uses []string
	bounds := map[ast.Stmt]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return !measures(n)
		case *ast.SelectStmt:
			// One case of several is a bound, which ends a test that has failed.
			if len(n.Body.List) > 1 {
				for _, c := range n.Body.List {
					bounds[c.(*ast.CommClause).Comm] = true
				}
			}
		case ast.Stmt:
			return !bounds[n]
		case *ast.CallExpr:
			return !selects(n.Fun, "synctest", "Test")
		case *ast.SelectorExpr:
			if clocks[n.Sel.Name] && selects(n, "time", n.Sel.Name) {
				uses = append(uses, fmt.Sprintf("%s:%d: time.%s", path, set.Position(n.Pos()).Line, n.Sel.Name))
			}
		}
		return true
	})
	return uses
}

// measures reports whether a function takes a *testing.B.
func measures(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		pointer, ok := p.Type.(*ast.StarExpr)
		return ok && selects(pointer.X, "testing", "B")
	})
}

func selects(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// decides matches the lines of a script whose outcome may depend on the time of day:
// values such as "tomorrow" and the rules of a guard are resolved by the clock.
// Commands that are expected to fail before they decide anything are not among them, nor
// is what explains a decision of a store, as it fell.
var (
	decides   = regexp.MustCompile(`^(!? ?exec|exits [03-9]) remit (check|replay|explain|session|demo|policy diff .*--sessions)\b|^!? ?exec (date|sleep)\b`)
	withClock = regexp.MustCompile(` --now \S| --help\b| --diff\b|explain --store\b`)
	runs      = regexp.MustCompile(`^(!? ?exec|exits \d+) remit (gateway|proxy|serve|hook|policy diff .*--store|replay .*--diff)\b`)
	rulesNow  = regexp.MustCompile(`\bnow\b`)
)

// TestScriptsDoNotReadTheClock holds scripts to --now wherever a command has it. The
// other commands that decide have the machine's clock: their rules must not ask for
// the time.
func TestScriptsDoNotReadTheClock(t *testing.T) {
	for _, path := range files(t, ".txtar") {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)

		live := false
		for i, line := range strings.Split(string(archive.Comment), "\n") {
			if decides.MatchString(line) && !withClock.MatchString(line) {
				t.Errorf("%s:%d: the outcome depends on the time: give --now", path, i+1)
			}
			live = live || runs.MatchString(line)
		}

		for _, f := range archive.Files {
			if live && bytes.Contains(f.Data, []byte("policies:")) && rulesNow.Match(f.Data) {
				t.Errorf("%s: %s: a rule asks for the time, and a command of the script has the machine's clock", path, f.Name)
			}
		}
	}
}

// TestClocksAreFound is the test of the checks themselves.
func TestClocksAreFound(t *testing.T) {
	for line, want := range map[string]bool{
		`exec remit replay sessions.jsonl`:                               true,
		`! exec remit check --tools t.json {}`:                           true,
		`exits 3 remit policy diff old new --sessions s.jsonl`:           true,
		`exec remit demo --now 2026-03-31T09:00:00Z`:                     false,
		`exits 2 remit replay --json --out x sessions.jsonl`:             false,
		`exec remit policy diff old new`:                                 false,
		`exec remit replay --diff --contracts contracts --store r.db`:    false,
		`exec remit session --policies rules --now 2026-03-31T09:00:00Z`: false,
	} {
		if got := decides.MatchString(line) && !withClock.MatchString(line); got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
}

// files returns the project's files with an extension, without those of packages
// that tests install.
func files(t *testing.T, extension string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); name == "node_modules" || name == "venv" || name == "bin" || name == ".git" {
				return filepath.SkipDir
			}
		case filepath.Ext(path) == extension:
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
