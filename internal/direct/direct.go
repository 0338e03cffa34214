// Package direct evaluates checked CEL expressions as closures over values of CEL. It knows
// the ordinary case only: where anything fails, is unknown, costs much or is rare, it has no
// answer, and cel-go is to evaluate the expression. So an answer is the one of cel-go, sooner,
// and errors are always those of cel-go.
package direct

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Source is what an expression is evaluated on.
type Source interface {
	// Value returns a variable; nil or an error of CEL where it has no value.
	Value(name string) ref.Val
	// Call calls a function that is bound late.
	Call(function string, args []ref.Val) ref.Val
}

// Functions are the functions of an environment. They are safe for concurrent use.
type Functions struct {
	env *cel.Env

	mu    sync.Mutex
	known map[string][]*functions.Overload
}

// NewFunctions returns the functions that an environment declares. Environments that extend
// it by variables have the same.
func NewFunctions(env *cel.Env) *Functions {
	return &Functions{env: env, known: map[string][]*functions.Overload{}}
}

// find returns what is called by a function's name and, where only one is meant, the id of
// an overload: what cel-go's planner finds.
func (f *Functions) find(name, overload string) *functions.Overload {
	f.mu.Lock()
	defer f.mu.Unlock()
	bindings, ok := f.known[name]
	if !ok {
		if declared, exists := f.env.Functions()[name]; exists {
			bindings, _ = declared.Bindings()
		}
		f.known[name] = bindings
	}

	var byName *functions.Overload
	for _, b := range bindings {
		switch b.Operator {
		case overload:
			return b
		case name:
			byName = b
		}
	}
	return byName
}

// declaration returns an overload as it is declared; nil where none is meant.
func (f *Functions) declaration(name, overload string) *decls.OverloadDecl {
	declared, ok := f.env.Functions()[name]
	if !ok {
		return nil
	}
	for _, o := range declared.OverloadDecls() {
		if o.ID() == overload {
			return o
		}
	}
	return nil
}

// Program is an expression that can be evaluated directly. It is immutable and safe for
// concurrent use.
type Program struct {
	root   node
	names  []string // of the variables, by their places
	locals int      // places of loops' variables
	cost   int
}

// Eval evaluates the expression. It returns nil where cel-go is to do it: where something
// fails or is unknown, and where the cost might exceed the limit. What an answer cost is no
// less than what cel-go counts.
func (p *Program) Eval(s Source, limit int) ref.Val {
	v, _ := p.eval(s, limit)
	return v
}

func (p *Program) eval(s Source, limit int) (v ref.Val, left int) {
	defer func() {
		if recover() != nil {
			v = nil // an error of cel-go, whose functions may panic
		}
	}()

	f := frames.Get().(*frame)
	f.begin(p, s, limit)
	if f.spend(p.cost) {
		v = p.root(f)
	}
	left = f.left
	f.end()
	frames.Put(f)
	return v, left
}

// node evaluates a part of an expression; nil is no answer.
type node func(f *frame) ref.Val

// frame is one evaluation.
type frame struct {
	source Source
	names  []string
	values []ref.Val // of variables, nil until they are read
	locals []ref.Val // of loops
	left   int       // of the cost
}

var frames = sync.Pool{New: func() any { return new(frame) }}

func (f *frame) begin(p *Program, s Source, limit int) {
	f.source, f.names, f.left = s, p.names, limit
	f.values = places(f.values, len(p.names))
	f.locals = places(f.locals, p.locals)
}

// places returns a cleared list of a length.
func places(list []ref.Val, n int) []ref.Val {
	if cap(list) < n {
		return make([]ref.Val, n)
	}
	return list[:n]
}

// end lets go of all values.
func (f *frame) end() {
	clear(f.values)
	clear(f.locals)
	f.source = nil
}

// spend takes from what may be spent, and reports whether there was so much.
func (f *frame) spend(cost int) bool {
	f.left -= cost
	return f.left >= 0
}

// settled returns a value that a function gave; nil for an error, or what isn't known yet.
func settled(v ref.Val) ref.Val {
	switch v.(type) {
	case *types.Err, *types.Unknown:
		return nil
	}
	return v
}
