package pack

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Set is the packs that an operator selected for a server's tools; for tools that come
// from several servers, as an agent's do, it may be more than one. The nil set has
// reviewed nothing.
type Set []*Pack

// Select returns the packs for a server: the one that the operator names, or the one for
// the command that starts the server if the name is empty. [None] selects none.
func Select(name string, command []string) (Set, error) {
	p, err := Named(name)
	if name == "" {
		p, err = ForCommand(command)
	}
	if p == nil || err != nil {
		return nil, err
	}
	return Set{p}, nil
}

// Contract returns the contracts of tools: a pack's for the definitions that it reviewed,
// and synthesized ones for the others, marked for review.
func (s Set) Contract(c *schema.Catalogue) *contract.File {
	f := synth.Contract(c)
	for i := range c.Tools {
		if t, ok := f.Tool(c.Tools[i].Name); ok {
			*t = s.replace(*t, &c.Tools[i])
		}
	}
	return f
}

// Tool returns the contract of one tool, as [Set.Contract] does. The siblings are the tools
// that the same server offers.
func (s Set) Tool(def *schema.Tool, siblings *schema.Catalogue) contract.Tool {
	return s.replace(synth.Tool(def, siblings), def)
}

// Reviewed returns the fingerprints of the definitions that the packs reviewed.
func (s Set) Reviewed(c *schema.Catalogue) []string {
	var out []string
	for i := range c.Tools {
		if s.reviewed(&c.Tools[i]) != nil {
			out = append(out, c.Tools[i].Fingerprint)
		}
	}
	return out
}

// reviewed returns the pack that reviewed a definition; nil if none did.
func (s Set) reviewed(def *schema.Tool) *Pack {
	for _, p := range s {
		if p.reviewed(def) {
			return p
		}
	}
	return nil
}

// replace returns a pack's contract in place of a synthesized one.
func (s Set) replace(made contract.Tool, def *schema.Tool) contract.Tool {
	p := s.reviewed(def)
	if p == nil {
		for _, p := range s {
			made.Review = strings.TrimPrefix(made.Review+"; "+p.unreviewed(def.Name), "; ")
		}
		return made
	}

	one := contract.File{Version: contract.Version, Tools: []contract.Tool{*p.tool(def.Name)}}
	t := one.Clone().Tools[0]
	t.Fingerprint = def.Fingerprint
	return t
}

// unreviewed says why a tool doesn't have its contract from the pack.
func (p *Pack) unreviewed(tool string) string {
	if p.tool(tool) == nil {
		return fmt.Sprintf("the pack %s doesn't have this tool", p.Name)
	}
	return fmt.Sprintf("the pack %s reviewed another definition of this tool (version %s)", p.Name, strings.Join(p.Versions, ", "))
}
