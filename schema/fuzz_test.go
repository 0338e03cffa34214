package schema_test

import (
	"errors"
	"testing"

	"github.com/remit-project/remit/schema"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		petstore,
		input(`{"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`),
		input(`{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": [{"enum": [1, null]}]}, {"type": "null"}]}}}`),
		input(`{"allOf": [{"properties": {"a": {"additionalProperties": true}}}, {"oneOf": [{"required": ["a"]}, {"properties": {"b": false}}]}]}`),
		`[{"type": "function", "function": {"name": "t", "parameters": {"patternProperties": {"x": {"const": "\u00e4"}}}}}]`,
		"tools: [&a {name: x, inputSchema: {type: object}}, *a]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := schema.Parse("f", data)
		if err != nil {
			var errs schema.Errors
			if !errors.As(err, &errs) || len(errs) == 0 || c != nil {
				t.Fatalf("catalogue %v, error %#v", c, err)
			}
			return
		}
		for i := range c.Tools {
			tool := &c.Tools[i]
			seen := map[string]bool{}
			for _, leaf := range tool.Leaves() {
				if seen[leaf.Pattern] {
					t.Fatalf("leaf %q stands twice", leaf.Pattern)
				}
				seen[leaf.Pattern] = true
				if !tool.Accepts(leaf.Pattern) {
					t.Fatalf("leaf %q is not accepted", leaf.Pattern)
				}
				if leaf.Path[0] != tool.Input || leaf.Path[len(leaf.Path)-1] != leaf.Node {
					t.Fatalf("leaf %q has the path of another", leaf.Pattern)
				}
			}
			for _, place := range tool.Places() {
				if !tool.Accepts(place.Pattern) {
					t.Fatalf("place %q is not accepted", place.Pattern)
				}
			}
			if tool.Output != nil {
				tool.Output.Leaves()
			}
		}
		if again, err := schema.Parse("f", data); err != nil || again.Fingerprint() != c.Fingerprint() {
			t.Fatalf("read differently the second time: %v", err)
		}
	})
}

func FuzzLookup(f *testing.F) {
	c := parse(f, input(`{"properties": {"s": {"type": "string"}, "l": {"type": "array", "items": {"properties": {"x": {}}}}, "o": {"anyOf": [{"type": "object", "properties": {"a~b": {}}}, {"type": "array"}]}}}`))
	f.Add("/s")
	f.Add("/l/0/x")
	f.Add("/o/a~0b/c")
	f.Fuzz(func(t *testing.T, pointer string) {
		n, ok := c.Tools[0].Lookup(pointer)
		if ok != (n != nil) {
			t.Fatalf("%q: %v and %v", pointer, n, ok)
		}
	})
}
