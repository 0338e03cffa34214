package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

// A person who edits a contract file while a server runs is warned that the edit doesn't hold, and
// where the mistake is.
func TestListingOfMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nserver: notes\ntols: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l := &listing{map[string]string{"notes": file}, slog.New(slog.NewTextHandler(&log, nil))}
	l.take(&schema.Catalogue{Server: "notes"}, nil)
	for _, want := range []string{"level=WARN", "what it says doesn't hold", "notes.yaml:3:"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in %s", want, &log)
		}
	}
}
