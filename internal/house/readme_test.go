package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeHasTheProgram shows in the README the program that is built with everything else.
func TestReadmeHasTheProgram(t *testing.T) {
	var texts []string
	for _, name := range []string{"README.md", "examples/library/main.go"} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	_, program, found := strings.Cut(texts[1], "\npackage main\n")
	if !found || !strings.Contains(texts[0], "```go\npackage main\n"+program+"```\n") {
		t.Error("README.md doesn't have examples/library/main.go as it is: copy it from its package clause on")
	}
}
