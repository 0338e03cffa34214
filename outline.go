package remit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// outlined adds, for servers without given definitions, the tools of their contracts: names and
// arguments are all that a scope and a planner need. No decision rests on these outlines.
func outlined(given []*schema.Catalogue, files []*contract.File) (all []*schema.Catalogue, errs []error) {
	all = slices.Clip(given)
	for _, f := range files {
		if slices.ContainsFunc(given, func(c *schema.Catalogue) bool { return c.Server == f.Server }) || len(f.Tools) == 0 {
			continue
		}
		c, err := outline(f)
		if err != nil {
			errs = append(errs, fmt.Errorf("contracts of server %q: the tools can't be outlined: %w", f.Server, err))
			continue
		}
		all = append(all, c)
	}
	return all, errs
}

// outline returns a catalogue with the tools of a contract file, by name and arguments.
func outline(f *contract.File) (*schema.Catalogue, error) {
	type tool struct {
		Name  string `json:"name"`
		Input *place `json:"inputSchema"`
	}
	var tools []tool
	for i := range f.Tools {
		t := tool{f.Tools[i].Name, &place{Type: "object"}}
		for _, a := range f.Tools[i].Args {
			t.Input.add(a.Pattern)
		}
		tools = append(tools, t)
	}

	text, err := json.Marshal(tools)
	if err != nil {
		return nil, err
	}
	c, err := schema.Parse(f.Server, text)
	if err == nil {
		c.Server = f.Server // with a dot in it too
	}
	return c, err
}

// place is a place in the outline of an input, as a JSON schema.
type place struct {
	Type       string            `json:"type,omitempty"`
	Properties map[string]*place `json:"properties,omitempty"`
	Items      *place            `json:"items,omitempty"`
}

// add adds the place of a contract's pattern. One that is not about a place, or about an
// argument that an enforcement point adds (with a colon in its name), is left out.
func (p *place) add(pattern string) {
	if strings.Contains(pattern, "**") || strings.ContainsAny(pattern, ":~") || !strings.HasPrefix(pattern, "/") {
		return
	}
	for segment := range strings.SplitSeq(pattern[1:], "/") {
		if segment == "*" {
			p.Type = "array"
			if p.Items == nil {
				p.Items = &place{}
			}
			p = p.Items
			continue
		}

		p.Type = "object"
		if p.Properties == nil {
			p.Properties = map[string]*place{}
		}
		if p.Properties[segment] == nil {
			p.Properties[segment] = &place{}
		}
		p = p.Properties[segment]
	}
}
