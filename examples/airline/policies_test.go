package airline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// data returns the directory of τ-bench's airline, and skips without it.
func data(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("REMIT_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, "airline")
	if _, err := os.Stat(filepath.Join(dir, "wiki.md")); err != nil {
		t.Skipf("τ-bench's airline is not there: %v", err)
	}
	return dir
}

func guards(t testing.TB) *guard.Set {
	t.Helper()
	scope, err := airline.Deployment()
	must(t, err)
	files, err := airline.Policies()
	must(t, err)
	set, err := guard.Compile(files, scope)
	must(t, err)
	return set
}

// Every example says what its rule says, and every rule has examples both ways.
func TestExamples(t *testing.T) {
	for _, g := range guards(t).Guards() {
		t.Run(g.Tool, func(t *testing.T) {
			for _, r := range guardtest.Run(t.Context(), g) {
				if !r.Passed() {
					t.Errorf("%s: %s, %s: got %s %s, want %s", r.Position, r.Rule, r.Example, r.Got, r.Failed, r.Want)
				}
			}
			for _, p := range g.File.Policies {
				for _, v := range []label.Verdict{label.Allow, label.Deny} {
					if !slices.ContainsFunc(p.Examples, func(e guard.Example) bool { return e.Expect == v }) {
						t.Errorf("%s has no example that it comes to %s", p.Name, v)
					}
				}
			}
		})
	}
}

// Every tool has rules and a contract that fits its definition.
func TestEveryToolIsGuarded(t *testing.T) {
	scope, err := airline.Deployment()
	must(t, err)
	set := guards(t)
	for _, tool := range scope.Tools[0].Tools {
		if len(set.Applying(airline.Name, tool.Name)) == 0 {
			t.Errorf("%s has no rules", tool.Name)
		}
	}
	for _, f := range contract.Lint(scope.Contracts[0], scope.Tools[0]) {
		t.Errorf("contract: %+v", f)
	}
}

// Every sentence of the policy document is one that a guard refers to, word by
// word, or one of those that no call can be held to.
func TestEverySentence(t *testing.T) {
	wiki, err := os.ReadFile(filepath.Join(data(t), "wiki.md"))
	must(t, err)
	var sources []string
	files, err := airline.Policies()
	must(t, err)
	for _, f := range files {
		for _, p := range f.Policies {
			sources = append(sources, p.References...)
		}
	}
	written, err := os.ReadFile("unenforced.yaml")
	must(t, err)
	var unenforced []struct{ Sentence, Why string }
	must(t, yaml.Unmarshal(written, &unenforced))
	for _, u := range unenforced {
		if u.Why == "" {
			t.Errorf("no reason: %s", u.Sentence)
		}
		if slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, u.Sentence) }) {
			t.Errorf("it is enforced after all: %s", u.Sentence)
		}
	}
	for _, u := range unenforced {
		sources = append(sources, u.Sentence)
	}
	for _, s := range sources {
		if !strings.Contains(string(wiki), s) {
			t.Errorf("not in the document: %s", s)
		}
	}
	between := regexp.MustCompile(`[.!?:](\s+|$)`)
	for line := range strings.Lines(string(wiki)) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "-"))
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, sentence := range between.Split(line, -1) {
			if !slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, sentence) }) {
				t.Errorf("nobody refers to: %s", sentence)
			}
		}
	}
}

// The definitions that contracts and guards are made for are the server's, and
// take the arguments that τ-bench's take.
func TestDefinitions(t *testing.T) {
	a, err := airline.New(&airline.Records{})
	must(t, err)
	made, err := a.Definitions()
	must(t, err)
	written, err := os.ReadFile("airline.json")
	must(t, err)
	if string(made) != string(written) {
		t.Error("airline.json is not what go run ./examples/airline/server -definitions prints")
	}
	original, err := os.ReadFile(filepath.Join(data(t), "tools.openai.json"))
	must(t, err)
	theirs, err := schema.Parse(airline.Name, original)
	must(t, err)
	ours, err := schema.Parse(airline.Name, written)
	must(t, err)
	for _, want := range theirs.Tools {
		got, ok := ours.Tool(want.Name)
		if !ok {
			t.Errorf("there is no %s", want.Name)
			continue
		}
		same(t, want.Name, got.Input, want.Input)
	}
}

// same compares arguments by their names, types and values.
func same(t *testing.T, at string, got, want *schema.Node) {
	t.Helper()
	if !slices.Equal(got.Types, want.Types) || len(got.Enum) != len(want.Enum) || len(got.Properties) != len(want.Properties) {
		t.Errorf("%s: got %v %v, want %v %v", at, got.Types, got.Enum, want.Types, want.Enum)
		return
	}
	for _, w := range want.Properties {
		i := slices.IndexFunc(got.Properties, func(p schema.Property) bool { return p.Name == w.Name && p.Required == w.Required })
		if i < 0 {
			t.Errorf("%s has no %s", at, w.Name)
			continue
		}
		same(t, at+"."+w.Name, got.Properties[i].Node, w.Node)
	}
	if want.Items != nil {
		same(t, at+"[]", got.Items, want.Items)
	}
}
