package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp/mcptest"
)

type toolCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// packaged is a server from its package, with what an agent does there.
type packaged struct {
	name    string
	program mcptest.Program
	tools   []string // some of its tools
	// review is what a person changes in its contract: old text, new text.
	review []string
	// fine is a call that goes through, returned a part of its result.
	fine     toolCall
	returned string
	// held is a call that a person has to agree to, done a part of its result then; no tool where
	// no question is asked.
	held toolCall
	done string
}

// servers are eight servers from their packages. What they work on is below dir,
// and the page is for one of them to fetch.
func servers(t *testing.T, dir, page string) []packaged {
	t.Helper()
	repo, notes := filepath.Join(dir, "repo"), filepath.Join(dir, "notes")
	git(t, dir, "init", "--quiet", repo)
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(repo, "new.txt"), filepath.Join(notes, "tea.txt")} {
		if err := os.WriteFile(f, []byte("Green, not black.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	memory := mcptest.NPM(t, "memory")
	memory.Env = append(memory.Env, "MEMORY_FILE_PATH="+filepath.Join(dir, "memory.jsonl"))
	return []packaged{
		{
			name: "everything", program: mcptest.NPM(t, "everything"), tools: []string{"echo", "get-sum"},
			fine: toolCall{"get-sum", map[string]any{"a": 2, "b": 3}}, returned: "is 5",
			held: toolCall{"gzip-file-as-resource", map[string]any{"name": "x.gz", "data": "data:text/plain,x", "outputType": "resourceLink"}},
		},
		{
			name: "filesystem", program: mcptest.NPM(t, "filesystem", notes), tools: []string{"read_text_file", "write_file"},
			fine: toolCall{"read_text_file", map[string]any{"path": filepath.Join(notes, "tea.txt")}}, returned: "Green",
			held: toolCall{"write_file", map[string]any{"path": filepath.Join(notes, "x.txt"), "content": "x"}}, done: "wrote",
		},
		{
			name: "memory", program: memory, tools: []string{"read_graph", "create_entities"},
			fine: toolCall{"read_graph", map[string]any{}}, returned: "entities",
			held: toolCall{"delete_entities", map[string]any{"entityNames": []string{"Ann"}}}, done: "deleted",
		},
		{
			name: "sequential-thinking", program: mcptest.NPM(t, "sequential-thinking"), tools: []string{"sequentialthinking"},
			fine:     toolCall{"sequentialthinking", map[string]any{"thought": "Tea.", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}},
			returned: "thoughtHistoryLength",
		},
		{
			name: "git", program: mcptest.PyPI(t, "git", "--repository", repo), tools: []string{"git_status", "git_commit"},
			fine: toolCall{"git_status", map[string]any{"repo_path": repo}}, returned: "new.txt",
			held: toolCall{"git_add", map[string]any{"repo_path": repo, "files": []string{"new.txt"}}}, done: "staged",
		},
		{
			name: "fetch", program: mcptest.PyPI(t, "fetch", "--allow-private-ips", "--ignore-robots-txt"), tools: []string{"fetch"},
			review: []string{"server: fetch\n", "server: fetch\nunprovoked: off\n", "form: url,", "form: url, allow: [" + page + "],"},
			fine:   toolCall{"fetch", map[string]any{"url": page}}, returned: "first flush",
			held: toolCall{"fetch", map[string]any{"url": page + "?q=x"}}, done: "first flush",
		},
		{
			name: "time", program: mcptest.PyPI(t, "time"), tools: []string{"get_current_time"},
			fine: toolCall{"get_current_time", map[string]any{"timezone": "Europe/Paris"}}, returned: "Europe/Paris",
		},
		{
			name: "sqlite", program: mcptest.PyPI(t, "sqlite", "--db-path", filepath.Join(dir, "tea.db")), tools: []string{"list_tables", "write_query"},
			fine: toolCall{"list_tables", map[string]any{}}, returned: "[]",
			held: toolCall{"create_table", map[string]any{"query": "CREATE TABLE tea (kind TEXT)"}}, done: "created",
		},
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command(path, append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@corp.example"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// leaves serves the page that is fetched.
func leaves(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("The first flush is here."))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/leaves"
}

// Behind the gateway a server offers its tools, makes the calls that are in
// order, and is not reached by those that aren't unless a person agrees.
func TestServers(t *testing.T) {
	for _, s := range servers(t, t.TempDir(), leaves(t)) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			contracts := t.TempDir()
			command := gatewayArgs("--elicit", "--contracts", contracts, "--name", s.name, "--")
			command = append(command, s.program.Command...)
			p := &person{}
			c := startAgent(t, command, s.program.Env, p.options())
			tools, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range s.tools {
				if !slices.ContainsFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == want }) {
					t.Errorf("no %s in its %d tools", want, len(tools.Tools))
				}
			}
			if s.review != nil {
				edit(t, filepath.Join(contracts, s.name+".yaml"), s.review)
				c = startAgent(t, command, s.program.Env, p.options())
			}
			if bad, text := use(t, c, s.fine); bad || !strings.Contains(text, s.returned) || p.asked.Load() > 0 {
				t.Errorf("%s: %s; asked %d times", s.fine.Tool, text, p.asked.Load())
			}
			if bad, text := use(t, c, toolCall{s.fine.Tool, map[string]any{"nobody": "knows"}}); !refused(bad, text) {
				t.Errorf("with an unknown argument: %s", text)
			}
			if s.held.Tool == "" {
				return
			}
			if bad, text := use(t, c, s.held); !refused(bad, text) || p.asked.Load() != 1 {
				t.Errorf("%s without consent: %s; asked %d times", s.held.Tool, text, p.asked.Load())
			}
			p.agrees.Store(true)
			if bad, text := use(t, c, s.held); bad || !strings.Contains(strings.ToLower(text), s.done) {
				t.Errorf("%s with consent: %s", s.held.Tool, text)
			}
		})
	}
}

