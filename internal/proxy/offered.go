package proxy

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/remit-project/remit/schema"
)

// offer is the list of tool definitions that a conversation has been offered, in
// this request or in earlier ones. The model may have been influenced by all of
// them, and the history holds their calls.
type offer struct {
	key   hash
	tools []json.RawMessage
	// names maps definitions to tool names.
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

// definition hashes a tool's definition.
func definition(tool json.RawMessage) hash { return hashParts(bytes.TrimSpace(removeCacheMarks(tool))) }

// merge returns the offer extended by further tools. It leaves out a tool whose
// name is taken; a provider's tools have no names.
func (o *offer) merge(tools []json.RawMessage) *offer {
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

// has reports whether a tool is offered.
func (o *offer) has(name string) bool {
	for _, n := range o.names {
		if n == name && name != "" {
			return true
		}
	}
	return false
}

// difference returns the names of an earlier offer's tools that this offer lacks
// or defines otherwise.
func (o *offer) difference(earlier *offer) []string {
	var out []string
	for d, name := range earlier.names {
		if _, ok := o.names[d]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
