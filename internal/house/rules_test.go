package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/house"
)

// TestRules holds the code to the rules.
func TestRules(t *testing.T) {
	source, err := house.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range source.Findings() {
		t.Errorf("%s:%d: %s (%s)", f.File, f.Line, f.Message(), f.Rule)
	}
}

// TestRulesAreFound is the test of the rules themselves.
func TestRulesAreFound(t *testing.T) {
	tests := []struct {
		name, code string
		want       house.Counts
	}{
		{"mixed", "func f(a, b, c bool) bool { return a || b && c }", house.Counts{house.Mixed: 1}},
		{"mixed far in", "func f(a, b, c bool) bool { return a && b || c || a }", house.Counts{house.Mixed: 1}},
		{"two conditions", "func f(a, b, c bool) bool { return g(a || b && c) && g(a && b || c) }", house.Counts{house.Mixed: 2}},
		{"in a variable", "var f = func(a, b, c bool) bool { return a || b && c }", house.Counts{house.Mixed: 1}},
		{"parentheses", "func f(a, b, c bool) bool { return a || (b && c) }", house.Counts{}},
		{"or within and", "func f(a, b, c bool) bool { return a && (b || c) }", house.Counts{}},
		{"twenty lines", "func f() {\n" + strings.Repeat("g()\n", 18) + "}", house.Counts{}},
		{"more lines", "func f() {\n" + strings.Repeat("g()\n", 19) + "}", house.Counts{house.Dense: 1}},
		{"paragraphs", "func f() {\n" + strings.Repeat("g()\n", 10) + "\n" + strings.Repeat("g()\n", 10) + "}", house.Counts{}},
		{"a list of cases", "func f(n int) {\nswitch n {\n" + strings.Repeat("case 1:\ng()\n", 12) + "}\n}", house.Counts{}},
		{"simple", "func f(a bool) {\n\n" + strings.Repeat("if a { g() }\n", 24) + "}", house.Counts{}},
		{"complex", "func f(a bool) {\n\n" + strings.Repeat("if a { g() }\n", 25) + "}", house.Counts{house.Complex: 1}},
		{"operators count", "func f(a bool) {\n\n" + strings.Repeat("if a && a { g() }\n", 13) + "}", house.Counts{house.Complex: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, code := range map[string]string{"x.go": test.code, "x_test.go": "var a = b || c && d", "testdata/x.go": "{"} {
				path := filepath.Join(dir, "p", name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("package p\n"+code), 0o644); err != nil {
					t.Fatal(err)
				}
			}

			source, err := house.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := house.CountFindings(source.Findings())["p"]; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// beforeSubjects is the last commit before subjects were checked.
const beforeSubjects = "92c838dced6e"

// TestCommitSubjects checks the subjects of commits, where there is a history.
func TestCommitSubjects(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "log", "--no-merges", "--format=%h %s", beforeSubjects+"..HEAD").Output()
	if err != nil {
		t.Skip("there is no git history")
	}

	for line := range strings.Lines(string(out)) {
		commit, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := house.CheckSubject(subject); err != nil {
			t.Errorf("%s: %v", commit, err)
		}
	}
}

// TestSubjectsAreFound is the test of the check of subjects.
func TestSubjectsAreFound(t *testing.T) {
	for subject, good := range map[string]bool{
		"synth: read the vocabulary from a table":           true,
		"internal/house, synth: embed the word lists":       true,
		"cmd/remit: process answers in order":               true,
		"remit: need one confirmation for one call":         true,
		"docs: say what requests decide":                    true,
		"gateway/hook: ask about what the user speaks of":   true,
		"remit proxy: keep definitions":                     false,
		"docs: what requests decide, and what they don't":   false,
		"synth: the vocabulary is a table":                  false,
		"ledger: a value that only one contract asks about": false,
		"synth: reads the vocabulary":                       false,
		"synth: added a table":                              false,
		"synth: adding a table":                             false,
		"synth: Read the vocabulary":                        false,
		"synth: read the vocabulary.":                       false,
		"read the vocabulary":                               false,
	} {
		if err := house.CheckSubject(subject); (err == nil) != good {
			t.Errorf("%s: got %v", subject, err)
		}
	}
}
