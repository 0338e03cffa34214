package atomicfile_test

import (
	"errors"
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

// A file that is replaced keeps its link and its mode, and one that says something else by
// then stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("one"), 0o600), os.Symlink("a.txt", link)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(link, []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(link, []byte("one"), []byte("three")); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("a change was undone: %v", err)
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != "two" {
		t.Errorf("it says %q, %v", got, err)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != "a.txt" {
		t.Errorf("the link names %q, %v", to, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("beside it are %v, %v", entries, err)
	}
}
