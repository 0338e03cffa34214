package guard

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// originsField is the field of a label that holds its origins.
const originsField = "origins"

// origins returns the names that an origin can have: the classes of every deployment,
// and the tools. It returns none if no tool is known.
func (s Deployment) origins() []string {
	var tools []string
	for _, c := range s.Tools {
		for i := range c.Tools {
			tools = append(tools, label.ToolOrigin(c.Server, c.Tools[i].Name))
		}
	}
	for _, f := range s.Contracts {
		for i := range f.Tools {
			tools = append(tools, label.ToolOrigin(f.Server, f.Tools[i].Name))
		}
	}
	if len(tools) == 0 {
		return nil
	}

	for c := label.OriginSystem; c <= label.OriginUnknown; c++ {
		tools = append(tools, c.String())
	}
	return tools
}

// originCheck looks for texts that an expression compares with origins and that are
// not the name of one: such a rule would be true for every call.
type originCheck struct {
	*compiler
	written Expression
	ast     *cel.Ast
	known   []string
	// lists and names are the variables that hold lists of origins and single ones.
	lists, names map[string]bool
	// texts are the variables that go through a list of texts.
	texts map[string][]ast.Expr
}

// origins checks one expression. The lists are the policy's variables that hold
// origins. It reports whether the value of this expression is such a list.
func (c *compiler) origins(e Expression, a *cel.Ast, lists map[string]bool) bool {
	o := &originCheck{compiler: c, written: e, ast: a, known: c.environment.origins, lists: lists, names: map[string]bool{}, texts: map[string][]ast.Expr{}}
	if o.known != nil {
		o.look(a.NativeRep().Expr())
	}
	return o.list(a.NativeRep().Expr())
}

// look checks an expression and what is in it.
func (o *originCheck) look(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		o.call(e.AsCall())
	case ast.ComprehensionKind:
		o.comprehension(e.AsComprehension())
		return
	}
	children(e, o.look)
}

func (o *originCheck) call(call ast.CallExpr) {
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	if len(args) != 2 {
		return
	}

	switch name := call.FunctionName(); {
	case name == operators.In:
		if o.list(args[1]) {
			o.text(args[0])
		} else if o.name(args[0]) {
			o.all(args[1])
		}
	case name == operators.Equals, name == operators.NotEquals, strings.HasPrefix(name, "sets."):
		for i, other := range [...]ast.Expr{args[1], args[0]} {
			if o.name(args[i]) {
				o.text(other)
			} else if o.list(args[i]) {
				o.all(other)
			}
		}
	}
}

// comprehension looks into a loop with what its variables hold.
func (o *originCheck) comprehension(c ast.ComprehensionExpr) {
	o.look(c.IterRange())
	o.look(c.AccuInit())

	within := *o
	within.lists, within.names, within.texts = with(o.lists, c.AccuVar(), o.list(c.AccuInit())), o.names, o.texts
	for _, v := range [...]string{c.IterVar(), c.IterVar2()} {
		within.lists = with(within.lists, v, false)
		within.names = with(within.names, v, o.list(c.IterRange()))
		within.texts = with(within.texts, v, elements(c.IterRange()))
	}
	for _, part := range [...]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
		within.look(part)
	}
}

// with returns a copy of a map in which a name has a value.
func with[V any](m map[string]V, name string, value V) map[string]V {
	out := make(map[string]V, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[name] = value
	return out
}

// list reports whether an expression is a list of origins.
func (o *originCheck) list(e ast.Expr) bool {
	switch e.Kind() {
	case ast.IdentKind:
		return o.lists[e.AsIdent()]
	case ast.SelectKind:
		s := e.AsSelect()
		return s.FieldName() == originsField && !s.IsTestOnly() && o.ast.NativeRep().GetType(s.Operand().ID()).IsExactType(o.session.label.Type)
	case ast.ComprehensionKind:
		// What is filtered out of origins are origins.
		c := e.AsComprehension()
		return o.list(c.IterRange()) && o.ast.NativeRep().GetType(e.ID()).IsExactType(cel.ListType(cel.StringType))
	}
	return false
}

// name reports whether an expression is one origin.
func (o *originCheck) name(e ast.Expr) bool {
	switch e.Kind() {
	case ast.IdentKind:
		return o.names[e.AsIdent()]
	case ast.CallKind:
		return e.AsCall().FunctionName() == operators.Index && o.list(e.AsCall().Args()[0])
	}
	return false
}

// all checks the texts of a list that is written out.
func (o *originCheck) all(list ast.Expr) {
	for _, e := range elements(list) {
		o.text(e)
	}
}

func elements(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.ListKind {
		return nil
	}
	return e.AsList().Elements()
}

// text checks a text that is compared with an origin, or the variable that goes
// through some.
func (o *originCheck) text(e ast.Expr) {
	if e.Kind() == ast.IdentKind {
		for _, one := range o.texts[e.AsIdent()] {
			o.text(one)
		}
		return
	}

	text, ok := literalText(e)
	if ok && !slices.Contains(o.known, text) {
		hint := "write SERVER.TOOL, or TOOL where there is no server"
		if near := strictyaml.Suggest(text, o.known); near != "" {
			hint = "did you mean " + near + "?"
		}
		o.fail(o.written.at(o.ast, e.ID()), hint, "no tool has the origin %q", strictyaml.Clip(text))
	}
}
