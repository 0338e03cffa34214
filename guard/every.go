package guard

import (
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictyaml"
)

// callees are the tools whose definitions are known, for rules that are about
// every tool. Such rules are compiled once, and see the arguments as the schema
// of the called tool has them: what is null there is missing, and what is not as
// the schema says holds no rule.
type callees map[toolName]callee

// callee is a tool that may be called.
type callee struct {
	server string
	args   *record.Shape
}

// callees lets the policies for every tool know the tools. Each is there by its
// name alone as well, where one server has it.
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
	// What the expressions of tools' own rules can name isn't changed by tools
	// that have none.
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

// callee is the tool that a call is of. Nothing is known of its arguments where
// it has no definition.
func (g *Guard) callee(server, tool string) callee {
	if server == "" {
		server = g.Server
	}
	if to, ok := g.callees[toolName{server, tool}]; ok {
		return to
	}
	return callee{server, g.args}
}

// of says in words whose calls the rules are about.
func (g *Guard) of() string {
	if g.Tool == EveryTool {
		return "every tool"
	}
	return "this tool"
}

// concerns tells whether the rules are about a call of the session.
func (g *Guard) concerns(c *Call) bool {
	if g.Tool == EveryTool {
		return g.Server == "" || c.Server == "" || c.Server == g.Server
	}
	return c.Tool == g.Tool
}

// serves tells of a server that doesn't exist, in a file for every tool of it.
func (u *universe) serves(g *Guard) *Error {
	if g.Server == "" || len(u.scope.Tools)+len(u.scope.Contracts) == 0 {
		return nil
	}
	var names []string
	for _, c := range u.scope.Tools {
		names = append(names, c.Server)
	}
	for _, f := range u.scope.Contracts {
		names = append(names, f.Server)
	}
	if slices.Contains(names, g.Server) {
		return nil
	}
	return &Error{Position: g.File.Position, Message: fmt.Sprintf("there is no server %q", strictyaml.Clip(g.Server)), Hint: strictyaml.DidYouMean(g.Server, names)}
}

// Callable returns an error where an example calls a tool that doesn't exist. That
// is no mistake of the rule, which holds all the same.
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
