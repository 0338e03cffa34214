package synth

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

// toolCase is a tool and what its contract has to be; testdata/cases/floors.txt says
// how it is written.
type toolCase struct {
	name      string // file and tool
	catalogue *schema.Catalogue
	effects   []string
	args      []argCase
}

type argCase struct {
	pattern string
	roles   []string
	floor   string
}

var argCaseLine = regexp.MustCompile(`^  (\S+?)(\*?) ([\w|:-]+(?:\(.*\))?)(\[\])?(?: \| ?(.*?))?(?: \| ?((?:any|[a-z, ]+) [A-Z_]+))?(?:  # .*)?$`)

// cases reads the files of testdata/cases.
func cases(t *testing.T) []*toolCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var out []*toolCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range regexp.MustCompile(`(?m)^[^#\s].*\n(?:  .*\n)*`).FindAllString(string(data), -1) {
			out = append(out, readCase(t, filepath.Base(file), strings.Split(strings.TrimSuffix(text, "\n"), "\n")))
		}
	}
	return out
}

func readCase(t *testing.T, file string, lines []string) *toolCase {
	t.Helper()
	head := strings.Split(lines[0], " | ")
	if len(head) != 3 {
		t.Fatalf("%s: %q is not TOOL | description | effects", file, lines[0])
	}
	c := &toolCase{name: file + " " + head[0], effects: strings.Split(head[2], ", ")}
	properties := map[string]any{}
	required := []string{}
	for _, line := range lines[1:] {
		m := argCaseLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("%s: %q is not an argument", c.name, line)
		}
		pattern, inside := strings.CutPrefix(m[1], "/")
		if !inside {
			properties[m[1]] = caseNode(m[3], m[4] != "", m[5])
		}
		if m[2] != "" {
			required = append(required, m[1])
		}
		if i := strings.LastIndexByte(m[6], ' '); i > 0 {
			c.args = append(c.args, argCase{"/" + pattern, strings.Split(m[6][:i], ", "), m[6][i+1:]})
		}
	}
	c.catalogue = catalogue(t, map[string]any{
		"name": head[0], "description": head[1],
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": required},
	})
	return c
}

func caseNode(kind string, list bool, description string) map[string]any {
	node := map[string]any{"type": strings.Split(kind, "|")}
	if values, ok := strings.CutPrefix(kind, "enum("); ok {
		node["type"], node["enum"] = "string", strings.Split(strings.TrimSuffix(values, ")"), ",")
	}
	if base, format, ok := strings.Cut(kind, ":"); ok {
		node["type"], node["format"] = base, format
	}
	if json, ok := strings.CutPrefix(kind, "json("); ok {
		node = parseNode(strings.TrimSuffix(json, ")"))
	}
	if list {
		node = map[string]any{"type": "array", "items": node}
	}
	if description != "" {
		node["description"] = description
	}
	return node
}

func parseNode(text string) map[string]any {
	var node map[string]any
	if err := json.Unmarshal([]byte(text), &node); err != nil {
		return map[string]any{"type": err.Error()}
	}
	return node
}

// TestCases holds every case to what it says, by the rules alone.
func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		tool := Estimated(Estimates{}, c.catalogue).Tools[0]
		effect := string(tool.Effect)
		inward := "inward"
		if tool.Effect.Outward() {
			inward = "outward"
		}
		if !slices.ContainsFunc(c.effects, func(e string) bool { return e == effect || e == inward || e == "any" }) {
			t.Errorf("%s: %s, want %v (%s)", c.name, effect, c.effects, tool.Why)
		}
		for _, a := range c.args {
			got := find(tool.Args, a.pattern)
			role := got.Role.String()
			right := slices.Contains(a.roles, role) || slices.Contains(a.roles, "any")
			if !right || got.Floor.String() != a.floor {
				t.Errorf("%s %s (%s): %s %s, want %v %s (%s)", c.name, a.pattern, effect, role, got.Floor, a.roles, a.floor, got.Why)
			}
		}
	}
}
