package decimal

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/stdlib"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// Library returns CEL's standard library with exact numbers. It takes the place
// of [cel.StdLib] in [cel.NewCustomEnv]; expressions are to go through
// [Literals] between parsing and checking.
func Library() cel.EnvOption { return cel.Lib(library{}) }

type library struct{}

// LibraryName names the library for CEL.
func (library) LibraryName() string { return "remit.decimal" }

// arithmetic are the operators on numbers that the library replaces.
var arithmetic = map[string]func(a, b *big.Rat) *big.Rat{
	operators.Add:      func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) },
	operators.Subtract: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) },
	operators.Multiply: func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) },
	operators.Divide:   func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) },
}

// quick are the operators on short numbers; they say where the result might have no room.
var quick = map[string]func(a, b short) (short, bool){operators.Add: short.add, operators.Subtract: short.subtract, operators.Multiply: short.multiply}

// comparisons tell for which orders of two values they hold.
var comparisons = map[string]func(order int) bool{
	operators.Less:          func(o int) bool { return o < 0 },
	operators.LessEquals:    func(o int) bool { return o <= 0 },
	operators.Greater:       func(o int) bool { return o > 0 },
	operators.GreaterEquals: func(o int) bool { return o >= 0 },
}

// CompileOptions implements [cel.Library].
func (library) CompileOptions() []cel.EnvOption {
	subset := env.NewLibrarySubset()
	var functions []*decls.FunctionDecl
	for _, f := range stdlib.Functions() {
		if replaced, ok := replace(f); ok {
			subset.AddExcludedFunctions(env.NewFunction(f.Name()))
			if replaced != nil {
				functions = append(functions, replaced)
			}
		}
	}

	return []cel.EnvOption{
		cel.CostModel(
			cost.MemberOverload("list_int_sum", cost.EvalCost(cost.Target())),
			cost.MemberOverload("list_decimal_sum", cost.EvalCost(cost.Target())),
		),
		cel.StdLib(cel.StdLibSubset(subset)),
		cel.FunctionDecls(functions...),
		cel.Function("decimal", cel.FunctionDocs("reads a number, exactly"),
			cel.Overload("string_to_decimal", []*cel.Type{cel.StringType}, Type),
			cel.Overload("int_to_decimal", []*cel.Type{cel.IntType}, Type),
			cel.Overload("decimal_to_decimal", []*cel.Type{Type}, Type),
			cel.SingletonUnaryBinding(convert)),
		unary("abs", Type, func(r *big.Rat) ref.Val { return Of(new(big.Rat).Abs(r)) }),
		unary("floor", types.IntType, func(r *big.Rat) ref.Val { return whole(floor(r)) }),
		unary("ceil", types.IntType, func(r *big.Rat) ref.Val {
			return whole(new(big.Int).Neg(floor(new(big.Rat).Neg(r))))
		}),
		cel.Function("round", cel.FunctionDocs("rounds to so many digits after the point, half away from zero"),
			cel.MemberOverload("decimal_round_int", []*cel.Type{Type, cel.IntType}, Type),
			cel.MemberOverload("int_round_int", []*cel.Type{cel.IntType, cel.IntType}, Type),
			cel.SingletonBinaryBinding(round)),
		cel.Function("sum", cel.FunctionDocs("adds the numbers of a list up; 0 for none"),
			cel.MemberOverload("list_int_sum", []*cel.Type{cel.ListType(cel.IntType)}, cel.IntType),
			cel.MemberOverload("list_decimal_sum", []*cel.Type{cel.ListType(Type)}, Type),
			cel.SingletonUnaryBinding(sum)),
	}
}

// ProgramOptions implements [cel.Library].
func (library) ProgramOptions() []cel.ProgramOption {
	return []cel.ProgramOption{cel.CustomDecoratorV2(fold)}
}

// fold makes a constant of a decimal that is written out.
func fold(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || call.Function() != "decimal" || len(call.Args()) != 1 {
		return i, nil
	}
	c, ok := call.Args()[0].(interpreter.InterpretableConst)
	if !ok {
		return i, nil
	}
	v := convert(c.Value())
	if types.IsError(v) {
		return i, nil
	}
	return interpreter.NewConstValue(i.ID(), v), nil
}

