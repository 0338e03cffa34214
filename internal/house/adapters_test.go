package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdapters finds adapters of the Python client that lack what people look for: an
// example, the extra that installs the framework, and a place in the guide.
func TestAdapters(t *testing.T) {
	client := filepath.Join(root, "clients", "python")
	text := func(path ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{client}, path...)...))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	modules, err := filepath.Glob(filepath.Join(client, "src", "remit_client", "*.py"))
	if err != nil {
		t.Fatal(err)
	}

	adapters := 0
	for _, module := range modules {
		name := strings.TrimSuffix(filepath.Base(module), ".py")
		if !strings.Contains(text("src", "remit_client", name+".py"), "\ndef protect(") {
			continue
		}
		adapters++
		if example := text("examples", "with_"+name+".py"); !strings.Contains(example, "remit_client."+name) {
			t.Errorf("examples/with_%s.py doesn't use the adapter", name)
		}
		if !strings.Contains(text("pyproject.toml"), "\n"+strings.ReplaceAll(name, "_", "-")+" = [") {
			t.Errorf("pyproject.toml has no extra for %s", name)
		}
		if !strings.Contains(text("README.md"), "remit_client."+name) {
			t.Errorf("README.md doesn't show %s", name)
		}
	}
	if adapters < 6 {
		t.Errorf("%d adapters were found: the test looks in the wrong place", adapters)
	}
}
