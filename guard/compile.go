package guard

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/schema"
)

// Guard is the policies and duties for the calls of one tool, or of [EveryTool],
// compiled.
type Guard struct {
	File         *File
	Server, Tool string

	types sessionTypes
	// onlyReads are the tools that change nothing.
	onlyReads map[toolName]bool
	// args is the shape of the arguments. callees are the tools that policies for
	// every tool apply to.
	args     *record.Shape
	callees  callees
	policies []*compiledPolicy
	shared   int // how many values of variables they share
	duties   []*duty
	// readers are the tools that the rules look things up with, by the names of the
	// functions.
	readers map[string]*reader
	// environment is what the expressions were compiled in.
	environment *environment
	// broken says why the guard can't be used; it denies every call then.
	broken error
}

// compiledPolicy is a policy whose expressions are compiled.
type compiledPolicy struct {
	policy    *Policy
	variables []*variable
	require   *expression // nil for a policy that is not enforced
	// guesses say what its guessed look-ups are expected to return, by tool.
	guesses map[string]*guess
	// absent are the tools that it names and that there aren't.
	absent []string
}

type variable struct {
	name string
	*expression
	// place is where the value is among those that policies of a tool share; -1 for one
	// that is the policy's own.
	place int
}

// duty is a compiled duty.
type duty struct {
	duty          *Duty
	when, require *expression // when is nil if every call brings the duty
}

// ErrNoTool is the cause of a mistake in a guard whose tool is none of the deployment's. Such a guard
// decides no call: a mistyped name protects nothing.
var ErrNoTool = errors.New("no such tool")

// Consequence says for a log what a mistake that [Compile] found does to calls.
func Consequence(mistake *Error) string {
	if errors.Is(mistake, ErrNoTool) {
		return "a rule decides no call, since no tool is called as it says"
	}
	return "a rule can't be used, and its tool is denied"
}

// Compile checks and compiles guard files. The error is of type [Errors] and has
// every mistake of every file. Compile then still returns a set, in which the guards
// of files with mistakes deny every call of their tools. A tool that there isn't
// ([ErrNoTool]) denies nothing: there are no calls of it.
func Compile(files []*File, s Deployment) (*Set, error) {
	u, err := newUniverse(s)
	if err != nil {
		return nil, err
	}

	set := &Set{guards: map[toolName]*Guard{}}
	var errs Errors
	var list []*Guard
	environments := map[string]*environment{}
	for _, f := range files {
		g := &Guard{File: f, Server: f.Server, Tool: f.Tool, types: u.session, onlyReads: u.onlyReads}
		definition, mistake := u.subject(g)
		name := toolName{g.Server, g.Tool}
		first, twice := set.guards[name]
		if mistake == nil && twice {
			mistake = &Error{Position: f.Position, Message: fmt.Sprintf("%s has policies for %q already", first.File.Position.File, g.Tool), Hint: "keep one file a tool"}
		}
		if mistake != nil {
			errs = append(errs, mistake)
			g.broken = mistake
			if twice {
				first.broken = mistake // neither of the two files takes precedence
			} else {
				set.guards[name] = g
			}
			continue
		}

		set.guards[name] = g
		if environments[g.Server] == nil {
			if environments[g.Server], err = u.environment(g.Server); err != nil {
				return nil, err
			}
		}
		g.readers, g.environment = map[string]*reader{}, environments[g.Server]
		g.args = record.Anything()
		if g.Tool == EveryTool {
			g.args = record.AnyObject()
		} else if definition != nil {
			g.args = u.types.Add(g.Tool+"/args", definition.Input)
		}
		list = append(list, g)
	}

	u.callees(set)
	for i, mistakes := range compileAll(list, environments) {
		if len(mistakes) > 0 {
			mistakes.Sort()
			errs = append(errs, mistakes...)
			// A policy without one of its tools holds for the others.
			if wrong := slices.DeleteFunc(slices.Clone(mistakes), func(m *Error) bool { return errors.Is(m, ErrNoTool) }); len(wrong) > 0 {
				list[i].broken = wrong
			}
		}
	}

	set.listen()
	if len(errs) > 0 {
		return set, errs
	}
	return set, nil
}

