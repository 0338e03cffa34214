package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

// TestTypeScriptClient builds the TypeScript client, which holds it and its tests to
// their types, and runs its tests against a server that runs. Its package is installed in
// an empty directory, as who wants it does.
func TestTypeScriptClient(t *testing.T) {
	client, node := mcptest.TypeScript(t)
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	env := append(os.Environ(), "NO_PROXY=*", "no_proxy=*")
	run := func(t *testing.T, dir string, args ...string) {
		t.Helper()
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Dir, c.Env = dir, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run(t, client, node, filepath.Join("node_modules", "typescript", "bin", "tsc"), "--build", ".", "test")

	s := serve(t)
	ruled := serve(t, "--contracts", files(t, "shop.yaml", clientContracts), "--policies", files(t, "cancel.yaml", clientRules))
	env = append(env, "REMIT_URL="+s.url, "REMIT_TOKEN="+s.token, "REMIT_OTHER_TOKEN="+s.newToken(t, program(t, "remit"), "other", "sessions:read"),
		"REMIT_RULED_URL="+ruled.url, "REMIT_RULED_TOKEN="+ruled.token)
	t.Run("types", func(t *testing.T) { run(t, client, node, filepath.Join("scripts", "types.mjs"), "--check") })
	t.Run("tests", func(t *testing.T) { run(t, client, node, "--enable-source-maps", "--test", "build") })
}
