package api

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// TestSchemathesis sends what the description allows, and what it doesn't, and
// holds every answer to it.
func TestSchemathesis(t *testing.T) {
	config, err := filepath.Abs(filepath.Join("testdata", "schemathesis.toml"))
	must(t, err)
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`)
	p := mcptest.Python(t, filepath.Join("venv", "bin", "schemathesis"), "--config-file", config, "run", b.http.URL+"/openapi.yaml",
		"--header", "Authorization: Bearer operator")
	if testing.Short() {
		// The others go on for half a minute, whatever they find.
		p.Command = append(p.Command, "--phases", "examples,coverage")
	}
	c := exec.CommandContext(t.Context(), p.Command[0], p.Command[1:]...)
	c.Dir = t.TempDir()
	c.Env = append(c.Environ(), "NO_PROXY=*", "no_proxy=*")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, b.log)
	}
	if report, err := b.store.Verify(t.Context()); err != nil || !report.OK() {
		t.Errorf("the log afterwards: %+v, %v", report, err)
	}
}
