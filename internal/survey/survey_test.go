package survey

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write writes the files of a project.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A project is known by what it depends on, however that is written, and never by what only
// looks alike.
func TestProjects(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a list":               {"pyproject.toml", "dependencies = [\n  \"openai>=2\", 'LangGraph[x]~=1',\n]", "openai langgraph"},
		"a table":              {"pyproject.toml", "[tool.poetry.dependencies]\npydantic_ai = \"^1\"\n", "pydantic-ai"},
		"lines":                {"requirements.txt", "openai-agents==0.1\n# crewai\nmcp ; python_version > '3'\n", "openai-agents mcp"},
		"other packages":       {"requirements.txt", "openai-tools\nmy-langchain\nlangchain-foo\n", ""},
		"packages":             {"package.json", `{"dependencies": {"ai": "5"}, "devDependencies": {"@langchain/core": "1", "aim": "1"}}`, "ai @langchain/core"},
		"no package.json":      {"package.json", `{"dependencies": [`, ""},
		"a list of them":       {"package.json", `{"dependencies": ["ai"]}`, ""},
		"modules":              {"go.mod", "module m\n\nrequire github.com/modelcontextprotocol/go-sdk v1.0.0\nrequire (\n\tgithub.com/openai/openai-go/v3 v3.1.0 // indirect\n)", "github.com/modelcontextprotocol/go-sdk github.com/openai/openai-go"},
		"another file's names": {"setup.cfg", "openai", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range projects(write(t, map[string]string{test.file: test.text})) {
				for _, l := range p.Libraries {
					got = append(got, l.Name)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Every way that a library has is one that init can speak of.
func TestWays(t *testing.T) {
	for _, known := range []map[string][]Way{python, javascript, golang} {
		for name, ways := range known {
			if len(ways) == 0 || slices.Contains(ways, "") {
				t.Errorf("%s has the ways %v", name, ways)
			}
		}
	}
}
