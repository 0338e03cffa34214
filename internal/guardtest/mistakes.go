package guardtest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/schema"
)

// ErrExample is the cause of a mistake in an example: the rule is in force, and the example says
// nothing about it.
var ErrExample = errors.New("the example can't be run")

// Mistakes returns what keeps the examples of a guard from being run, as far as the tools that are
// given tell: a tool that there isn't, and arguments that the tool doesn't take.
func Mistakes(g *guard.Guard, tools []*schema.Catalogue) guard.Errors {
	var out guard.Errors
	if g.Err() != nil {
		return nil // those of the rules come first
	}
	for i := range g.File.Policies {
		p := &g.File.Policies[i]
		lookups := g.Needs(p.Name).Lookups
		for j := range p.Examples {
			e := &p.Examples[j]
			out = append(out, callMistakes(g, e, tools)...)
			for _, f := range e.Given {
				if m := givenMistake(&f, lookups, tools); m != nil {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// callMistakes returns the mistakes in the call of an example.
func callMistakes(g *guard.Guard, e *guard.Example, tools []*schema.Catalogue) guard.Errors {
	if err := g.Callable(e); err != nil {
		return guard.Errors{{Position: e.Position, Message: err.Error(), Cause: ErrExample}}
	}
	called, server := g.Tool, g.Server
	if e.Tool != "" {
		called = e.Tool
	}
	if e.Server != "" {
		server = e.Server
	}

	var out guard.Errors
	having := named(called, server, tools)
	if len(having) != 1 || len(e.Args) == 0 {
		return nil // not known, or one of several that the example doesn't tell apart
	}
	for _, m := range having[0].Misfits(e.Args) {
		out = append(out, &guard.Error{Position: e.Position, Message: fmt.Sprintf("args%s of example %q: %s", m.Pointer, strictyaml.Clip(e.Name), m.Message), Hint: m.Instead, Cause: ErrExample})
	}
	return out
}

// named returns the tools of a name, of one server where that is said.
func named(name, server string, tools []*schema.Catalogue) []*schema.Tool {
	var out []*schema.Tool
	for _, c := range tools {
		if t, ok := c.Tool(name); ok && (server == "" || c.Server == server) {
			out = append(out, t)
		}
	}
	return out
}

// givenMistake returns the mistake in the name of the tool whose result an example gives. A result
// that the rule doesn't look up does no harm.
func givenMistake(f *guard.Fixture, lookups []string, tools []*schema.Catalogue) *guard.Error {
	if f.Tool == "" || slices.Contains(lookups, f.Tool) || len(named(f.Tool, "", tools)) > 0 {
		return nil
	}
	if len(tools) == 0 && strictyaml.Suggest(f.Tool, lookups) == "" {
		return nil
	}
	hint := "leave it out: the rule looks nothing up"
	if len(lookups) > 0 {
		hint = strictyaml.DidYouMean(f.Tool, lookups)
	}
	return &guard.Error{Position: f.Position, Message: fmt.Sprintf("there is no tool %q whose result could be given", strictyaml.Clip(f.Tool)), Hint: hint, Cause: ErrExample}
}
