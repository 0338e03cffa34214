package pack_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages of the documentation")

// The documentation has a page for each pack, and none for others.
func TestPages(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "packs")
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := packs(t)
	if !*update && len(pages) != len(all) {
		t.Errorf("there are %d pages for %d packs", len(pages), len(all))
	}

	for _, p := range all {
		page := filepath.Join(dir, p.Name+".md")
		if *update {
			if err := os.WriteFile(page, []byte(p.Page()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.Page(), string(got)); diff != "" {
			t.Errorf("%s is not the pack's: run go test ./internal/pack -update (-want +is):\n%s", page, diff)
		}
	}
}
