package synth

import (
	"slices"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

func TestBelow(t *testing.T) {
	parsed, err := schema.Parse("fs", []byte(`[
		{"name": "read_file", "inputSchema": {"properties": {"path": {"type": "string"}, "head": {"type": "integer"}}}},
		{"name": "write_file", "inputSchema": {"properties": {"path": {"type": "string"}, "content": {"type": "string"}}}},
		{"name": "fetch", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	c := Contract(parsed)
	for i := range c.Tools {
		tool := &c.Tools[i]
		Below(tool, []string{"/srv/notes/", "relative", "/"})
		for _, a := range tool.Args {
			var want []string
			if tool.Effect == contract.Read && a.Pattern == "/path" {
				want = []string{"/srv/notes/**"}
			}
			if !slices.Equal(a.Allow, want) {
				t.Errorf("%s %s allows %q, want %q", tool.Name, a.Pattern, a.Allow, want)
			}
		}
	}
}
