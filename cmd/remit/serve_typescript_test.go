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
	run := func(t *testing.T, dir string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run(t, client, node, filepath.Join("node_modules", "typescript", "bin", "tsc"), "--build", ".", "test")

	s := serve(t)
	ruled := serve(t, "--contracts", files(t, "shop.yaml", clientContracts), "--policies", files(t, "cancel.yaml", clientRules))
	env = append(env, "REMIT_URL="+s.url, "REMIT_TOKEN="+s.token, "REMIT_OTHER_TOKEN="+s.newToken(t, program(t, "remit"), "other", "sessions:read"),
		"REMIT_RULED_URL="+ruled.url, "REMIT_RULED_TOKEN="+ruled.token)
	t.Run("types", func(t *testing.T) { run(t, client, node, filepath.Join("scripts", "types.mjs"), "--check") })
	t.Run("tests", func(t *testing.T) { run(t, client, node, "--enable-source-maps", "--test", "build") })
	t.Run("package", func(t *testing.T) {
		fresh := t.TempDir()
		run(t, client, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", fresh)
		packed, err := filepath.Glob(filepath.Join(fresh, "remit-client-*.tgz"))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(fresh, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
		// The client needs no other package; what the examples need is linked.
		run(t, fresh, append([]string{"npm", "install", "--offline", "--ignore-scripts", "--loglevel", "error"}, packed...)...)
		for _, name := range []string{"dist/index.d.ts", "dist/index.d.ts.map", "dist/index.js.map", "src/index.ts", "README.md"} {
			if _, err := os.Stat(filepath.Join(fresh, "node_modules", "remit-client", filepath.FromSlash(name))); err != nil {
				t.Error(err)
			}
		}
		must(t, mcptest.LinkFrameworks(client, fresh))
		examples, err := filepath.Glob(filepath.Join(client, "..", "..", "examples", "typescript", "*.js"))
		must(t, err)
		for _, example := range examples {
			text, err := os.ReadFile(example)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(fresh, filepath.Base(example)), text, 0o600))
		}
		for _, example := range examples {
			name := filepath.Base(example)
			if name == "office.js" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				out := run(t, fresh, node, name)
				for _, want := range []string{"stopped, and the model reads:\n  The call of send_email was held back", "sent to ann@corp.example\n"} {
					if !strings.Contains(out, want) {
						t.Errorf("it doesn't say %q:\n%s", want, out)
					}
				}
			})
		}
	})
}
