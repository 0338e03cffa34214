package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

// published lists the catalogues of the published data sets, or skips.
func published(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("REMIT_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data sets in %s: set REMIT_DATA to the directory that holds them", dir)
	}
	var files []string
	for _, pattern := range []string{"mcp-tools/*.json", "agentdojo/*/tools_*.json", "airline/tools.openai.json", "injecagent/tools.dev.json"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if !strings.HasSuffix(f, ".dev.json") { // what a reader says of contracts is not a catalogue
				files = append(files, f)
			}
		}
	}
	// What people wrote about the definitions lies beside them.
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "disagreements.dev.json") })
}

func TestPublishedCatalogues(t *testing.T) {
	for _, file := range published(t) {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := schema.Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Tools) == 0 {
				t.Fatal("no tools")
			}
			leaves := 0
			for i := range c.Tools {
				tool := &c.Tools[i]
				if !strings.HasPrefix(tool.Fingerprint, "sha256:") {
					t.Errorf("%s has fingerprint %q", tool.Name, tool.Fingerprint)
				}
				for _, leaf := range tool.Leaves() {
					leaves++
					if !tool.Accepts(leaf.Pattern) {
						t.Errorf("%s: %s is a leaf that Accepts refuses", tool.Name, leaf.Pattern)
					}
					if leaf.Path[0] != tool.Input || leaf.Path[len(leaf.Path)-1] != leaf.Node {
						t.Errorf("%s: %s: the path doesn't lead from the input to the node", tool.Name, leaf.Pattern)
					}
				}
				if tool.Accepts("/no such argument") {
					t.Errorf("%s accepts an argument that it doesn't list", tool.Name)
				}
			}
			t.Logf("%d tools, %d leaves", len(c.Tools), leaves)
		})
	}
}
