package mutation

import (
	"fmt"
	"math"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/guard"
)

// change is an expression that differs from a rule's in one place.
type change struct {
	what string
	text string
}

// operatorsFor are what operators are taken for by mistake.
var operatorsFor = map[string][]string{
	operators.Less:          {operators.LessEquals, operators.Greater},
	operators.LessEquals:    {operators.Less, operators.GreaterEquals},
	operators.Greater:       {operators.GreaterEquals, operators.Less},
	operators.GreaterEquals: {operators.Greater, operators.LessEquals},
	operators.Equals:        {operators.NotEquals},
	operators.NotEquals:     {operators.Equals},
	operators.LogicalAnd:    {operators.LogicalOr},
	operators.LogicalOr:     {operators.LogicalAnd},
	operators.Add:           {operators.Subtract},
	operators.Subtract:      {operators.Add},
	operators.Multiply:      {operators.Divide},
	operators.Divide:        {operators.Multiply},
}

// macrosFor are what loops are taken for by mistake.
var macrosFor = map[string]string{"all": "exists", "exists": "all", "exists_one": "exists", "existsOne": "exists"}

// edit is one way to change a tree: it does so at a node, in place.
type edit struct {
	node  int64
	what  string
	apply func(e ast.Expr, f ast.ExprFactory, id func() int64)
}

// parser reads expressions with loops as calls: what is in them can be changed there, and the
// rest is written out unchanged.
func parser() (*cel.Env, error) {
	return cel.NewCustomEnv(cel.OptionalTypes(), cel.ClearMacros(), cel.ParserExpressionSizeLimit(guard.MaxExpression))
}

// changesOf lists the changes that edits make of an expression. Each is proven to be one: its
// text is read again, and its tree is another than the rule's.
func changesOf(g *guard.Guard, text string, edits func(*guard.Guard, *ast.AST) []edit) ([]change, error) {
	env, err := parser()
	if err != nil {
		return nil, err
	}
	original, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, issues.Err()
	}

	var out []change
	seen := map[string]bool{}
	for _, e := range edits(g, original.NativeRep()) {
		if len(out) == MaxMutants {
			break
		}
		mutant, issues := env.Parse(text)
		if issues.Err() != nil {
			return nil, issues.Err()
		}

		tree := mutant.NativeRep()
		last := ast.MaxID(tree)
		next := func() int64 { last++; return last }
		ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(n ast.Expr) {
			if n.ID() == e.node && n.Kind() != ast.UnspecifiedExprKind {
				e.apply(n, ast.NewExprFactory(), next)
				e.node = 0 // once
			}
		}))

		written, err := cel.AstToString(mutant)
		if err != nil || seen[written] {
			continue
		}
		again, issues := env.Parse(written)
		if issues.Err() != nil || ast.EquivExpr(again.NativeRep().Expr(), original.NativeRep().Expr()) {
			continue
		}

		seen[written] = true
		out = append(out, change{e.what, written})
	}

	return out, nil
}

// editsOf lists the edits of a tree, in the order in which it is written.
func editsOf(g *guard.Guard, a *ast.AST) []edit {
	var out []edit
	ast.PreOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			out = append(out, callEdits(e)...)
		case ast.LiteralKind:
			out = append(out, literalEdits(e)...)
		case ast.SelectKind:
			for _, sibling := range g.Siblings(e.AsSelect().FieldName()) {
				out = append(out, edit{e.ID(), e.AsSelect().FieldName() + " becomes " + sibling, func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
					e.SetKindCase(f.NewSelect(e.ID(), f.CopyExpr(e.AsSelect().Operand()), sibling))
				}})
			}
		}
	}))
	out = append(out, edit{a.Expr().ID(), "the whole is negated", negate})
	return out
}

func callEdits(e ast.Expr) []edit {
	call := e.AsCall()
	name := call.FunctionName()
	var out []edit
	for _, other := range operatorsFor[name] {
		was, _ := operators.FindReverse(name)
		is, _ := operators.FindReverse(other)
		out = append(out, edit{e.ID(), was + " becomes " + is, func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
			args := copies(f, e.AsCall().Args())
			e.SetKindCase(f.NewCall(e.ID(), other, args...))
		}})
	}

	switch {
	case name == operators.LogicalAnd || name == operators.LogicalOr:
		for i, part := range []string{"the left part", "the right part"} {
			out = append(out,
				edit{e.ID(), part + " is dropped", func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
					e.SetKindCase(f.CopyExpr(e.AsCall().Args()[1-i]))
				}},
				edit{call.Args()[i].ID(), part + " is negated", negate})
		}
	case name == operators.LogicalNot:
		out = append(out, edit{e.ID(), "the negation is dropped", func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
			e.SetKindCase(f.CopyExpr(e.AsCall().Args()[0]))
		}})
	case name == operators.Conditional:
		out = append(out, edit{call.Args()[0].ID(), "the condition is negated", negate})
	case name == operators.In:
		out = append(out, edit{e.ID(), "in becomes not in", negate})
	case call.IsMemberFunction() && macrosFor[name] != "" && len(call.Args()) >= 2:
		out = append(out, edit{e.ID(), name + " becomes " + macrosFor[name], func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
			c := e.AsCall()
			e.SetKindCase(f.NewMemberCall(e.ID(), macrosFor[name], f.CopyExpr(c.Target()), copies(f, c.Args())...))
		}})
	case name == "duration" && len(call.Args()) == 1 && call.Args()[0].Kind() == ast.LiteralKind:
		out = append(out, durationEdits(call.Args()[0])...)
	}

	return out
}

func copies(f ast.ExprFactory, list []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, e := range list {
		out[i] = f.CopyExpr(e)
	}
	return out
}

func negate(e ast.Expr, f ast.ExprFactory, id func() int64) {
	inner := f.NewUnspecifiedExpr(id())
	inner.SetKindCase(f.CopyExpr(e))
	e.SetKindCase(f.NewCall(e.ID(), operators.LogicalNot, inner))
}

// literalEdits move numbers by one.
func literalEdits(e ast.Expr) []edit {
	var out []edit
	for _, by := range []int64{1, -1} {
		what := fmt.Sprintf("%v becomes one more", e.AsLiteral().Value())
		if by < 0 {
			what = fmt.Sprintf("%v becomes one less", e.AsLiteral().Value())
		}
		switch v := e.AsLiteral().(type) {
		case types.Int:
			if v < math.MaxInt64 && v > math.MinInt64 {
				out = append(out, edit{e.ID(), what, literal(v + types.Int(by))})
			}
		case types.Double:
			out = append(out, edit{e.ID(), what, literal(v + types.Double(by))})
		case types.Bool:
			if by > 0 {
				out = append(out, edit{e.ID(), fmt.Sprintf("%v becomes %v", v, !v), literal(!v)})
			}
		}
	}

	return out
}

// durationEdits move a time span by a second.
func durationEdits(e ast.Expr) []edit {
	text, ok := e.AsLiteral().(types.String)
	if !ok {
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return nil
	}
	var out []edit
	for _, by := range []time.Duration{time.Second, -time.Second} {
		moved := (d + by).String()
		out = append(out, edit{e.ID(), fmt.Sprintf("%s becomes %s", d, moved), literal(types.String(moved))})
	}
	return out
}

func literal(v ref.Val) func(e ast.Expr, f ast.ExprFactory, id func() int64) {
	return func(e ast.Expr, f ast.ExprFactory, _ func() int64) { e.SetKindCase(f.NewLiteral(e.ID(), v)) }
}
