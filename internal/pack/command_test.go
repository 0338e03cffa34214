package pack_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/pack"
)

// A pack is the operator's choice: the command names the package, and nothing in it may replace
// another one.
func TestTheCommandNamesThePackage(t *testing.T) {
	for command, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-filesystem /srv/notes":                             "filesystem",
		"npx @modelcontextprotocol/server-filesystem@latest /srv":                               "filesystem",
		"npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /srv":                         "filesystem",
		"/usr/local/bin/npx --yes @playwright/mcp@latest --headless":                            "playwright",
		`cmd /c npx -y tavily-mcp`:                                                              "tavily",
		`C:\node\npx.cmd -y tavily-mcp`:                                                         "tavily",
		"npm exec -y -- @notionhq/notion-mcp-server":                                            "notion",
		"pnpm dlx @modelcontextprotocol/server-slack":                                           "slack",
		"bunx @modelcontextprotocol/server-memory":                                              "memory",
		"uvx mcp-server-git --repository /src":                                                  "git",
		"uvx mcp-server-git==2026.10.19":                                                        "git",
		"uvx MCP_Server.git":                                                                    "git",
		"uv tool run mcp-server-fetch":                                                          "fetch",
		"pipx run mcp-server-fetch":                                                             "fetch",
		"npx -y server-filesystem":                                                              "",
		"npx -y @modelcontextprotocol/server-filesystem-x":                                      "",
		"npx -y @modelcontextprotocol/server-filesystem@npm:evil":                               "",
		"npx -y @modelcontextprotocol/server-filesystem@https://evil.example/x.tgz":             "",
		"npx -y ./@modelcontextprotocol/server-filesystem":                                      "",
		"npx -y evil/repository @modelcontextprotocol/server-filesystem":                        "",
		"npx --registry https://evil.example @modelcontextprotocol/server-filesystem":           "",
		"npx -p evil @modelcontextprotocol/server-filesystem":                                   "",
		"npx --prefix /tmp/evil @modelcontextprotocol/server-filesystem":                        "",
		"uvx --from evil mcp-server-git":                                                        "",
		"uvx --index-url https://evil.example mcp-server-git":                                   "",
		"uvx --with evil mcp-server-git":                                                        "",
		"uvx git+https://evil.example/mcp-server-git":                                           "",
		"npx mcp-server-git":                                                                    "",
		"uvx tavily-mcp":                                                                        "",
		"node server.js @modelcontextprotocol/server-filesystem":                                "",
		"sh -c npx @modelcontextprotocol/server-filesystem":                                     "",
		"evil @modelcontextprotocol/server-filesystem":                                          "",
		"go run github.com/github/github-mcp-server/cmd/github-mcp-server@v1.8.0 stdio":         "github-official",
		"docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server":                   "github-official",
		"docker run -i --rm ghcr.io/github/github-mcp-server:v1.8.0 stdio":                      "github-official",
		"go run github.com/github/github-mcp-server/cmd/github-mcp-server":                      "",
		"go run github.com/github/github-mcp-server/cmd/mcpcurl@latest":                         "",
		"go run -modfile evil.mod github.com/github/github-mcp-server/cmd/github-mcp-server@v1": "",
		"docker run -v /tmp/evil:/server ghcr.io/github/github-mcp-server":                      "",
		"docker run --entrypoint sh ghcr.io/github/github-mcp-server":                           "",
		"docker run -e ghcr.io/github/github-mcp-server evil":                                   "",
		"docker run evil.example/ghcr.io/github/github-mcp-server":                              "",
		"docker run -i":             "",
		"mcp-server-git":            "",
		"npx":                       "",
		"npx -y":                    "",
		"python3 -m mcp_server_git": "",
		"docker run -i mcp/git":     "",
	} {
		p, err := pack.ForCommand(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if p != nil {
			got = p.Name
		}
		if got != want {
			t.Errorf("%s: the pack is %q, want %q", command, got, want)
		}
	}
}

func TestTheOperatorNamesAPack(t *testing.T) {
	started := strings.Fields("uvx mcp-server-git")
	for name, want := range map[string]string{"": "git", "slack": "slack", "none": ""} {
		s, err := pack.Select(name, started)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(s) > 0 {
			got = s[0].Name
		}
		if got != want {
			t.Errorf("%q selects %q, want %q", name, got, want)
		}
	}
	_, err := pack.Select("slak", started)
	if advice, _ := hint.Of(err); !strings.Contains(advice, "slack?") {
		t.Errorf("a name that no pack has: %v, %q", err, advice)
	}
}

func FuzzForCommand(f *testing.F) {
	f.Add("npx\n-y\n@modelcontextprotocol/server-filesystem@1.2.3")
	f.Add("uv\ntool\nrun\nmcp-server-git")
	f.Fuzz(func(t *testing.T, command string) {
		words := strings.Split(command, "\n")
		p, err := pack.ForCommand(words)
		if err != nil {
			t.Fatal(err)
		}
		if p != nil && !strings.Contains(strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(command)), strings.ReplaceAll(p.Package, ".", "-")) {
			t.Errorf("%q selects %s without naming its package", command, p.Name)
		}
	})
}