// replace returns a function of the standard library as it is with exact
// numbers; false where it stays as it is. Nil takes the function away.
func replace(f *decls.FunctionDecl) (*decls.FunctionDecl, bool) {
	name := f.Name()
	var binding func(a, b ref.Val) ref.Val
	var options []decls.FunctionOpt
	switch {
	case name == "double":
		return nil, true
	case name == operators.Negate:
		options = []decls.FunctionOpt{
			decls.Overload("negate_decimal", []*types.Type{Type}, Type),
			decls.SingletonUnaryBinding(func(v ref.Val) ref.Val {
				if d, ok := v.(*Decimal); ok {
					return Of(new(big.Rat).Neg(d.rat()))
				}
				if n, ok := v.(traits.Negater); ok {
					return n.Negate()
				}
				return types.MaybeNoSuchOverloadErr(v)
			}),
		}
	case name == operators.Equals || name == operators.NotEquals:
		// Any two values may be compared as far as CEL is concerned: it has no way
		// to say that numbers are of one kind. See [Comparable].
		anything, other := types.NewTypeParamType("A"), types.NewTypeParamType("B")
		equals, err := decls.NewFunction(name, decls.Overload(f.OverloadDecls()[0].ID(), []*types.Type{anything, other}, types.BoolType),
			decls.SingletonBinaryBinding(func(a, b ref.Val) ref.Val { return types.Equal(a, b) }))
		return equals, err == nil
	case arithmetic[name] != nil:
		binding = calculate(name, arithmetic[name])
		options = mixed("exact"+name, Type)
	case comparisons[name] != nil:
		binding = compare(name, comparisons[name])
		options = mixed("exact"+name, types.BoolType)
	default:
		return nil, false
	}

	for _, o := range f.OverloadDecls() {
		if slices.ContainsFunc(o.ArgTypes(), func(t *types.Type) bool { return t == types.DoubleType }) {
			continue
		}
		result := o.ResultType()
		if name == operators.Divide && result == types.IntType {
			result = Type
		}
		options = append(options, decls.Overload(o.ID(), o.ArgTypes(), result))
	}

	if binding != nil {
		options = append(options, decls.SingletonBinaryBinding(binding))
	}
	replaced, err := decls.NewFunction(name, options...)
	if err != nil {
		return nil, false // can't be: the overloads are CEL's own and ours
	}
	return replaced, true
}

// mixed returns the overloads of an operator with a decimal on either side.
func mixed(id string, result *types.Type) []decls.FunctionOpt {
	return []decls.FunctionOpt{
		decls.Overload(id+"_decimal", []*types.Type{Type, Type}, result),
		decls.Overload(id+"_decimal_int", []*types.Type{Type, types.IntType}, result),
		decls.Overload(id+"_int_decimal", []*types.Type{types.IntType, Type}, result),
	}
}

func calculate(operator string, exact func(a, b *big.Rat) *big.Rat) func(a, b ref.Val) ref.Val {
	quick := quick[operator]
	return func(a, b ref.Val) ref.Val {
		x, ok := a.(types.Int)
		y, both := b.(types.Int)
		if both = both && ok; !both || operator == operators.Divide {
			if v := calculated(quick, a, b); v != nil {
				return v
			}
			p, isNumber := rat(a)
			q, areNumbers := rat(b)
			if isNumber && areNumbers {
				if operator == operators.Divide && q.Sign() == 0 {
					return types.NewErr("division by zero")
				}
				return Of(exact(p, q))
			}
		}

		switch operator {
		case operators.Add:
			if both {
				return x.Add(y)
			}
			if v, ok := a.(traits.Adder); ok {
				return v.Add(b)
			}
		case operators.Subtract:
			if v, ok := a.(traits.Subtractor); ok {
				return v.Subtract(b)
			}
		case operators.Multiply:
			if v, ok := a.(traits.Multiplier); ok {
				return v.Multiply(b)
			}
		case operators.Divide:
			if v, ok := a.(traits.Divider); ok {
				return v.Divide(b)
			}
		}
		return decls.MaybeNoSuchOverload(operator, a, b)
	}
}

// calculated returns the result for two short numbers; nil where others are meant.
func calculated(quick func(a, b short) (short, bool), a, b ref.Val) ref.Val {
	if quick == nil {
		return nil
	}
	x, isShort := shortOf(a)
	y, areShort := shortOf(b)
	if !isShort || !areShort {
		return nil
	}
	if v, ok := quick(x, y); ok {
		return v.value()
	}
	return nil
}

func compare(operator string, holds func(order int) bool) func(a, b ref.Val) ref.Val {
	return func(a, b ref.Val) ref.Val {
		_, left := a.(*Decimal)
		_, right := b.(*Decimal)
		if left || right {
			if x, y, ok := alike(a, b); ok {
				return types.Bool(holds(cmp.Compare(x, y)))
			}
			p, isNumber := rat(a)
			q, areNumbers := rat(b)
			if !isNumber || !areNumbers {
				return decls.MaybeNoSuchOverload(operator, a, b)
			}
			return types.Bool(holds(p.Cmp(q)))
		}
		v, ok := a.(traits.Comparer)
		if !ok {
			return decls.MaybeNoSuchOverload(operator, a, b)
		}
		order, ok := v.Compare(b).(types.Int)
		if !ok {
			return decls.MaybeNoSuchOverload(operator, a, b)
		}
		return types.Bool(holds(int(order)))
	}
}

