package proxy

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/remit-project/remit/schema"
)

// offer is a list of tool definitions that a conversation has been offered: those of
// its request, and those that earlier ones of the same conversation had. Their texts
// may be behind what the model said, and history holds their calls.
type offer struct {
	key   hash
	tools []json.RawMessage
	// names are those of the tools by their definitions.
	names map[hash]string
}

func newOffer(tools []json.RawMessage) *offer {
	o := &offer{names: make(map[hash]string, len(tools))}
	for _, t := range tools {
		o.names[definition(t)] = toolName(t)
		o.tools = append(o.tools, bytes.Clone(t)) // the request's body may go
	}
	o.key = toolsKey(o.tools, nil)
	return o
}

// definition identifies a tool's definition.
func definition(tool json.RawMessage) hash { return hashed(bytes.TrimSpace(uncached(tool))) }

// with is the offer with further tools. One of a name that is taken is left out;
// those of a provider have none.
func (o *offer) with(tools []json.RawMessage) *offer {
	taken := map[string]bool{}
	for _, name := range o.names {
		taken[name] = name != ""
	}
	all := o.tools
	for _, t := range tools {
		name := toolName(t)
		if _, known := o.names[definition(t)]; known || taken[name] || len(all) == schema.MaxTools {
			continue
		}
		taken[name] = name != ""
		all = append(all[:len(all):len(all)], t)
	}
	if len(all) == len(o.tools) {
		return o
	}
	return newOffer(all)
}

// has reports whether a tool of a name is offered.
func (o *offer) has(name string) bool {
	for _, n := range o.names {
		if n == name && name != "" {
			return true
		}
	}
	return false
}

// beyond are the names of the tools of an earlier offer that this one doesn't have
// as they were.
func (o *offer) beyond(earlier *offer) []string {
	var out []string
	for d, name := range earlier.names {
		if _, ok := o.names[d]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
