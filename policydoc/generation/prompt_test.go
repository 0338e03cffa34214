package generation_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/policydoc/prompt"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// library are the tools of the tests.
func library(t testing.TB) guard.Scope {
	t.Helper()
	data, err := os.ReadFile("testdata/library.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.ParseMCP("library.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Scope{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}}
}

func prompts(t testing.TB) *prompt.Set {
	t.Helper()
	p, err := prompt.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheRulesThatThePromptShowsAreRules(t *testing.T) {
	data, err := os.ReadFile("../prompt/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	fences := regexp.MustCompile("(?s)\n```\n(.*?)\n```").FindAllStringSubmatch(string(data), -1)
	if len(fences) < 6 {
		t.Fatalf("only %d examples", len(fences))
	}
	for _, fence := range fences {
		p := guard.Policy{Name: "example"}
		for _, line := range strings.Split(fence[1], "\n") {
			name, value, _ := strings.Cut(line, ": ")
			if e := guard.Written(name, value); name == "require" {
				p.Require = e
			} else {
				p.Variables = append(p.Variables, guard.Variable{Name: name, Value: e})
			}
		}
		tool := "extend_loan"
		if strings.Contains(fence[1], "reason") || strings.Contains(fence[1], "fine\"") {
			tool = "waive_fine"
		}
		if _, err := guard.Compile([]*guard.File{{Tool: tool, Policies: []guard.Policy{p}}}, library(t)); err != nil {
			t.Errorf("%s\n%v", fence[1], err)
		}
	}
}
