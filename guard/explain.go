package guard

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/reply"
)

// maxValues bounds the values that a violation lists.
const maxValues = 12

// values returns the parts of a rule that decided: the fields, variables and function
// calls that were evaluated. It evaluates a violated rule again, so that the other
// rules need no bookkeeping.
func (v *verdict) values() []Value {
	e := v.scope.policy.require
	program, err := e.explain()
	if err != nil {
		return nil
	}
	_, details, err := program.Eval(e.activation(&v.scope))
	if details == nil {
		return nil
	}
	if err != nil && details.State() == nil {
		return nil
	}

	var out []Value
	seen := map[string]bool{}
	info := e.ast.NativeRep().SourceInfo()
	var visit func(n ast.Expr)
	visit = func(n ast.Expr) {
		if !shows(n) {
			children(n, visit)
			return
		}
		val, ok := details.State().Value(n.ID())
		if !ok || types.IsUnknownOrError(val) || len(out) == maxValues {
			children(n, visit)
			return
		}
		name, err := cel.ExprToString(n, info)
		if err != nil || seen[name] {
			return
		}
		seen[name] = true
		out = append(out, Value{Name: cut(name, MaxShown), Value: cut(record.Text(val), MaxShown)})
		if val == types.False {
			out = append(out, v.unnamed(n, details.State())...)
		}
	}

	visit(e.ast.NativeRep().Expr())
	return out
}

// unnamed returns which values of several were not listed, or not stated, where a rule asks
// whether all were.
func (v *verdict) unnamed(n ast.Expr, state interpreter.EvalState) []Value {
	const most = 4
	if n.Kind() != ast.CallKind || len(n.AsCall().Args()) != 1 {
		return nil
	}
	function := n.AsCall().FunctionName()
	notion, ok := map[string]notion{listedFunction: listedNotion, statedFunction: statedNotion}[function]
	all, known := state.Value(n.AsCall().Args()[0].ID())
	if !ok || !known {
		return nil
	}

	var out []Value
	leaves := leavesOf(all, nil)
	for _, l := range leaves {
		if l.err != nil || len(leaves) == 1 || len(out) == most {
			continue
		}
		if answer, _ := v.scope.x.named(v.scope.x.talk(), notion, l.text); answer == reply.Refused {
			out = append(out, Value{Name: cut(fmt.Sprintf("%s.%s(%q)", sessionVariable, function, l.text), MaxShown), Value: "false"})
		}
	}
	return out
}

// shows reports whether the value of a node explains something by itself.
func shows(n ast.Expr) bool {
	switch n.Kind() {
	case ast.SelectKind:
		return true
	case ast.IdentKind:
		name := n.AsIdent()
		return name != sessionVariable && name != argsVariable
	case ast.CallKind:
		_, operator := operators.FindReverse(n.AsCall().FunctionName())
		return !operator && varies(n)
	}
	return false
}

// varies reports whether a part depends on a variable.
func varies(n ast.Expr) bool {
	found := false
	walk(n, func(e ast.Expr) { found = found || e.Kind() == ast.IdentKind })
	return found
}

// children visits the direct parts of a node. It leaves out the body of a
// comprehension, which has a value for each element.
func children(n ast.Expr, visit func(ast.Expr)) {
	switch n.Kind() {
	case ast.CallKind:
		if n.AsCall().IsMemberFunction() {
			visit(n.AsCall().Target())
		}
		for _, a := range n.AsCall().Args() {
			visit(a)
		}
	case ast.SelectKind:
		visit(n.AsSelect().Operand())
	case ast.ComprehensionKind:
		visit(n.AsComprehension().IterRange())
	case ast.ListKind:
		for _, e := range n.AsList().Elements() {
			visit(e)
		}
	case ast.MapKind:
		for _, e := range n.AsMap().Entries() {
			visit(e.AsMapEntry().Key())
			visit(e.AsMapEntry().Value())
		}
	}
}