// compileAll compiles guards in parallel and returns the mistakes of each. Most of
// the time goes into parsing.
func compileAll(list []*Guard, environments map[string]*environment) []Errors {
	mistakes := make([]Errors, len(list))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			for i := range next {
				c := &compiler{environment: environments[list[i].Server], guard: list[i]}
				c.compile()
				mistakes[i] = c.mistakes
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	return mistakes
}

// subject finds the definition of a guard's tool, and sets the server if the file
// doesn't. It returns no definition for [EveryTool], and if no tool is known.
func (u *universe) subject(g *Guard) (*schema.Tool, *Error) {
	if g.Tool == EveryTool {
		return nil, u.checkServer(g)
	}

	servers := u.scope.serversOf(g.Tool)
	if g.Server == "" && len(servers) > 1 {
		return nil, severalServers(g.Tool, g.File.Position)
	}
	c, mistake := u.find(g.Server, g.Tool, g.File.Position)
	if c != nil {
		g.Server = c.Server
		definition, _ := c.Tool(g.Tool)
		return definition, nil
	}

	server := g.Server
	if server == "" && len(servers) == 1 {
		server = servers[0]
	}
	isContracted := slices.Contains(servers, server)
	if mistake != nil && errors.Is(mistake, ErrNoTool) && isContracted {
		mistake = nil // calls of it are decided by its contract, and its arguments have no types
	}
	switch {
	case mistake != nil:
	case isContracted:
		g.Server = server
	case u.scope.Complete:
		mistake = u.noTool(g.Server, g.Tool, g.File.Position)
	}
	return nil, mistake
}

// serversOf returns the servers that have a tool, by their definitions or by their contracts. A
// guard that doesn't say which of them it is for would leave the others without one.
func (d *Deployment) serversOf(tool string) []string {
	var out []string
	for _, c := range d.Tools {
		if _, ok := c.Tool(tool); ok {
			out = append(out, c.Server)
		}
	}
	for _, f := range d.Contracts {
		if _, ok := f.Tool(tool); ok {
			out = append(out, f.Server)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// severalServers is the mistake of a name that says no server, where several have the tool.
func severalServers(tool string, at Position) *Error {
	return &Error{Position: at, Message: fmt.Sprintf("several servers have a tool %q", strictyaml.Clip(tool)), Hint: "say which with 'server: NAME'"}
}

// find returns the catalogue that has a tool, or nil if no tool is known.
func (u *universe) find(server, tool string, at Position) (*schema.Catalogue, *Error) {
	var found []*schema.Catalogue
	for _, c := range u.scope.Tools {
		if server != "" && c.Server != server {
			continue
		}
		if _, ok := c.Tool(tool); ok {
			found = append(found, c)
		}
	}

	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, severalServers(tool, at)
	case len(u.scope.Tools) > 0:
		return nil, u.noTool(server, tool, at)
	}

	return nil, nil
}

// noTool is the mistake of a name that no tool has.
func (u *universe) noTool(server, tool string, at Position) *Error {
	return &Error{Position: at, Message: fmt.Sprintf("there is no tool %q", strictyaml.Clip(tool)), Hint: strictyaml.DidYouMean(tool, u.scope.toolNames(server)), Cause: ErrNoTool}
}

// compiler compiles the guard of one tool.
type compiler struct {
	*environment
	guard    *Guard
	scopes   map[string]*cel.Env // by the variables that they declare
	known    map[written]*expression
	places   map[string]int // of shared values, by how they are written
	mistakes Errors
}

// written is an expression's text in an environment. Policies of a tool often share
// variables, and parsing is expensive.
type written struct {
	env  *cel.Env
	text string
}

func (c *compiler) compile() {
	c.known, c.places = map[written]*expression{}, map[string]int{}
	env, err := c.env.Extend(cel.Variable(argsVariable, c.guard.args.Type))
	if err != nil {
		c.fail(c.guard.File.Position, "", "%s", err)
		return
	}
	c.scopes = map[string]*cel.Env{"": env}
	for i := range c.guard.File.Policies {
		c.guard.policies = append(c.guard.policies, c.policy(&c.guard.File.Policies[i], env))
	}
	c.guard.shared = len(c.places)

	for i := range c.guard.File.Duties {
		d := &duty{duty: &c.guard.File.Duties[i]}
		if !d.duty.When.Empty() {
			d.when = c.condition(env, d.duty.When)
		}
		d.require = c.condition(env, d.duty.Require)
		c.guard.duties = append(c.guard.duties, d)
	}
}

func (c *compiler) policy(p *Policy, env *cel.Env) *compiledPolicy {
	it := &compiledPolicy{policy: p}
	it.absent = c.checkTools(p)
	signature, before := "", ""
	origins := map[string]bool{}
	for _, v := range p.Variables {
		e := c.expression(env, v.Value)
		before += v.Name + "=" + v.Value.Text + "\x00"
		at := -1
		if len(p.Guessed) == 0 { // what a look-up is taken to return, each policy guesses by itself
			at = c.place(e, before)
		}
		it.variables = append(it.variables, &variable{v.Name, e, at})
		kind := cel.DynType // if it has mistakes, so that the other mistakes are found too
		if e != nil {
			kind = e.ast.OutputType()
			origins[v.Name] = c.origins(v.Value, e.ast, origins)
		}
		// Policies of a tool often share variables, and an environment is expensive.
		signature += v.Name + ":" + cel.FormatCELType(kind) + ";"
		if known, ok := c.scopes[signature]; ok {
			env = known
			continue
		}
		extended, err := env.Extend(cel.Variable(v.Name, kind))
		if err != nil {
			c.fail(v.Value.Position, "", "%s", err)
			return it
		}

		env = extended
		c.scopes[signature] = env
	}

	if !p.Require.Empty() {
		if it.require = c.condition(env, p.Require); it.require != nil {
			c.origins(p.Require, it.require.ast, origins)
		}
	}
	it.guess(c.guard.File)

	return it
}

// place returns where the value of a variable is shared that is written so, with those
// before it. What hangs on words or labels is each policy's own: it may leave something
// unsettled.
func (c *compiler) place(e *expression, written string) int {
	if e == nil {
		return -1
	}
	own := false
	walk(e.ast.NativeRep().Expr(), func(x ast.Expr) {
		if x.Kind() == ast.CallKind {
			_, words := wordFunctions[x.AsCall().FunctionName()]
			own = own || words || x.AsCall().FunctionName() == labelFunction
		}
	})
	if own {
		return -1
	}
	if _, ok := c.places[written]; !ok {
		c.places[written] = len(c.places)
	}
	return c.places[written]
}

// condition compiles an expression that must be true or false.
func (c *compiler) condition(env *cel.Env, e Expression) *expression {
	x := c.expression(env, e)
	if x == nil {
		return nil
	}
	if t := x.ast.OutputType(); t != cel.BoolType && t != cel.DynType {
		c.fail(e.Position, "write what must hold, such as args.amount <= 100", "the expression is a %s, and must be true or false", cel.FormatCELType(t))
		return nil
	}
	return x
}

func (c *compiler) fail(at Position, hint, format string, args ...any) {
	c.mistakes = append(c.mistakes, &Error{Position: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Only returns a guard with one of the policies, and false if there is no policy of
// that name.
func (g *Guard) Only(policy string) (*Guard, bool) {
	i := slices.IndexFunc(g.policies, func(it *compiledPolicy) bool { return it.policy.Name == policy })
	if i < 0 {
		return nil, false
	}
	one := *g
	one.policies = g.policies[i : i+1]
	return &one, true
}

// Err returns why the guard can't be used, or nil.
func (g *Guard) Err() error { return g.broken }
