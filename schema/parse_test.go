package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

// input wraps an input schema into a catalogue of one tool, "t".
func input(text string) string { return `{"tools": [{"name": "t", "inputSchema": ` + text + `}]}` }

func parse(t testing.TB, text string) *schema.Catalogue {
	t.Helper()
	c, err := schema.Parse("dir/server.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines shows leaves as "pattern types", with the marks ! required, ? nullable,
// = enumerated and ~ cut.
func lines(leaves []schema.Leaf) []string {
	var out []string
	for _, l := range leaves {
		s := l.Pattern + " " + strings.Join(l.Node.Types, "|")
		if l.Required {
			s += "!"
		}
		if l.Node.Nullable {
			s += "?"
		}
		if len(l.Node.Enum) > 0 {
			s += "=" + strings.Join(l.Node.Enum, ",")
		}
		if l.Node.Cut {
			s += "~"
		}
		out = append(out, s)
	}
	return out
}

func TestForms(t *testing.T) {
	const s = `{"type": "object", "properties": {"a": {"type": "string"}}}`
	for name, text := range map[string]string{
		"tools/list result":      `{"tools": [{"name": "t", "description": "d", "inputSchema": ` + s + `}], "nextCursor": "x"}`,
		"bare MCP list":          `[{"name": "t", "description": "d", "inputSchema": ` + s + `, "toolkit": 1}]`,
		"JSON-RPC response":      `{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "t", "description": "d", "inputSchema": ` + s + `}]}}`,
		"Anthropic list":         `[{"name": "t", "description": "d", "input_schema": ` + s + `}]`,
		"chat completions":       `[{"type": "function", "function": {"name": "t", "description": "d", "parameters": ` + s + `}}]`,
		"chat completions tools": `{"model": "m", "tools": [{"type": "function", "function": {"name": "t", "description": "d", "parameters": ` + s + `}}]}`,
		"responses":              `{"tools": [{"type": "function", "name": "t", "description": "d", "strict": true, "parameters": ` + s + `}]}`,
		"functions":              `{"functions": [{"name": "t", "description": "d", "parameters": ` + s + `}]}`,
		"YAML":                   "tools:\n- name: t\n  description: d\n  inputSchema: {type: object, properties: {a: {type: string}}}\n",
		"byte order mark":        "\ufeff" + `[{"name": "t", "description": "d", "inputSchema": ` + s + `}]`,
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, text)
			if c.Server != "server" || len(c.Tools) != 1 || c.Tools[0].Name != "t" || c.Tools[0].Description != "d" {
				t.Fatalf("%+v", c)
			}
			if got := lines(c.Tools[0].Leaves()); !slices.Equal(got, []string{"/a string"}) {
				t.Errorf("leaves %q", got)
			}
			// The same definition has the same fingerprint in every form.
			if want := parse(t, `[{"inputSchema": `+s+`, "description": "d", "name": "t"}]`).Tools[0].Fingerprint; c.Tools[0].Fingerprint != want {
				t.Error("the fingerprint depends on the form")
			}
		})
	}
}

func TestMCPIsJSONOnly(t *testing.T) {
	if _, err := schema.ParseMCP("f", []byte("tools: []\n")); err == nil {
		t.Error("YAML was read")
	}
	if c, err := schema.ParseMCP("f", []byte(`{"tools": []}`)); err != nil || len(c.Tools) != 0 {
		t.Error(err)
	}
}

func TestAnnotations(t *testing.T) {
	c := parse(t, `[{"name": "t", "inputSchema": {"type": "object"}, "annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false}}]`)
	a := c.Tools[0].Annotations
	if c.Tools[0].Title != "T" || a.ReadOnly == nil || !*a.ReadOnly || a.Destructive == nil || *a.Destructive || a.Idempotent != nil || a.OpenWorld != nil {
		t.Errorf("%+v", c.Tools[0])
	}
}

