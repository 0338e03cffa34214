package synth

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/schema"
)

// withTold returns a definition in which arguments that the schema doesn't describe have what the
// tool's own text says of them, as the comments do that many servers are made from:
//
//	Args:
//	    instance (str): Base URL of the server that is asked.
func withTold(def *schema.Tool) *schema.Tool {
	if def.Input == nil || !slices.ContainsFunc(def.Input.Properties, undescribed) {
		return def
	}
	told := toldOf(def.Description)
	if len(told) == 0 {
		return def
	}

	out, input := *def, *def.Input
	input.Properties = slices.Clone(input.Properties)
	for i := range input.Properties {
		p := &input.Properties[i]
		if text := told[p.Name]; text != "" && undescribed(*p) {
			node := *p.Node
			node.Description = text
			p.Node = &node
		}
	}
	out.Input = &input
	return &out
}

func undescribed(p schema.Property) bool { return p.Node.Description == "" }

// toldOf returns what the lines of a text say that begin with a name and a colon. Of two about one
// name the first counts.
func toldOf(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-*` "), ":")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(name, "(")
		name = strings.Trim(name, "`* ")
		rest = strings.TrimLeft(rest, "`* ")
		isKind := kind == "" || strings.HasSuffix(strings.TrimRight(kind, "`* "), ")")
		if out[name] == "" && isKind && isIdentifier(name) {
			out[name] = strings.TrimSpace(rest)
		}
	}
	return out
}
