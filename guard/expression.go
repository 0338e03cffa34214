package guard

import (
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/direct"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
)

// MaxCost bounds the cost of one evaluation of one expression, in CEL's units: a
// comparison costs one, a search in a text a tenth of its length. An evaluation at the
// limit takes some tens of milliseconds; rules usually cost a hundredth of it.
const MaxCost = 200_000

// expression is a compiled expression. Its programs are made when they are first
// needed: most expressions never have to be explained.
type expression struct {
	env *cel.Env
	ast *cel.Ast
	// asks reports whether it calls functions whose answers depend on the call.
	asks bool

	// direct evaluates it in the ordinary case; nil where all is left to plan.
	direct   func() *direct.Program
	plan     func() (cel.Program, error)
	explain  func() (cel.Program, error)
	estimate func() cost.Estimate
}

// Written returns an expression that is not part of a file. Mistakes have the lines
// and columns of the text, under the given name.
func Written(name, text string) Expression {
	e := Expression{Position: Position{File: name, Line: 1, Column: 1}, Text: text}
	at := e.Position
	for _, r := range text {
		e.places = append(e.places, at)
		if at.Column++; r == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
	}
	e.places = append(e.places, at)
	return e
}

// expression parses and checks an expression. It returns nil after a mistake.
func (c *compiler) expression(env *cel.Env, e Expression) *expression {
	if x := c.known[written{env, e.Text}]; x != nil {
		return x
	}
	parsed, issues := c.parse(env, e.Text)
	if issues.Err() != nil {
		c.issues(e, issues)
		return nil
	}

	before := len(c.mistakes)
	for _, id := range decimal.Literals(parsed.NativeRep()) {
		c.fail(e.at(parsed, id), `write decimal("…")`, "the number has more digits than can be read exactly")
	}
	c.checkCalls(e, parsed)
	if len(c.mistakes) > before {
		return nil
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		c.issues(e, issues, c.members(env, parsed)...)
		return nil
	}
	asks := c.checkMeaning(e, checked)
	if len(c.mistakes) > before {
		return nil
	}

	x := newExpression(env, c.functions, checked)
	x.asks = asks
	if c.known != nil {
		c.known[written{env, e.Text}] = x
	}
	return x
}

func newExpression(env *cel.Env, functions *direct.Functions, checked *cel.Ast) *expression {
	x := &expression{env: env, ast: checked}
	x.direct = sync.OnceValue(func() *direct.Program { return direct.Compile(functions, checked) })
	x.estimate = sync.OnceValue(func() cost.Estimate {
		estimate, err := env.EstimateCost(checked, sizes{})
		if err != nil {
			return cost.UnknownCostEstimate()
		}
		return estimate
	})

	regexes := cel.OptimizeRegex(interpreter.MatchesRegexOptimization)
	x.plan = sync.OnceValues(func() (cel.Program, error) {
		if x.estimate().Max <= MaxCost {
			// It can't reach the limit, so that nothing has to be counted.
			return env.Program(checked, regexes)
		}
		return env.Program(checked, regexes, cel.CostLimit(MaxCost))
	})

	x.explain = sync.OnceValues(func() (cel.Program, error) {
		return env.Program(checked, regexes, cel.CostLimit(MaxCost), cel.EvalOptions(cel.OptTrackState))
	})
	return x
}

// at returns the place in the file of a node of the syntax tree.
func (e Expression) at(a *cel.Ast, id int64) Position {
	r, ok := a.NativeRep().SourceInfo().GetOffsetRange(id)
	if !ok {
		return e.Position
	}
	return e.places.position(int(r.Start), e.Position)
}

// issues records the mistakes that CEL found, each at its place in the file. Of a member that
// a record doesn't have, the hint names those that it has.
func (c *compiler) issues(e Expression, issues *cel.Issues, members ...member) {
	for _, err := range issues.Errors() {
		at := e.Position
		if line, column := err.Location.Line(), err.Location.Column(); line > 0 {
			at = e.places.position(offset(e.Text, line, column), e.Position)
		}

		hint := insteadOf(err.Message)
		for _, m := range members {
			if m.node == err.ExprID {
				hint = strictyaml.DidYouMean(m.name, m.names)
			}
		}
		c.fail(at, hint, "%s", plainly(err.Message))
	}
}

// member is a selection from a record that has no such member.
type member struct {
	node  int64
	name  string
	names []string
}

// members returns the selections whose record is known before types are checked, and has no
// such member: those that begin with a variable or a look-up, not with a macro's own variable.
func (c *compiler) members(env *cel.Env, parsed *cel.Ast) []member {
	provider := env.CELTypeProvider()
	var out []member
	walk(parsed.NativeRep().Expr(), func(e ast.Expr) {
		if e.Kind() != ast.SelectKind {
			return
		}
		from, name := c.typeOf(env, e.AsSelect().Operand()), e.AsSelect().FieldName()
		if from == nil || from.Kind() != types.StructKind {
			return
		}
		if names, ok := provider.FindStructFieldNames(from.TypeName()); ok && !slices.Contains(names, name) {
			out = append(out, member{e.ID(), name, names})
		}
	})
	return out
}

// typeOf returns the type of an expression that names a value; nil for all others.
func (c *compiler) typeOf(env *cel.Env, e ast.Expr) *cel.Type {
	switch e.Kind() {
	case ast.IdentKind:
		for _, v := range env.Variables() {
			if v.Name() == e.AsIdent() {
				return v.Type()
			}
		}

	case ast.SelectKind:
		from := c.typeOf(env, e.AsSelect().Operand())
		if from == nil || from.Kind() != types.StructKind {
			return nil
		}
		if f, ok := env.CELTypeProvider().FindStructFieldType(from.TypeName(), e.AsSelect().FieldName()); ok {
			return f.Type
		}

	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() == operators.Index {
			if list := c.typeOf(env, call.Args()[0]); list != nil && list.Kind() == types.ListKind {
				return list.Parameters()[0]
			}
			return nil
		}
		name := call.FunctionName()
		if call.IsMemberFunction() {
			target, _ := qualified(call.Target())
			name = target + "." + name
		}
		if r := c.readers[name]; r != nil {
			return r.output.Type
		}
	}
	return nil
}

// offset returns the number of characters before a line and column of a text.
func offset(text string, line, column int) int {
	n := 0
	for _, r := range text {
		if line == 1 {
			break
		}
		if r == '\n' {
			line--
		}
		n++
	}
	return n + column
}

// sizes estimates how large the values of an expression can be.
type sizes struct{}

// EstimateSize implements [cost.Estimator]. Arguments of a call are bounded; results
// of tools and the history have no bound that would help.
func (sizes) EstimateSize(n cost.AstNode) *cost.SizeEstimate {
	path := n.Path()
	if len(path) == 0 || path[0] != argsVariable {
		return nil
	}
	limits := strictjson.DefaultLimits()
	most := limits.Size
	if k := n.Type().Kind(); k == types.ListKind || k == types.MapKind {
		most = limits.Leaves
	}
	return &cost.SizeEstimate{Max: uint64(most)}
}

// EstimateCallCost implements [cost.Estimator].
func (sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// walk calls a function for every node of a syntax tree, parents first. CEL's own
// visitor allocates for each node, which counts where there are thousands of rules.
func walk(e ast.Expr, each func(e ast.Expr)) {
	each(e)
	down := func(e ast.Expr) { walk(e, each) }
	if e.Kind() != ast.ComprehensionKind {
		children(e, down)
		return
	}
	c := e.AsComprehension()
	for _, part := range [...]ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		down(part)
	}
}
