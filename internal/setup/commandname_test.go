package setup

import (
	"strings"
	"testing"
)

// A server is named after what it is, not after how it is started.
func TestCommandName(t *testing.T) {
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
		if got := CommandName(strings.Fields(command)); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
