package direct

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// nodeCost is charged for every part of an expression: no less than cel-go charges for one,
// whatever it is, except for what depends on the sizes of values.
const nodeCost = 50

// Compile makes a program of a checked expression. It returns nil for one with parts that are left
// to cel-go, and for one of which cel-go makes none: that fails whatever its values are.
func Compile(f *Functions, checked *cel.Ast) *Program {
	native := checked.NativeRep()
	if !native.IsChecked() {
		return nil
	}
	c := &compiler{functions: f, ast: native}
	root := c.node(native.Expr())
	if root == nil {
		return nil
	}
	return &Program{root: root, names: c.names, locals: c.locals, cost: c.cost}
}

type compiler struct {
	functions *Functions
	ast       *ast.AST
	names     []string
	scopes    []local // of the loops around a part, the innermost last
	locals    int
	cost      int // of the parts so far
}

// local is a variable of a loop.
type local struct {
	name  string
	place int
	begin node // what an accumulator is before it is first read; nil for others
}

// node compiles a part; nil where it is left to cel-go.
func (c *compiler) node(e ast.Expr) node {
	c.cost += nodeCost
	switch e.Kind() {
	case ast.LiteralKind:
		return constant(e.AsLiteral())
	case ast.IdentKind:
		return c.name(e.ID(), e.AsIdent())
	case ast.SelectKind:
		return c.selection(e)
	case ast.CallKind:
		return c.call(e)
	case ast.ListKind:
		return c.list(e.AsList())
	case ast.MapKind:
		return c.mapping(e.AsMap())
	case ast.ComprehensionKind:
		return c.loop(e.AsComprehension())
	}
	return nil
}

// nodes compiles several parts.
func (c *compiler) nodes(list []ast.Expr) ([]node, bool) {
	out := make([]node, len(list))
	for i, e := range list {
		if out[i] = c.node(e); out[i] == nil {
			return nil, false
		}
	}
	return out, true
}

func constant(v ref.Val) node { return func(*frame) ref.Val { return v } }

// name compiles a variable, a loop's variable, or a declared constant.
func (c *compiler) name(id int64, name string) node {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if l := &c.scopes[i]; l.name == name {
			if _, is := typesByName[name]; is {
				return nil // cel-go may take it for the type
			}
			return l.read()
		}
	}

	if r, ok := c.ast.ReferenceMap()[id]; ok {
		if r.Value != nil {
			return constant(r.Value)
		}
		if r.Name != "" {
			name = r.Name
		}
	}
	if c.ast.GetType(id).Kind() == types.TypeKind {
		if is, ok := typesByName[name]; ok {
			return constant(is)
		}
		return nil
	}
	if strings.HasPrefix(name, ".") {
		return nil
	}
	return c.variable(name)
}

// typesByName are the types of what arguments and results have.
var typesByName = map[string]*types.Type{
	"bool": types.BoolType, "int": types.IntType, "string": types.StringType, "list": types.ListType, "map": types.MapType, "null_type": types.NullType,
}

func (l *local) read() node {
	place, begin := l.place, l.begin
	if begin == nil {
		return func(f *frame) ref.Val { return f.locals[place] }
	}
	return func(f *frame) ref.Val {
		if f.locals[place] == nil {
			f.locals[place] = begin(f)
		}
		return f.locals[place]
	}
}

func (c *compiler) variable(name string) node {
	place := slices.Index(c.names, name)
	if place < 0 {
		place = len(c.names)
		c.names = append(c.names, name)
	}
	return func(f *frame) ref.Val {
		v := f.values[place]
		if v == nil {
			if v = f.source.Value(f.names[place]); v != nil {
				v = settled(v)
			}
			f.values[place] = v
		}
		return v
	}
}

func (c *compiler) selection(e ast.Expr) node {
	if r, ok := c.ast.ReferenceMap()[e.ID()]; ok {
		return c.name(e.ID(), r.Name)
	}
	s := e.AsSelect()
	operand, field := c.node(s.Operand()), s.FieldName()
	if operand == nil {
		return nil
	}
	if s.IsTestOnly() {
		return has(operand, types.String(field))
	}
	return at(operand, constant(types.String(field)), false)
}

