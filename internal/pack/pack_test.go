package pack_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// recorded returns the definitions of a pack's server as they were reviewed.
func recorded(t *testing.T, name string) *schema.Catalogue {
	t.Helper()
	file := filepath.Join("..", "..", "eval", "packs", name, "tools.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	c.Server = name
	return c
}

func packs(t *testing.T) []*pack.Pack {
	t.Helper()
	out, err := pack.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("there are only %d packs", len(out))
	}
	return out
}

func TestEveryPackFitsItsServer(t *testing.T) {
	for _, p := range packs(t) {
		t.Run(p.Name, func(t *testing.T) {
			c := recorded(t, p.Name)
			found := p.Compare(c)
			if len(found.Reviewed) != len(c.Tools) || len(found.Changed)+len(found.New)+len(found.Gone) > 0 {
				t.Errorf("the pack doesn't cover the definitions that it was made for: %+v", found)
			}
			if file := p.File().Position.File; file != p.Name+".yaml" {
				t.Errorf("the file of the pack is called %s", file)
			}

			f := pack.Set{p}.Contract(c)
			for _, finding := range contract.Lint(f, c) {
				if finding.Severity != contract.SevereInfo {
					t.Error(finding)
				}
			}
		})
	}
}

// Copying a definition gains nothing: the operator selects the pack.
func TestACopiedDefinitionSelectsNothing(t *testing.T) {
	c := recorded(t, "slack")
	set, err := pack.Select("", []string{"npx", "-y", "slack-mcp-evil"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(synth.Contract(c), set.Contract(c)); diff != "" {
		t.Errorf("the server's own words changed its contracts (-synthesized +is):\n%s", diff)
	}
	if got := set.Reviewed(c); len(got) > 0 {
		t.Errorf("%d definitions count as reviewed", len(got))
	}
}

func TestAnotherDefinitionGetsSynthesis(t *testing.T) {
	c := recorded(t, "slack")
	one, err := pack.Named("slack")
	if err != nil {
		t.Fatal(err)
	}
	set := pack.Set{one}
	post, _ := c.Tool("slack_post_message")
	post.Fingerprint = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

	f := set.Contract(c)
	got, _ := f.Tool("slack_post_message")
	want := synth.Tool(post, c)
	const why = "the pack slack reviewed another definition of this tool (version 2025.4.25), and synthesis differs (! may allow more): "
	if _, how, ok := strings.Cut(got.Review, why); !ok || !strings.HasPrefix(how, "! output trust: EXTERNAL → TOOL_OUTPUT; ") {
		t.Errorf("the mark doesn't say how the contract differs: %q", got.Review)
	}
	want.Review = got.Review
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("the contract is not the synthesized one (-want +is):\n%s", diff)
	}
	if other, _ := f.Tool("slack_list_channels"); len(other.Output.Certify) != 1 || other.Review != "" {
		t.Errorf("the other tools lost the pack's contracts: %+v", other)
	}
	if slices.Contains(set.Reviewed(c), post.Fingerprint) {
		t.Error("the definition counts as reviewed")
	}

	if said := set.Differs(post, c, nil); said == "" || !strings.Contains(got.Review, said) {
		t.Errorf("a report differs from the mark: %q", said)
	}
	if said := set.Differs(post, c, f); said == "" {
		t.Error("a contract with a mark counts as settled")
	}
	settled := f.Clone()
	mine, _ := settled.Tool("slack_post_message")
	mine.Review = ""
	if said := set.Differs(post, c, settled); said != "" {
		t.Errorf("what a person has settled is reported again: %q", said)
	}

	found := one.Compare(c)
	if len(found.Changed) != 1 || found.Changed[0].Tool != "slack_post_message" || len(found.Changed[0].Contract) == 0 {
		t.Errorf("the difference is not reported: %+v", found)
	}
}

// What a package can gain by being in a pack is bounded, also when an attacker takes it over.
func TestNoPackTrustsAServerAsAPerson(t *testing.T) {
	for _, p := range packs(t) {
		for _, tool := range p.File().Tools {
			for _, f := range tool.Output.Fields {
				if f.Trust > label.ToolOutput {
					t.Errorf("%s: %s: %s is %s", p.Name, tool.Name, f.Pattern, f.Trust)
				}
			}
			if tool.Output.Trust > label.ToolOutput {
				t.Errorf("%s: the output of %s is %s", p.Name, tool.Name, tool.Output.Trust)
			}
		}
	}
}

const header = `pack: x
about: a server
registry: npm
package: x
start: x
versions: ["1"]
licence: MIT
source: https://x.example
`

func TestMistakesInPacks(t *testing.T) {
	const print = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	tool := func(more string) string {
		return header + "---\nversion: 1\nserver: x\ntools:\n  a:\n    effect: read\n    fingerprint: " + print + "\n" + more
	}
	if _, err := pack.Load("x.yaml", []byte(tool("    output: {trust: TOOL_OUTPUT}\n"))); err != nil {
		t.Fatalf("a pack that is in order: %v", err)
	}

	for _, c := range []struct{ name, text, want string }{
		{"no header", "version: 1\nserver: x\n", "write a line ---"},
		{"no package", strings.Replace(tool(""), "package: x\n", "", 1), "package is missing"},
		{"neither a program nor a listing", strings.Replace(tool(""), "start: x\n", "", 1), "start is missing"},
		{"a file outside", strings.Replace(tool(""), "registry: npm", "registry: npm\nfiles: {../x: y}", 1), "leads out of it"},
		{"another registry", strings.Replace(tool(""), "registry: npm", "registry: crates", 1), `registry`},
		{"a mistake in the contracts", tool("    outputs: {}\n"), "x.yaml:16"},
		{"an output that is the user's", tool("    output: {trust: USER}\n"), "more trust than"},
		{"a field that is the user's", tool("    output: {trust: EXTERNAL, fields: {/a: TRUSTED}}\n"), "more trust than"},
		{"settled members", strings.Replace(tool("    output: {trust: EXTERNAL}\n"), "tools:", "settled: [id]\ntools:", 1), "for the whole file"},
		{"sinks that are off for all", strings.Replace(tool("    output: {trust: EXTERNAL}\n"), "tools:", "sinks: off\ntools:", 1), "for the whole file"},
		{"no fingerprint", strings.Replace(tool("    output: {trust: EXTERNAL}\n"), "    fingerprint: "+print+"\n", "", 1), "a has no fingerprint"},
		{"a mark", tool("    review: look\n    output: {trust: EXTERNAL}\n"), "marks of a deployment"},
		{"a fingerprint without a contract", strings.Replace(tool("    output: {trust: EXTERNAL}\n"), "---\n", "definitions:\n  b: ["+print+"]\n---\n", 1), "fingerprints of b"},
	} {
		if _, err := pack.Load("x.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
