package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files without a case have no rates.
func TestNoLabelledCase(t *testing.T) {
	for name, text := range map[string]string{"labels.jsonl": "\n", "cases.jsonl": `{"id": "a"}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if name == "labels.jsonl" {
			_, err = Roles(Synthesized, dir)
		} else {
			_, err = Provenance(dir)
		}
		if err == nil || !strings.Contains(err.Error(), "holds no labelled case") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
