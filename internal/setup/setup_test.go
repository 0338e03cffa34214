package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp/clients"
)

const servers = `{"mcpServers": {
  "notes": {"command": "npx", "args": ["-y", "notes-mcp"], "env": {"NOTES_TOKEN": "hunter2hunter2"}},
  "web": {"url": "https://web.example/mcp?key=0123456789"}
}}
`

// client writes a client's file and returns it with the options for a setup.
func client(t *testing.T) (*clients.File, Options) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(name, []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := clients.Parse(name, []byte(servers))
	if err != nil {
		t.Fatal(err)
	}
	return f, Options{Out: filepath.Join(dir, "remit.yaml"), Store: filepath.Join(dir, "remit.db"), Program: "/usr/bin/remit"}
}

// After Apply and Remove a client's file is what it was, byte by byte.
func TestRemoveUndoesApply(t *testing.T) {
	f, o := client(t)
	applied, err := o.Apply(f, []byte(servers))
	if err != nil || applied.Backup == "" || len(applied.Notes) != 2 {
		t.Fatalf("got %+v, %v", applied, err)
	}

	text, err := os.ReadFile(f.Name)
	if err != nil {
		t.Fatal(err)
	}
	behind, err := clients.Parse(f.Name, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range behind.Servers {
		if s.Gateway() == nil {
			t.Errorf("%s is not behind Remit", s.Name)
		}
	}

	removed, err := o.Remove(behind, text)
	if err != nil || !removed.Changed || len(removed.Stay) > 0 {
		t.Errorf("got %+v, %v", removed, err)
	}
	if got, err := os.ReadFile(f.Name); err != nil || string(got) != servers {
		t.Errorf("got %s, %v", got, err)
	}
}

// A configuration refers to secrets by variables, and doesn't have their values.
func TestConfigureCopiesNoSecret(t *testing.T) {
	f, o := client(t)
	out, err := o.Configure(f)
	if err != nil || out.Servers != 2 || len(out.Variables) != 2 {
		t.Fatalf("got %+v, %v", out, err)
	}

	text, err := os.ReadFile(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "0123456789"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is in the configuration:\n%s", secret, text)
		}
	}
}
