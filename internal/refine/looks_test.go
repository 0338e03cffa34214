package refine_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/internal/refine"
	"github.com/remit-project/remit/store"
)

// TestShapes: how all texts of a tool look is proposed, where there are enough of them, and what
// people agreed to is proposed at once.
func TestShapes(t *testing.T) {
	const (
		two    = "- id: f1\n  name: A\n- id: f2\n  name: B\n"
		three  = two + "- id: f3\n  name: C\n"
		shape  = `["- id: service\n  name: others"]`
		agreed = `{"chain":"s","n":0,"kind":"confirmed","decision":{"tool":"cancel_order","verdict":"allow","confirmed":true,"readings":[{"tool":"list_orders","format":"yaml","shape":"- id:\n  name:"}]}}`
	)
	for name, c := range map[string]struct {
		results []string
		log     string
		want    string // empty for no proposal
	}{
		"three records":            {[]string{three}, "", shape},
		"two records":              {[]string{two}, "", ""},
		"three results":            {[]string{two, two, two}, "", shape},
		"a text among the results": {[]string{three, "nothing found"}, "", ""},
		"two shapes":               {[]string{three, "id: f1\nname: A\n"}, "", `["- id: service\n  name: others" "id: service\nname: others"]`},
		"a person agreed":          {nil, agreed, shape},
		"a person agreed, of two":  {[]string{two, "nothing found"}, agreed, shape},
	} {
		t.Run(name, func(t *testing.T) {
			o := observer(t)
			for _, r := range c.results {
				o.Session(session([3]string{"list_orders", `{}`, r}))
			}
			if c.log != "" {
				if err := o.Line(store.Line{Entry: json.RawMessage(c.log)}); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			for _, p := range o.Proposals() {
				if p.Path == "output shapes" {
					got = p.Then
				}
			}
			if got != c.want {
				t.Errorf("proposed %s, want %s", got, c.want)
			}
		})
	}
}

// A log that names what is not a shape proposes nothing.
func TestForgedReadings(t *testing.T) {
	for _, shape := range []string{"", "x", "- id: 1", "- id:\n- id:", "| id |"} {
		o := observer(t)
		entry, err := json.Marshal(map[string]any{"decision": map[string]any{"tool": "cancel_order", "verdict": "allow", "confirmed": true, "readings": []any{map[string]any{"tool": "list_orders", "format": "yaml", "shape": shape}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Line(store.Line{Entry: entry}); err != nil {
			t.Fatal(err)
		}
		if p := o.Proposals(); len(p) > 0 {
			t.Errorf("%q: %v", shape, []refine.Proposal(p))
		}
	}
}
