package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictyaml"
)

// callees are the tools whose definitions are known, for policies for every tool.
// Those are compiled once, and see the arguments as the called tool's schema types
// them: an optional member that is null is missing, and arguments that don't fit the
// schema violate every policy.
type callees map[toolName]callee

// callee is a tool that may be called.
type callee struct {
	server string
	args   *record.Shape
}

// callees sets the tools of the guards for every tool. A tool that only one server
// has is also known by its name alone.
func (u *universe) callees(set *Set) {
	var every []*Guard
	for name, g := range set.guards {
		if name.tool == EveryTool {
			every = append(every, g)
		}
	}

	if len(every) == 0 {
		return
	}

	known, servers := callees{}, map[string]int{}
	// Tools without a guard must not change the types that the expressions of other
	// guards can name.
	others := record.NewTypes()
	for _, c := range u.scope.Tools {
		for i := range c.Tools {
			t := &c.Tools[i]
			to := callee{server: c.Server}
			if g, ok := set.guards[toolName{c.Server, t.Name}]; ok && g.args != nil && t.Name != EveryTool {
				to.args = g.args
			} else {
				to.args = others.Add(t.Name+"/args", t.Input)
			}
			known[toolName{c.Server, t.Name}] = to
			if servers[t.Name]++; servers[t.Name] == 1 {
				known[toolName{"", t.Name}] = to
			} else if c.Server != "" {
				delete(known, toolName{"", t.Name})
			}
		}
	}

	for _, g := range every {
		g.callees = known
	}
}

// callee returns the tool that is called. Its arguments are untyped if it has no
// definition.
func (g *Guard) callee(server, tool string) callee {
	if server == "" {
		server = g.Server
	}
	if to, ok := g.callees[toolName{server, tool}]; ok {
		return to
	}
	return callee{server, g.args}
}

// subject names the tools that the guard is for, in words.
func (g *Guard) subject() string {
	if g.Tool == EveryTool {
		return "every tool"
	}
	return "this tool"
}

// concerns reports whether the guard is for a call of the session.
func (g *Guard) concerns(c *Call) bool {
	theirs := g.Server == "" || c.Server == "" || c.Server == g.Server
	return theirs && (g.Tool == EveryTool || c.Tool == g.Tool)
}

// about reports whether the policy is about the calls of a tool.
func (p *Policy) about(server, tool string) bool {
	return len(p.Tools) == 0 || slices.Contains(p.Tools, tool) || slices.Contains(p.Tools, server+"/"+tool)
}

// checkTools reports tools of a policy that don't exist, or that several servers have. It returns those
// that don't exist: the policy is about the others alone. A name like that of a tool which the policy
// leaves out is taken for a misspelling, and the file denies: calls of the tool that is meant would pass.
func (c *compiler) checkTools(p *Policy) (absent []string) {
	for _, name := range p.Tools {
		server, tool, divided := strings.Cut(name, "/")
		if !divided {
			server, tool = c.guard.Server, name
		}
		found, mistake := c.find(server, tool, p.Position)
		if found == nil && mistake == nil && c.scope.Complete {
			mistake = c.noTool(server, tool, p.Position)
		}
		if mistake == nil {
			continue
		}

		servers := c.scope.serversOf(tool)
		isContracted := slices.Contains(servers, server) || (server == "" && len(servers) == 1)
		switch {
		case !errors.Is(mistake, ErrNoTool):
			mistake.Hint = "write NAME, or SERVER/NAME where several servers have the tool"
		case isContracted:
			continue
		case c.isMisspelt(p, server, tool):
			mistake.Cause = nil
		default:
			absent = append(absent, name)
		}
		c.mistakes = append(c.mistakes, mistake)
	}
	return absent
}

// isMisspelt reports whether a name that no tool has is like that of one which the policy doesn't name on
// that server (on any, where the name says none), or its server's like that of one there is.
func (c *compiler) isMisspelt(p *Policy, server, tool string) bool {
	if servers := c.scope.servers(); server != "" && !slices.Contains(servers, server) {
		return strictyaml.Suggest(server, servers) != ""
	}
	others := slices.DeleteFunc(c.scope.toolNames(server), func(known string) bool {
		return !slices.ContainsFunc(c.scope.serversOf(known), func(of string) bool {
			return (server == "" || of == server) && !p.about(of, known)
		})
	})
	return strictyaml.Suggest(tool, others) != ""
}

// Absent lists the tools that a policy names and that there aren't: it decides no call of them.
func (g *Guard) Absent(policy string) []string {
	for _, p := range g.policies {
		if p.policy.Name == policy {
			return p.absent
		}
	}
	return nil
}

// servers returns the names of the servers whose tools or contracts are known.
func (d *Deployment) servers() []string {
	var names []string
	for _, c := range d.Tools {
		names = append(names, c.Server)
	}
	for _, f := range d.Contracts {
		names = append(names, f.Server)
	}
	return names
}

// checkServer reports a server that doesn't exist, in a file for all its tools.
func (u *universe) checkServer(g *Guard) *Error {
	if g.Server == "" || len(u.scope.Tools)+len(u.scope.Contracts) == 0 {
		return nil
	}
	names := u.scope.servers()
	if slices.Contains(names, g.Server) {
		return nil
	}
	return &Error{Position: g.File.Position, Message: fmt.Sprintf("there is no server %q", strictyaml.Clip(g.Server)), Hint: strictyaml.DidYouMean(g.Server, names)}
}

// Callable returns an error if an example calls a tool that doesn't exist. The policy
// itself is still valid.
func (g *Guard) Callable(e *Example) error {
	if e.Tool == "" || g.environment == nil {
		return nil
	}
	server := e.Server
	if server == "" {
		server = g.Server
	}
	if _, mistake := g.environment.find(server, e.Tool, e.Position); mistake != nil {
		return errors.New(mistake.Message)
	}
	return nil
}
