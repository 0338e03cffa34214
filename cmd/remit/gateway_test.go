package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes", "more"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "server.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := directories([]string{dir, "server.js", "notes", "--root=more", "--verbose", "-x=", "nowhere", filepath.Join(dir, "notes")}, dir)
	want := []string{filepath.Join(dir, "notes"), filepath.Join(dir, "more"), filepath.Join(dir, "notes")}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