func TestLeaves(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want         []string
	}{
		{"nothing", `{"type": "object"}`, nil},
		{"no type", `{"properties": {"a": {}}}`, []string{"/a "}},
		{"open input", `{"type": "object", "additionalProperties": true}`, []string{"/* "}},
		{"source order", `{"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer"}}, "required": ["a"]}`, []string{"/z string", "/a integer!"}},
		{"list", `{"type": "object", "properties": {"to": {"type": "array", "items": {"type": "string"}}}, "required": ["to"]}`, []string{"/to/* string!"}},
		{"list of lists", `{"properties": {"m": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}}}`, []string{"/m/*/* number"}},
		{"undescribed", `{"properties": {"o": {"type": "object"}, "l": {"type": "array"}}}`, []string{"/o object", "/l array"}},
		{"nested", `{"properties": {"o": {"type": "object", "properties": {"x": {"type": "string"}}}}}`, []string{"/o/x string"}},
		{"escapes", `{"properties": {"a/b": {"type": "string"}, "c~d": {"type": "string"}, "*": {"type": "string"}, "**": {"type": "string"}, "": {"type": "string"}}}`,
			[]string{"/a~1b string", "/c~0d string", "/~2 string", "/~2~2 string", "/ string"}},
		{"map", `{"properties": {"h": {"type": "object", "additionalProperties": {"type": "string"}}}}`, []string{"/h/* string"}},
		{"open object", `{"properties": {"h": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": true}}}`, []string{"/h/x string", "/h/* "}},
		{"pattern properties", `{"properties": {"h": {"type": "object", "patternProperties": {"^x-": {"type": "string"}, "^y": {"type": "integer"}}, "additionalProperties": false}}}`, []string{"/h/* string|integer"}},
		{"null in types", `{"properties": {"a": {"type": ["string", "null"]}}}`, []string{"/a string?"}},
		{"nullable", `{"properties": {"a": {"type": "string", "nullable": true}}}`, []string{"/a string?"}},
		{"anyOf null", `{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}}}`, []string{"/a string?"}},
		{"only null", `{"properties": {"a": {"type": "null"}}}`, []string{"/a ?=null"}},
		{"empty enum", `{"properties": {"a": {"type": "string", "enum": []}}}`, []string{"/a string"}},
		{"const and enum", `{"properties": {"a": {"const": 1}, "b": {"enum": ["x", null, "x", 1.0]}}}`, []string{`/a =1`, `/b ?="x",1.0`}},
		{"oneOf constants", `{"properties": {"a": {"oneOf": [{"const": "x"}, {"const": "y"}]}}}`, []string{`/a ="x","y"`}},
		{"free branch", `{"properties": {"a": {"anyOf": [{"enum": ["x"]}, {"type": "string"}]}}}`, []string{`/a string`}},
		{"string or list", `{"properties": {"to": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}}`, []string{"/to string", "/to/* string"}},
		{"branches with the same member", `{"properties": {"o": {"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "string"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "b"}, "x": {"type": "integer"}}, "required": ["k"]}]}}, "required": ["o"]}`,
			[]string{`/o/k !="a","b"`, `/o/x string|integer`}},
		{"required branches", `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, []string{"/a string", "/b string"}},
		{"allOf", `{"allOf": [{"type": "object", "properties": {"a": {"type": "string", "description": "x"}}}, {"properties": {"b": {"type": "number"}, "a": {"enum": ["p"]}}, "required": ["a"]}]}`, []string{`/a string!="p"`, "/b number"}},
		{"allOf narrows", `{"properties": {"a": {"allOf": [{"type": ["string", "integer"]}, {"type": "number"}]}, "e": {"allOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]}}}`, []string{"/a integer", "/e =2"}},
		{"ref", `{"$defs": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s", "description": "mine"}}}`, []string{"/a string"}},
		{"definitions and escapes", `{"definitions": {"a/b c": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a~1b%20c"}}}`, []string{"/a string"}},
		{"ref by id", `{"$id": "https://x.test/s", "$defs": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "https://x.test/s#/$defs/s"}}}`, []string{"/a string"}},
		{"recursion", `{"$defs": {"n": {"type": "object", "properties": {"v": {"type": "string"}, "next": {"$ref": "#/$defs/n"}}}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`,
			[]string{"/n/v string", "/n/next/v string", "/n/next/next ~"}},
		{"root recursion", `{"properties": {"v": {"type": "string"}, "sub": {"$ref": "#"}}}`, []string{"/v string", "/sub/v string", "/sub/sub/v string", "/sub/sub/sub ~"}},
		{"circle of references", `{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}`, []string{"/x ~"}},
		{"tuple", `{"properties": {"p": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}}}`, []string{"/p/* string|integer"}},
		{"old tuple", `{"properties": {"p": {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "boolean"}}}}`, []string{"/p/* string|boolean"}},
		{"if then else", `{"properties": {"k": {"type": "string"}}, "if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"x": {"type": "string"}}}, "else": {"required": ["k"]}}`, []string{"/k string", "/x string"}},
		{"true and false", `{"properties": {"a": true, "b": false}}`, []string{"/a "}},
		{"depth", `{"properties": {"a": ` + strings.Repeat(`{"properties": {"x": `, 40) + `{}` + strings.Repeat(`}}`, 40) + `}}`, []string{"/a" + strings.Repeat("/x", 32) + " ~"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := &parse(t, input(tt.schema)).Tools[0]
			if got := lines(tool.Leaves()); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			seen := map[string]bool{}
			for _, p := range tool.Places() {
				if seen[p.Pattern] {
					t.Errorf("place %s stands twice", p.Pattern)
				}
				seen[p.Pattern] = true
				if !tool.Accepts(p.Pattern) {
					t.Errorf("place %s is not accepted", p.Pattern)
				}
			}
			for _, l := range tool.Leaves() {
				if !seen[l.Pattern] {
					t.Errorf("leaf %s is no place", l.Pattern)
				}
			}
		})
	}
}

func TestWords(t *testing.T) {
	c := parse(t, input(`{"$defs": {"s": {"type": "string", "description": "theirs", "format": "email"}},
		"properties": {
			"a": {"$ref": "#/$defs/s", "description": "mine", "default": "x y", "examples": ["p", 1]},
			"b": {"description": "whole", "anyOf": [{"type": "string", "description": "branch"}, {"type": "integer"}]}}}`))
	leaves := c.Tools[0].Leaves()
	a, b := leaves[0].Node, leaves[1].Node
	if a.Description != "mine" || a.Format != "email" || a.Default != `"x y"` || !slices.Equal(a.Examples, []string{`"p"`, "1"}) {
		t.Errorf("%+v", a)
	}
	if b.Description != "whole" || !slices.Equal(b.Types, []string{"string", "integer"}) {
		t.Errorf("%+v", b)
	}
	if leaves[0].Name != "a" {
		t.Errorf("name %q", leaves[0].Name)
	}
	if n, ok := c.Tools[0].Lookup("/b"); !ok || n.Description != "whole" || len(n.Alternatives) != 2 {
		t.Errorf("%+v", n)
	}
}

func TestPlaces(t *testing.T) {
	c := parse(t, input(`{"properties": {"to": {"type": "array", "items": {"type": "object", "properties": {"mail": {"type": "string"}}}}}}`))
	if got, want := lines(c.Tools[0].Places()), []string{"/to array", "/to/* object", "/to/*/mail string"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDefaults(t *testing.T) {
	c := parse(t, input(`{"$defs": {"node": {"properties": {"depth": {"default": 2}, "child": {"$ref": "#/$defs/node"}}}},
		"default": {}, "properties": {
			"list": {"type": "array", "items": {"type": "object", "properties": {"x": {"default": "in a list"}}}},
			"either": {"anyOf": [{"type": "string", "default": "one way"}, {"type": "object", "additionalProperties": {"default": null}}]},
			"again": {"default": "one way"}, "tree": {"$ref": "#/$defs/node"}, "none": {"type": "string"}}}`))
	if got, want := c.Tools[0].Defaults(), []string{`"in a list"`, `"one way"`, "2", "null", "{}"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, place := range c.Tools[0].Places() {
		if of := place.Node.Default; of != "" && !slices.Contains(c.Tools[0].Defaults(), of) {
			t.Errorf("the default %s of %s is missing", of, place.Pattern)
		}
	}
}

func TestLookup(t *testing.T) {
	c := parse(t, input(`{"type": "object", "properties": {
		"s": {"type": "string"},
		"l": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
		"free": {}, "data": {"type": "object"}, "list": {"type": "array"},
		"closed": {"type": "object", "properties": {}, "additionalProperties": false},
		"map": {"type": "object", "additionalProperties": {"type": "integer"}},
		"open": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": true},
		"or": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"y": {"type": "string"}}}]},
		"0": {"type": "string"}, "a/b": {"type": "string"}, "*": {"type": "string"}}}`))
	for pointer, want := range map[string]bool{
		"": true, "/s": true, "/s/x": false, "/s/0": false, "s": false, "/t": false, "/": false,
		"/l": true, "/l/0": true, "/l/12/x": true, "/l/0/y": false, "/l/x": false, "/l/01": false, "/l/-1": false, "/l/*/x": true,
		"/free/a/0": true, "/data/a/b": true, "/list/3/z": true, "/list/z": false,
		"/closed": true, "/closed/x": false,
		"/map/k": true, "/map/k/j": false,
		"/open/x": true, "/open/x/y": false, "/open/z/y": true,
		"/or": true, "/or/y": true, "/or/z": false,
		"/0": true, "/a~1b": true, "/a/b": false, "/~2": true, "/*": false,
	} {
		if got := c.Tools[0].Accepts(pointer); got != want {
			t.Errorf("%q: accepted %v, want %v", pointer, got, want)
		}
	}
	for pointer, want := range map[string]bool{"/open/x": false, "/open/z": true, "/open/z/y": true, "/map/k": false, "/data/a": false, "/free/a": false, "/l/0/x": false, "/s": false, "": false} {
		if got := c.Tools[0].Undeclared(pointer); got != want {
			t.Errorf("%q: undeclared %v, want %v", pointer, got, want)
		}
	}
	if n, _ := c.Tools[0].Lookup("/map/k"); !slices.Equal(n.Types, []string{"integer"}) {
		t.Errorf("%+v", n)
	}
}

func TestErrors(t *testing.T) {
	many := strings.Repeat(`{"name":"t","inputSchema":{}},`, 5000)
	for _, tt := range []struct{ name, text, want string }{
		{"empty", " \n", "the document is empty; write"},
		{"encoding", "{\"tools\": \"\xff\"}", "not valid UTF-8"},
		{"no JSON", `{"tools": [}`, "line 1, column 12: invalid character '}' at start of value"},
		{"after the end", `[] []`, "line 1, column 4: something follows the value"},
		{"duplicate member", "{\"tools\":\n [], \"tools\": []}", `line 2, column 6: the member name "tools" appears twice`},
		{"half a surrogate", `["\ud800"]`, "half of a surrogate pair"},
		{"bad number", `[01]`, "line 1, column 3: invalid character '1'"},
		{"unfinished", `["a`, "line 1, column 4: the text ends too early"},
		{"nesting", strings.Repeat("[", 300) + strings.Repeat("]", 300), "nested more than 256"},
		{"values", "[" + strings.Repeat("0,", 1<<20) + "0]", "more than 1048576 values"},
		{"something else", `{"a": 1}`, `neither "tools" nor "functions" nor "openapi"`},
		{"a JSON-RPC error", `{"jsonrpc": "2.0", "error": {"code": 1}}`, "answered with an error"},
		{"no list", `{"tools": {}}`, "/tools: a list of tools is expected here, not an object"},
		{"no object", `[1]`, "/0: a tool's definition must be an object"},
		{"too many", "[" + strings.TrimSuffix(many, ",") + "]", "more than 4096 tools"},
		{"no name", `[{"inputSchema": {}}]`, "/0/name: the tool has no name"},
		{"name with a line break", `[{"name": "a\nb", "inputSchema": {}}]`, "control characters"},
		{"two of a name", `[{"name": "a", "inputSchema": {}}, {"name": "a", "inputSchema": {}}]`, `tool "a": two tools have this name`},
		{"no schema", `[{"name": "a"}]`, `tool "a": inputSchema is missing; write`},
		{"null schema", `[{"name": "a", "inputSchema": null}]`, `tool "a": /inputSchema: a schema can't be null`},
		{"no arguments object", input(`{"type": "string"}`), `tool "t": /inputSchema: a tool's arguments must be an object`},
		{"unknown type", input(`{"properties": {"a": {"type": "str"}}}`), `/inputSchema/properties/a: type "str" doesn't exist; write one of`},
		{"bad properties", input(`{"properties": []}`), "properties is an array"},
		{"bad required", input(`{"required": true}`), "required is a boolean"},
		{"bad enum", input(`{"properties": {"a": {"enum": "x"}}}`), "enum is a string"},
		{"bad description", input(`{"description": 1}`), "description is a number"},
		{"remote reference", input(`{"properties": {"a": {"$ref": "https://x.test/s.json"}}}`), `leaves the document, and nothing outside is fetched; put`},
		{"dangling reference", input(`{"properties": {"a": {"$ref": "#/$defs/x"}}}`), `"#/$defs/x" points to nothing`},
		{"anchor", input(`{"properties": {"a": {"$ref": "#x"}}}`), `the anchor "#x" is not supported`},
		{"provider's tool", `[{"type": "web_search"}]`, `a tool of type "web_search" has no schema`},
		{"bad hint", `[{"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": "yes"}}]`, "/annotations/readOnlyHint: a hint must be true or false, not a string"},
		{"Swagger", `{"swagger": "2.0", "paths": {}}`, "Swagger 2.0 is not supported; convert"},
		{"OpenAPI 4", `{"openapi": "4.0.0", "paths": {}}`, "version \"4.0.0\" is not supported"},
		{"no paths", `{"openapi": "3.0.0"}`, "has no paths"},
		{"YAML", "tools: [", "not readable as YAML or JSON"},
		{"YAML merge", "a: &a {x: 1}\ntools:\n  <<: *a\n", "line 3, column 3: merge keys"},
		{"YAML duplicate", "tools: []\ntools: []\n", "stands twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := schema.Parse("f.json", []byte(tt.text))
			var errs schema.Errors
			if !errors.As(err, &errs) || c != nil {
				t.Fatalf("got %v and %v", c, err)
			}
			var one *schema.Error
			if !errors.As(err, &one) || one.File != "f.json" {
				t.Errorf("no single error in %v", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	t.Run("all tools", func(t *testing.T) {
		_, err := schema.Parse("f.json", []byte(`[{"name": "a", "inputSchema": 1}, {"name": "b", "inputSchema": {}}, {"name": "c", "inputSchema": 2}]`))
		var errs schema.Errors
		if !errors.As(err, &errs) || len(errs) != 2 || errs[0].Tool != "a" || errs[1].Tool != "c" {
			t.Errorf("got %v", err)
		}
	})
}

func TestFingerprint(t *testing.T) {
	print := func(text string) string { return parse(t, "["+text+"]").Tools[0].Fingerprint }
	base := `{"name": "t", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {"maximum": 1.0}}}}`
	want := print(base)
	for name, same := range map[string]string{
		"member order": `{"inputSchema": {"properties": {"a": {"maximum": 1.0}}, "type": "object"}, "description": "d", "name": "t"}`,
		"white space":  "{\"name\":\"t\",\n\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"maximum\":1.0}}}}",
		"escapes":      strings.Replace(base, `"d"`, `"\u0064"`, 1),
		"other member": strings.Replace(base, `{"name"`, `{"_meta": {"x": 1}, "name"`, 1),
	} {
		if print(same) != want {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	for name, other := range map[string]string{
		"description":       strings.Replace(base, `"d"`, `"D"`, 1),
		"number text":       strings.Replace(base, "1.0", "1", 1),
		"constraint":        strings.Replace(base, "maximum", "minimum", 1),
		"title":             strings.Replace(base, `{"name"`, `{"title": "T", "name"`, 1),
		"output":            strings.Replace(base, `{"name"`, `{"outputSchema": {}, "name"`, 1),
		"annotations":       strings.Replace(base, `{"name"`, `{"annotations": {"x": 1}, "name"`, 1),
		"name":              strings.Replace(base, `"t"`, `"u"`, 1),
		"description moves": strings.Replace(base, `"description": "d"`, `"title": "d"`, 1),
	} {
		if print(other) == want {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	a, b := parse(t, `[{"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}}]`), parse(t, `[{"name": "b", "inputSchema": {}}, {"name": "a", "inputSchema": {}}]`)
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("the catalogue's fingerprint depends on the order of tools")
	}
}

// mostPlaces is more than the nodes that a catalogue may have.
const mostPlaces = 500_000

func TestHostileDocuments(t *testing.T) {
	definitions := func(n, refs int) string {
		// Every definition refers to all others: expanding them is factorial.
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{`, i)
			for j := range refs {
				if j > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/d%d"}`, j, (i+j+1)%n)
			}
			b.WriteString(`}}`)
		}
		return b.String()
	}
	wide := strings.Builder{}
	for i := range 20_000 {
		fmt.Fprintf(&wide, `%q,`, fmt.Sprint(i))
	}
	long := strings.TrimSuffix(wide.String(), ",")
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 {x: y}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1)
	}
	tools := strings.Builder{}
	for i := range 4000 {
		fmt.Fprintf(&tools, `{"name":"t%d","inputSchema":{"$defs":{%s},"properties":{"a":{"$ref":"#/$defs/d0"}}}},`, i, definitions(6, 6))
	}
	operations := strings.Builder{}
	for i := range 4000 {
		fmt.Fprintf(&operations, `"/p%d":{"get":{"parameters":[{"name":"q","in":"query","schema":{"$ref":"#/$defs/d0"}}]}},`, i)
	}
	for name, text := range map[string]string{
		"mutual recursion":        input(`{"$defs": {` + definitions(30, 30) + `}, "properties": {"a": {"$ref": "#/$defs/d0"}}}`),
		"many recursive tools":    "[" + strings.TrimSuffix(tools.String(), ",") + "]",
		"long lists, many times":  input(`{"$defs": {"e": {"enum": [` + long + `]}}, "properties": {` + strings.TrimSuffix(numbered(`"p%":{"$ref":"#/$defs/e"},`, 20_000), ",") + `}}`),
		"many required":           input(`{"$defs": {"e": {"properties": {"x": {}}, "required": [` + long + `]}}, "properties": {` + strings.TrimSuffix(numbered(`"p%":{"$ref":"#/$defs/e"},`, 20_000), ",") + `}}`),
		"YAML bomb":               bomb.String(),
		"YAML circle":             "tools: &a [*a]\n",
		"many operations":         `{"openapi":"3.1.0","$defs":{` + definitions(50, 20) + `},"paths":{` + strings.TrimSuffix(operations.String(), ",") + `}}`,
		"reference to everything": input(`{"properties": {` + strings.TrimSuffix(numbered(`"p%":{"$ref":"#"},`, 3000), ",") + `}}`),
		"wide allOf":              input(`{"$defs": {"w": {"properties": {` + strings.TrimSuffix(numbered(`"p%":{},`, 5000), ",") + `}}}, "allOf": [` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/w"},`, 5000), ",") + `]}`),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := schema.Parse("f", []byte(text))
			places := 0
			if err == nil {
				for i := range c.Tools {
					places += len(c.Tools[i].Places())
				}
			}
			t.Logf("%d places, error %.200v", places, err)
			if places > mostPlaces {
				t.Errorf("%d places of %d bytes", places, len(text))
			}
		})
	}
}

// numbered repeats a text, with "%" standing for the number.
func numbered(text string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%", fmt.Sprint(i)))
	}
	return b.String()
}

// One definition that can't be understood doesn't take the others along; of two
// that share a name none is left.
func TestParseEach(t *testing.T) {
	for name, test := range map[string]struct {
		tools []string
		want  []string
		errs  int
	}{
		"all are good":         {[]string{`{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`}, []string{"a", "b"}, 0},
		"one has no schema":    {[]string{`{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b"}`}, []string{"a"}, 1},
		"one is not an object": {[]string{`7`, `{"name":"b","inputSchema":{"type":"object"}}`}, []string{"b"}, 1},
		"two share a name":     {[]string{`{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"a","inputSchema":{"type":"object"}}`, `{"name":"b","inputSchema":{"type":"object"}}`}, []string{"b"}, 1},
		"one is not JSON":      {[]string{`{"name"`, `{"name":"b","inputSchema":{"type":"object"}}`}, []string{"b"}, 1},
		"there are none":       {nil, nil, 0},
		"there is one":         {[]string{`{"name":"a","inputSchema":{"type":"object"}}`}, []string{"a"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var tools []json.RawMessage
			for _, text := range test.tools {
				tools = append(tools, json.RawMessage(text))
			}
			c, errs := schema.ParseEach("dir/mail.v2", tools, schema.ParseMCP)
			var got []string
			for _, tool := range c.Tools {
				got = append(got, tool.Name)
			}
			if !slices.Equal(got, test.want) || len(errs) != test.errs || c.Server != "dir/mail.v2" {
				t.Errorf("got %q of %q with errors %v, want %q", got, c.Server, errs, test.want)
			}
		})
	}
}