func (c *compiler) list(l ast.ListExpr) node {
	elements, ok := c.nodes(l.Elements())
	if !ok || len(l.OptionalIndices()) > 0 {
		return nil
	}
	make := func(f *frame) ref.Val {
		values := make([]ref.Val, len(elements))
		for i, e := range elements {
			if values[i] = e(f); values[i] == nil {
				return nil
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, values)
	}
	if literal(l.Elements()) {
		return constant(make(nil))
	}
	return make
}

// literal reports whether parts are written out.
func literal(parts []ast.Expr) bool {
	return !slices.ContainsFunc(parts, func(e ast.Expr) bool { return e.Kind() != ast.LiteralKind })
}

// mapping compiles a map whose keys are texts that are written out.
func (c *compiler) mapping(m ast.MapExpr) node {
	entries := make([]entry, 0, m.Size())
	for _, e := range m.Entries() {
		one := e.AsMapEntry()
		if one.IsOptional() || one.Key().Kind() != ast.LiteralKind {
			return nil
		}
		key, isText := one.Key().AsLiteral().(types.String)
		value := c.node(one.Value())
		twice := slices.ContainsFunc(entries, func(had entry) bool { return had.key == ref.Val(key) })
		if !isText || value == nil || twice {
			return nil
		}
		entries = append(entries, entry{key, value})
	}
	return object(entries)
}

// call compiles a call of a function or an operator.
func (c *compiler) call(e ast.Expr) node {
	call := e.AsCall()
	parts := call.Args()
	if call.IsMemberFunction() {
		parts = append([]ast.Expr{call.Target()}, parts...)
	}
	args, ok := c.nodes(parts)
	if !ok {
		return nil
	}

	name := call.FunctionName()
	switch {
	case (name == operators.Index || name == operators.OptIndex) && !c.mayIndex(parts[1]):
		return nil
	case name == operators.Conditional:
		return conditional(args[0], args[1], args[2])
	case len(args) == 2 && binary[name] != nil:
		return binary[name](args[0], args[1])
	case name == operators.LogicalNot:
		return not(args[0])
	case name == operators.NotStrictlyFalse:
		return truth(args[0])
	}
	return c.function(e, parts, args)
}

// unbounded are functions whose work the sizes of their arguments don't bound.
var unbounded = []string{"lists.range"}

// mayIndex reports whether an element or a member may be asked for by a part: what doesn't vary, and is neither
// a text nor a number, may fail in cel-go before anything is evaluated.
func (c *compiler) mayIndex(key ast.Expr) bool {
	switch key.Kind() {
	case ast.ListKind, ast.MapKind:
		return false
	case ast.LiteralKind:
		switch key.AsLiteral().(type) {
		case types.String, types.Int:
			return true
		}
		return false
	}
	varies := false
	ast.PostOrderVisit(key, ast.NewExprVisitor(func(e ast.Expr) {
		r, ok := c.ast.ReferenceMap()[e.ID()]
		varies = varies || (e.Kind() == ast.IdentKind && (!ok || r.Value == nil))
	}))
	return varies
}

// flattening is the function whose work the lists in a list add to.
const flattening = "flatten"

// function compiles a call of a declared function.
func (c *compiler) function(e ast.Expr, parts []ast.Expr, args []node) node {
	call := e.AsCall()
	name, overload := call.FunctionName(), ""
	if ids := c.ast.GetOverloadIDs(e.ID()); len(ids) == 1 {
		overload = ids[0]
	}
	b := c.functions.find(name, overload)
	switch {
	case slices.Contains(unbounded, name):
		return nil
	case b == nil || b.Async != nil || b.NonStrict:
		return nil
	case b.LateBound:
		if c.fits(name, overload, parts) {
			return late(name, nil, false, args)
		}
		return late(name, b.LateBoundDispatch, call.IsMemberFunction(), args)
	case name == overloads.Matches:
		if len(parts) != 2 || !literal(parts[1:]) {
			return nil
		}
		pattern, _ := parts[1].AsLiteral().(types.String)
		return matches(args[0], string(pattern))
	}

	if b.OperandTrait != 0 && len(args) > 0 {
		args[0] = having(args[0], b.OperandTrait)
	}
	if literal(parts) && b.OperandTrait == 0 {
		// A number or a date that is written out is read once.
		if v := once(b, literals(parts)); v != nil {
			return constant(v)
		}
	}
	switch {
	case name == flattening && (len(args) != 1 || b.Unary == nil):
		return nil
	case name == flattening:
		return flatten(args[0], b.Unary)
	case len(args) == 1 && b.Unary != nil:
		return unary(args[0], b.Unary, 1)
	case len(args) == 2 && b.Binary != nil:
		return two(args[0], args[1], b.Binary)
	case b.Function != nil:
		return several(args, b.Function)
	}
	return nil
}

// fits reports whether the arguments of a call are of the types that an overload declares,
// whatever their values: what is declared is of the very type, or anything, or a map of texts
// to anything, and such a map is written out.
func (c *compiler) fits(function, overload string, parts []ast.Expr) bool {
	declared := c.functions.declaration(function, overload)
	if declared == nil || len(declared.ArgTypes()) != len(parts) {
		return false
	}
	for i, want := range declared.ArgTypes() {
		have := c.ast.GetType(parts[i].ID())
		switch {
		case want.Kind() == types.DynKind:
		case want.Kind() == types.StructKind && have.IsExactType(want):
		case want.IsExactType(anyMap) && parts[i].Kind() == ast.MapKind:
		default:
			return false
		}
	}
	return true
}

var anyMap = types.NewMapType(types.StringType, types.DynType)

// once calls a function with values that are written out.
func once(b *functions.Overload, values []ref.Val) ref.Val {
	switch {
	case len(values) == 1 && b.Unary != nil:
		return settled(b.Unary(values[0]))
	case len(values) == 2 && b.Binary != nil:
		return settled(b.Binary(values[0], values[1]))
	}
	return nil
}

func literals(parts []ast.Expr) []ref.Val {
	out := make([]ref.Val, len(parts))
	for i, e := range parts {
		out[i] = e.AsLiteral()
	}
	return out
}
