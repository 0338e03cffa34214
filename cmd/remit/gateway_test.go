package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Servers are called after what they are, not after how they are started.
func TestServerName(t *testing.T) {
	for command, want := range map[string]string{
		"node a/build/index.js":                                            "a",
		"node /home/ann/b/build/index.js":                                  "b",
		"npx -y @playwright/mcp@latest":                                    "playwright",
		"npx -y @stripe/mcp --tools=all":                                   "stripe",
		"npx -y @modelcontextprotocol/server-filesystem /srv/notes":        "filesystem",
		"npx --package=@acme/tools -y acme-mcp":                            "acme-mcp",
		"npx -p @acme/tools acme":                                          "acme",
		"docker run -i --rm -e A -e B=c -v /x:/y ghcr.io/github/mcp-x:1.2": "mcp-x",
		"docker run -e A mcp/fetch":                                        "fetch",
		"python3.9 -m mcp_server_time":                                     "mcp_server_time",
		"python -m mcp":                                                    "mcp",
		"/usr/bin/python3 /opt/notes/server.py":                            "notes",
		"uvx mcp-server-git --repository /srv/repo":                        "git",
		"uvx --from git+https://git.example/x/y.git":                       "y",
		"uvx --from git+https://git.example/x/y.git y-server":              "y-server",
		"uv --directory /srv/weather run weather.py":                       "weather",
		"pnpm dlx notes-mcp":                                               "notes-mcp",
		"env KEY=value notes-server":                                       "notes-server",
		"sh server.sh":                                                     "server.sh",
		"./server":                                                         "server",
		`C:\\tools\\notes.exe`:                                             "notes",
		"npx":                                                              "npx",
		"/":                                                                "server",
	} {
		if got := serverName(strings.Fields(command)); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
