package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/atomicfile"
)

// A file is written new and over another one, and nothing is left beside it,
// even if it can't be written.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	for _, text := range []string{"one", "two"} {
		if err := atomicfile.Write(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "b"), nil, 0o600); err == nil {
		t.Error("a directory became a file")
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "c"), nil, 0o600); err == nil {
		t.Error("a directory was made")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("beside it are %v, %v", entries, err)
	}
}
