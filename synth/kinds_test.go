package synth

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// The files in testdata/kinds describe tools as servers of each kind offer
// them, with the roles that a careful reader gives their arguments. The first
// word is the reader's own; the others could be defended.

type expected struct {
	tool    string
	effects []string
	args    []expectedArg
}

type expectedArg struct {
	pattern string
	roles   []string
}

var argLine = regexp.MustCompile(`^  (\S+?)(\*?) (\S+?(?:\(.*?\))?)(\[\])? \| ?(.*?) ?\| (.+)$`)

// readKinds reads one such file into a catalogue and what is expected of it.
func readKinds(t *testing.T, file string) (*schema.Catalogue, []expected) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tools []map[string]any
	var want []expected
	var properties map[string]any
	for i, line := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			parts := strings.Split(line, " | ")
			if len(parts) != 3 {
				t.Fatalf("%s:%d: not name | description | effects", file, i+1)
			}
			properties = map[string]any{}
			tools = append(tools, map[string]any{
				"name": parts[0], "description": parts[1],
				"inputSchema": map[string]any{"type": "object", "properties": properties, "required": []string{}},
			})
			want = append(want, expected{tool: parts[0], effects: strings.Split(parts[2], ", ")})
			continue
		}
		m := argLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s:%d: not an argument: %s", file, i+1, line)
		}
		node := map[string]any{}
		if values, ok := strings.CutPrefix(m[3], "enum("); ok {
			node["type"], node["enum"] = "string", strings.Split(strings.TrimSuffix(values, ")"), ",")
		} else {
			node["type"] = m[3]
		}
		if m[4] != "" {
			node = map[string]any{"type": "array", "items": node}
		}
		if m[5] != "" {
			node["description"] = m[5]
		}
		properties[m[1]] = node
		if m[2] != "" {
			in := tools[len(tools)-1]["inputSchema"].(map[string]any)
			in["required"] = append(in["required"].([]string), m[1])
		}
		w := &want[len(want)-1]
		w.args = append(w.args, expectedArg{"/" + m[1], strings.Split(m[6], ", ")})
	}
	text, err := json.Marshal(map[string]any{"tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse(filepath.Base(file), text)
	if err != nil {
		t.Fatal(err)
	}
	return c, want
}

func authority(role string) bool {
	return role == "target" || role == "command" || role == "credential"
}

func TestKindsOfServers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "kinds", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	var args, strict, lenient, reviewed, tools, effects int
	for _, file := range files {
		c, want := readKinds(t, file)
		f := Contract(c)
		for _, w := range want {
			tool, ok := f.Tool(w.tool)
			if !ok {
				t.Fatalf("%s: no contract for %s", file, w.tool)
			}
			tools++
			if slices.Contains(w.effects, string(tool.Effect)) {
				effects++
			} else {
				t.Logf("%s: effect %s, want %v (%s)", w.tool, tool.Effect, w.effects, tool.Why)
			}
			// An outward tool taken for a harmless one is a hole, not a miss.
			if !slices.ContainsFunc(w.effects, func(e string) bool { return !contract.Effect(e).Outward() }) && !tool.Effect.Outward() {
				t.Errorf("%s: effect %s, want %v (%s)", w.tool, tool.Effect, w.effects, tool.Why)
			}
			for _, a := range w.args {
				got := find(tool.Args, a.pattern)
				if got == nil {
					t.Errorf("%s %s: no contract", w.tool, a.pattern)
					continue
				}
				args++
				role := got.Role.String()
				if got.Review != "" {
					reviewed++
				}
				switch {
				case role == a.roles[0]:
					strict++
					lenient++
				case slices.Contains(a.roles, role):
					lenient++
				default:
					t.Logf("%s %s: %s, want %v (%s) %s", w.tool, a.pattern, role, a.roles, got.Why, got.Review)
				}
				if authority(a.roles[0]) && !authority(role) && got.Review == "" {
					t.Errorf("%s %s: authority taken for %s, want %v (%s)", w.tool, a.pattern, role, a.roles, got.Why)
				}
				if got.Why == "" {
					t.Errorf("%s %s: no reason", w.tool, a.pattern)
				}
			}
		}
	}
	t.Logf("%d arguments of %d tools: strict %.3f, lenient %.3f, reviewed %.3f; effects %.3f", args, tools,
		float64(strict)/float64(args), float64(lenient)/float64(args), float64(reviewed)/float64(args), float64(effects)/float64(tools))
	if float64(strict)/float64(args) < 0.85 || float64(lenient)/float64(args) < 0.95 {
		t.Errorf("below 0.85 strict or 0.95 lenient")
	}
}

func find(args []contract.Arg, pattern string) *contract.Arg {
	for i := range args {
		if args[i].Pattern == pattern {
			return &args[i]
		}
	}
	return nil
}
