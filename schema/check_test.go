package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

func TestCheckHoldsValuesToTheirSchema(t *testing.T) {
	c, err := schema.ParseMCP("hire", []byte(`[{"name": "hire", "inputSchema": {"type": "object", "required": ["days", "kind"], "properties": {
		"days": {"type": "integer"}, "kind": {"type": "string", "enum": ["hand", "power"]}, "deposit": {"type": "number"},
		"from": {"type": "string", "format": "date"}, "code": {"type": "string", "pattern": "^T-[0-9]+$"}, "note": {"type": ["string", "null"]},
		"who": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"extras": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
		"tags": {"type": "object", "additionalProperties": {"type": "string"}},
		"closed": {"type": "object", "additionalProperties": false, "properties": {"a": {"type": "string"}}}}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	n := c.Tools[0].Input
	for name, test := range map[string]struct {
		value  string
		strict bool
		want   string // "" for none; else parts of the mistakes
	}{
		"as described":        {`{"days": 2, "kind": "hand", "deposit": 9.5, "from": "2031-03-01", "code": "T-1", "note": null, "who": 3, "extras": [{"name": "x"}], "tags": {"a": "b"}}`, true, ""},
		"a whole number":      {`{"days": 2.0, "kind": "hand"}`, true, ""},
		"a fraction":          {`{"days": 2.5, "kind": "hand"}`, true, "/days: it must be integer, not number"},
		"a missing member":    {`{"days": 2}`, true, `the member "kind" is missing`},
		"no member":           {`{"days": 2, "kind": "steam"}`, true, `/kind: it must be one of "hand", "power"`},
		"a wrong type":        {`{"days": "2", "kind": "hand"}`, true, "/days: it must be integer, not string"},
		"null":                {`{"days": null, "kind": "hand"}`, true, "/days: it must be integer, not null"},
		"within a list":       {`{"days": 2, "kind": "hand", "extras": [{"name": "x"}, {}]}`, true, `/extras/1: the member "name" is missing`},
		"within a map":        {`{"days": 2, "kind": "hand", "tags": {"a/b": 1}}`, true, "/tags/a~1b: it must be string"},
		"no day":              {`{"days": 2, "kind": "hand", "from": "1 March"}`, true, "/from: it must be written as 2031-03-01"},
		"another pattern":     {`{"days": 2, "kind": "hand", "code": "1"}`, true, "/code: it must match ^T-[0-9]+$"},
		"no alternative":      {`{"days": 2, "kind": "hand", "who": true}`, true, "/who: it is none of the 2 forms"},
		"unlisted, strictly":  {`{"days": 2, "kind": "hand", "dais": 3}`, true, "/dais: there is no such member; there are closed, code, days"},
		"unlisted":            {`{"days": 2, "kind": "hand", "dais": 3}`, false, ""},
		"unlisted and closed": {`{"days": 2, "kind": "hand", "closed": {"b": 1}}`, false, "/closed/b: there is no such member"},
		"no object":           {`[]`, true, "it must be object, not array"},
		"no JSON":             {`{`, true, "it is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			mistakes := n.Check(json.RawMessage(test.value), test.strict)
			got := strings.Trim(fmt.Sprint(mistakes), "[]")
			if test.want == "" && len(mistakes) > 0 || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
