package report

import (
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
)

// Covered is a tool with the number of its policies.
type Covered struct {
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool"`
	Effect contract.Effect `json:"effect,omitempty"`
	// Rules are the policies that are checked, Unenforced those that have no
	// check, Duties what must follow a call, and Examples those of all.
	Rules      int `json:"rules"`
	Unenforced int `json:"unenforced"`
	Duties     int `json:"duties"`
	Examples   int `json:"examples"`
	// EveryTool counts the policies and duties that hold for every tool, and so for
	// this one.
	EveryTool int `json:"every_tool"`
}

// Own counts the policies of the tool's own file.
func (c Covered) Own() int { return c.Rules + c.Unenforced }

// Bare reports whether only its contract limits a tool that does something.
func (c Covered) Bare() bool {
	return c.Own() == 0 && c.EveryTool == 0 && c.Effect != contract.Read
}

// Coverage lists the tools of a deployment with the number of their policies.
func Coverage(set *guard.Set, scope guard.Deployment) []Covered {
	tools := []Covered{}
	for _, catalogue := range scope.Tools {
		for i := range catalogue.Tools {
			tools = append(tools, covered(set, scope, catalogue.Server, catalogue.Tools[i].Name))
		}
	}
	return tools
}

func covered(set *guard.Set, scope guard.Deployment, server, tool string) Covered {
	out := Covered{Server: server, Tool: tool}
	for _, f := range scope.Contracts {
		if t, ok := f.Tool(tool); ok && f.Server == server {
			out.Effect = t.Effect
		}
	}
	for _, g := range set.Applying(server, tool) {
		if g.Tool == guard.EveryTool {
			out.EveryTool += len(g.File.Policies) + len(g.File.Duties)
		} else {
			out.add(g.File)
		}
	}
	return out
}

// add counts what is in the tool's own file.
func (c *Covered) add(f *guard.File) {
	for _, policy := range f.Policies {
		c.Examples += len(policy.Examples)
		if policy.Require.Empty() {
			c.Unenforced++
		} else {
			c.Rules++
		}
	}
	c.Duties += len(f.Duties)
	for _, d := range f.Duties {
		c.Examples += len(d.Examples)
	}
}