// alike returns two short numbers in the same places; false where others are meant.
func alike(a, b ref.Val) (x, y int64, ok bool) {
	p, isShort := shortOf(a)
	q, areShort := shortOf(b)
	if !isShort || !areShort {
		return 0, 0, false
	}
	x, y, _, ok = aligned(p, q)
	return x, y, ok
}

func convert(v ref.Val) ref.Val {
	switch v := v.(type) {
	case types.String:
		d, err := Parse(string(v))
		if err != nil {
			return types.WrapErr(err)
		}
		return d
	case types.Int, *Decimal:
		return v
	}
	return decls.MaybeNoSuchOverload("decimal", v)
}

func unary(name string, result *types.Type, f func(r *big.Rat) ref.Val) cel.EnvOption {
	return cel.Function(name,
		cel.MemberOverload("decimal_"+name, []*cel.Type{Type}, result),
		cel.MemberOverload("int_"+name, []*cel.Type{cel.IntType}, cel.IntType),
		cel.SingletonUnaryBinding(func(v ref.Val) ref.Val {
			r, ok := rat(v)
			if !ok {
				return decls.MaybeNoSuchOverload(name, v)
			}
			return f(r)
		}))
}

func floor(r *big.Rat) *big.Int {
	// Div is Euclidean, and a denominator is positive: it rounds down.
	return new(big.Int).Div(r.Num(), r.Denom())
}

func whole(n *big.Int) ref.Val {
	if !n.IsInt64() {
		return types.WrapErr(ErrRange)
	}
	return types.Int(n.Int64())
}

// maxPlaces bounds the digits that a number is rounded to.
const maxPlaces = 20

// round rounds half away from zero, as invoices do.
func round(v, places ref.Val) ref.Val {
	r, ok := rat(v)
	n, number := places.(types.Int)
	if !ok || !number {
		return decls.MaybeNoSuchOverload("round", v, places)
	}
	if n < 0 || n > maxPlaces {
		return types.NewErr("a number is rounded to 0 to %d digits, not %d", maxPlaces, n)
	}
	rounded, _ := new(big.Rat).SetString(r.FloatString(int(n)))
	return Of(rounded)
}

func sum(v ref.Val) ref.Val {
	list, ok := v.(traits.Lister)
	if !ok {
		return decls.MaybeNoSuchOverload("sum", v)
	}
	if total, ok := quickSum(list); ok {
		return total.value()
	}

	total := new(big.Rat)
	for it := list.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		r, ok := rat(e)
		if !ok {
			return types.NewErr("a member of the list is not a number, but a %s", e.Type().TypeName())
		}
		total.Add(total, r)
	}
	return Of(total)
}

// quickSum adds short numbers up; false where there are others.
func quickSum(list traits.Lister) (total short, ok bool) {
	n, _ := list.Size().(types.Int)
	for i := types.Int(0); i < n; i++ {
		one, isShort := shortOf(list.Get(i))
		if !isShort {
			return short{}, false
		}
		if total, ok = total.add(one); !ok {
			return short{}, false
		}
	}
	return total, true
}

// Comparable reports whether values of the types can be equal at all. An
// environment with the library compiles comparisons of any two; those that can't
// be are slips.
func Comparable(a, b *types.Type) bool {
	numbers := isNumber(a) && isNumber(b)
	if loose(a) || loose(b) || numbers {
		return true
	}
	if a.Kind() == b.Kind() && len(a.Parameters()) == len(b.Parameters()) && len(a.Parameters()) > 0 {
		for i, p := range a.Parameters() {
			if !Comparable(p, b.Parameters()[i]) {
				return false
			}
		}
		return true
	}
	return a.IsAssignableType(b) || b.IsAssignableType(a)
}

func loose(t *types.Type) bool {
	switch t.Kind() {
	case types.DynKind, types.NullTypeKind, types.TypeParamKind, types.AnyKind, types.ErrorKind:
		return true
	}
	return false
}

func isNumber(t *types.Type) bool {
	return t.Kind() == types.IntKind || t.Kind() == types.UintKind || t.TypeName() == Type.TypeName()
}

// Literals turns the numbers with a fraction or an exponent in a parsed
// expression into decimals. It returns the ids of those that have more digits
// than a literal can carry exactly.
func Literals(a *ast.AST) []int64 {
	var inexact []int64
	next := int64(0)
	factory := ast.NewExprFactory()
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.LiteralKind {
			return
		}
		d, ok := e.AsLiteral().(types.Double)
		if !ok {
			return
		}

		const exactDigits = 15 // every decimal of so many digits is one float64
		text := strconv.FormatFloat(float64(d), 'g', -1, 64)
		mantissa, _, _ := strings.Cut(text, "e")
		if digits := strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "-0"); len(digits) > exactDigits {
			inexact = append(inexact, e.ID())
		}
		if next == 0 {
			next = ast.MaxID(a) // most expressions have none, and need not be counted
		}
		next++
		e.SetKindCase(factory.NewCall(e.ID(), "decimal", factory.NewLiteral(next, types.String(text))))
	}))

	return inexact
}
