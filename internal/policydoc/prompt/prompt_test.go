package prompt_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/schema"
)

func TestPromptsOfOneDirectoryReplaceThoseThatComeWithRemit(t *testing.T) {
	builtin, err := prompt.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	own := fstest.MapFS{"route.md": {Data: []byte(`{{define "system"}} Sort. {{end}}{{define "request"}}{{.}}{{end}}`)}}
	replaced, err := prompt.Load(own)
	if err != nil {
		t.Fatal(err)
	}
	text, err := replaced.Render("route", nil, "these")
	if want := (prompt.Text{System: "Sort.", Request: "these"}); err != nil || text != want {
		t.Errorf("Render = %+v, %v; want %+v", text, err, want)
	}
	if a, b := builtin.Version("route"), replaced.Version("route"); a == b || !strings.HasPrefix(b, "custom:") {
		t.Errorf("the versions are %q and %q", a, b)
	}
}

func TestMistakesInPromptsAreToldByFile(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a stage that there isn't":      {"rout.md", `{{define "system"}}{{end}}{{define "request"}}{{end}}`, "there is no such stage; the stages are"},
		"a part is missing":             {"route.md", `{{define "system"}}{{end}}`, `route.md: write {{define "request"}}`},
		"what is said later is missing": {"rule.md", `{{define "system"}}{{end}}{{define "request"}}{{end}}`, "rule.md: write {{define"},
		"no template":                   {"route.md", `{{define "system"`, "route.md:1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prompt.Load(fstest.MapFS{c.file: {Data: []byte(c.text)}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load says %v, want %q", err, c.want)
			}
		})
	}
}

func ExampleDefinition() {
	c, err := schema.ParseMCP("hire", []byte(`[{"name": "hire_tool", "description": "Hires a tool\n out.", "inputSchema": {"type": "object",
		"properties": {
			"days": {"type": "integer", "description": "For how long."},
			"kind": {"enum": ["hand", "power"], "type": "string"},
			"extras": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
			"prices": {"type": "object", "additionalProperties": {"type": "object", "properties": {"net": {"type": "number"}}}}},
		"required": ["days", "kind"]}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(prompt.Definition(&c.Tools[0]))
	// Output:
	// hire_tool: Hires a tool out.
	// arguments:
	//   - days: integer. For how long.
	//   - kind: string, one of "hand", "power"
	//   - extras: list of object, optional
	//     - name: string
	//   - prices: map from names to object, optional
	//     - net: number, optional
}

func ExampleOutline() {
	fmt.Println(prompt.Outline(parcel()))
	// Output:
	// {id: string; parts: map from names to {price: number; size?: string (seen so far: "S","L")}; tags: list of string}
}

func ExampleVariable() {
	fmt.Println(prompt.Variable(parcel()))
	// Output:
	// [/parts/*/size: may be missing, seen so far: "S","L"]
}

// parcel is what a tool returned so far.
func parcel() *schema.Node {
	text := func(seen string) *schema.Node { return &schema.Node{Types: []string{"string"}, Description: seen} }
	part := &schema.Node{Types: []string{"object"}, Properties: []schema.Property{
		{Name: "price", Required: true, Node: &schema.Node{Types: []string{"number"}}},
		{Name: "size", Node: text(`seen so far: "S","L"`)},
	}}
	return &schema.Node{Types: []string{"object"}, Properties: []schema.Property{
		{Name: "id", Required: true, Node: text("")},
		{Name: "parts", Required: true, Node: &schema.Node{Types: []string{"object"}, Additional: part}},
		{Name: "tags", Required: true, Node: &schema.Node{Types: []string{"array"}, Items: text("")}},
	}}
}