// The official SDKs of other languages are as well served by the gateway as
// Go's, over stdio and over HTTP, with several servers behind one. Those from PyPI
// but sqlite speak the generation without sessions, too.
func TestClients(t *testing.T) {
	dir, page := t.TempDir(), leaves(t)
	all := servers(t, dir, page)
	only := func(names ...string) []packaged {
		return slices.DeleteFunc(slices.Clone(all), func(s packaged) bool { return !slices.Contains(names, s.name) })
	}
	for _, c := range []struct {
		name    string
		client  func(job string) mcptest.Program
		mode    string
		http    bool
		servers []packaged
		version string
	}{
		{"python over stdio", python(t), "legacy", false, all, "2025-11-25"},
		{"python over HTTP", python(t), "legacy", true, only("everything", "filesystem", "memory", "sequential-thinking", "sqlite"), "2025-11-25"},
		{"python over stdio, without sessions", python(t), "2026-07-28", false, only("time"), "2026-07-28"},
		{"python over HTTP, without sessions", python(t), "2026-07-28", true, only("git", "fetch", "time"), "2026-07-28"},
		{"typescript over stdio", typescript(t), "", false, only("everything", "filesystem"), ""},
		{"typescript over HTTP", typescript(t), "", true, only("memory", "sequential-thinking"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := configure(t, c.servers, c.http)
			job := map[string]any{"mode": c.mode}
			if c.http {
				job["url"] = listen(t, config)
			} else {
				job["command"] = gatewayArgs("--config", config)
			}
			var calls []toolCall
			var tools []string
			for _, s := range c.servers {
				tools = append(tools, s.tools...)
				calls = append(calls, s.fine)
				if s.held.Tool != "" {
					calls = append(calls, s.held)
				}
			}
			job["calls"], job["tools"] = calls, tools
			said, err := json.Marshal(job)
			if err != nil {
				t.Fatal(err)
			}
			p := c.client(string(said))
			cmd := exec.CommandContext(t.Context(), p.Command[0], p.Command[1:]...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			var got struct {
				Version string
				Tools   []string
				Results []struct {
					IsError bool
					Text    string
				}
			}
			if err := json.Unmarshal(out, &got); err != nil || len(got.Results) != len(calls) || got.Version != c.version {
				t.Fatalf("%v in %s", err, out)
			}
			for _, s := range c.servers {
				for _, tool := range s.tools {
					if !slices.Contains(got.Tools, tool) {
						t.Errorf("%s is not in %q", tool, got.Tools)
					}
				}
				r := got.Results[0]
				got.Results = got.Results[1:]
				// The contracts are not reviewed, and the user did not ask for the page.
				if s.name == "fetch" && !refused(r.IsError, r.Text) || s.name != "fetch" && (r.IsError || !strings.Contains(r.Text, s.returned)) {
					t.Errorf("%s of %s: %s", s.fine.Tool, s.name, r.Text)
				}
				if s.held.Tool != "" {
					if r := got.Results[0]; !refused(r.IsError, r.Text) {
						t.Errorf("%s of %s: %s", s.held.Tool, s.name, r.Text)
					}
					got.Results = got.Results[1:]
				}
			}
		})
	}
}

func python(t *testing.T) func(string) mcptest.Program {
	return func(job string) mcptest.Program { return mcptest.Python(t, "client.py", job) }
}

func typescript(t *testing.T) func(string) mcptest.Program {
	return func(job string) mcptest.Program { return mcptest.Node(t, "client.mjs", job) }
}
