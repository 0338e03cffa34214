package dialogue

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSchemaDescribesEveryLine: the published schema of the lines has the types that are understood,
// their members, and which of them are required.
func TestSchemaDescribesEveryLine(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "session.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs struct {
			Input struct {
				OneOf []struct {
					Properties map[string]json.RawMessage `json:"properties"`
					Required   []string                   `json:"required"`
				} `json:"oneOf"`
			} `json:"input"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, line := range doc.Defs.Input.OneOf {
		var kind struct {
			Const string `json:"const"`
		}
		if err := json.Unmarshal(line.Properties["type"], &kind); err != nil {
			t.Fatal(err)
		}
		described[kind.Const] = true
		known, ok := members[kind.Const]
		if !ok {
			t.Errorf("the schema describes %q, which the program doesn't know", kind.Const)
			continue
		}
		for name := range line.Properties {
			if name != "type" && name != "session" && !slices.Contains(known.must, name) && !slices.Contains(known.may, name) {
				t.Errorf("%s: the schema has %q, the program refuses it", kind.Const, name)
			}
		}
		for _, name := range append(slices.Clone(known.must), known.may...) {
			if _, ok := line.Properties[name]; !ok {
				t.Errorf("%s: the program takes %q, the schema doesn't have it", kind.Const, name)
			}
			if must := slices.Contains(known.must, name); must != slices.Contains(line.Required, name) {
				t.Errorf("%s: %q is required: program %t, schema %t", kind.Const, name, must, !must)
			}
		}
	}
	for kind := range members {
		if !described[kind] {
			t.Errorf("the schema doesn't describe %q", kind)
		}
	}
}
