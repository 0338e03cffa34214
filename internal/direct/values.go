package direct

import (
	"regexp"

	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/record"
)

// binary are the operators that are evaluated here.
var binary = map[string]func(a, b node) node{
	operators.LogicalAnd: func(a, b node) node { return logical(a, b, false) },
	operators.LogicalOr:  func(a, b node) node { return logical(a, b, true) },
	operators.Equals:     func(a, b node) node { return equal(a, b, true) },
	operators.NotEquals:  func(a, b node) node { return equal(a, b, false) },
	operators.Index:      func(a, b node) node { return at(a, b, false) },
	operators.OptIndex:   func(a, b node) node { return at(a, b, true) },
	operators.OptSelect:  func(a, b node) node { return at(a, b, true) },
	"or":                 func(a, b node) node { return otherwise(a, b, func(o *types.Optional) ref.Val { return o }) },
	"orValue":            func(a, b node) node { return otherwise(a, b, (*types.Optional).GetValue) },
}

// logical compiles && and ||, which the first operand settles if it is the given one.
func logical(a, b node, settles types.Bool) node {
	return func(f *frame) ref.Val {
		first, ok := a(f).(types.Bool)
		switch {
		case !ok:
			return nil
		case first == settles:
			return first
		}
		second, ok := b(f).(types.Bool)
		if !ok {
			return nil
		}
		return second
	}
}

func not(a node) node {
	return func(f *frame) ref.Val {
		v, ok := a(f).(types.Bool)
		if !ok {
			return nil
		}
		return !v
	}
}

// truth passes a truth value on.
func truth(a node) node {
	return func(f *frame) ref.Val {
		v, ok := a(f).(types.Bool)
		if !ok {
			return nil
		}
		return v
	}
}

func conditional(condition, yes, no node) node {
	return func(f *frame) ref.Val {
		v, ok := condition(f).(types.Bool)
		switch {
		case !ok:
			return nil
		case bool(v):
			return yes(f)
		}
		return no(f)
	}
}

func equal(a, b node, wanted types.Bool) node {
	return func(f *frame) ref.Val {
		x := a(f)
		if x == nil {
			return nil
		}
		y := b(f)
		if y == nil || !f.spend(size(x)+size(y)) {
			return nil
		}

		if s, ok := x.(types.String); ok {
			if t, ok := y.(types.String); ok {
				return types.Bool((s == t) == bool(wanted))
			}
		}
		v, ok := types.Equal(x, y).(types.Bool)
		if !ok {
			return nil
		}
		return types.Bool(v == wanted)
	}
}

// at compiles the access to a member or an element. What is read of an optional value is
// optional, and so is what a question mark asks for.
func at(of, key node, optional bool) node {
	return func(f *frame) ref.Val {
		v := of(f)
		if v == nil {
			return nil
		}
		k := key(f)
		if k == nil {
			return nil
		}

		maybe := optional
		if o, ok := v.(*types.Optional); ok {
			if !o.HasValue() {
				return o
			}
			v, maybe = o.GetValue(), true
		}
		found, ok := member(v, k)
		switch {
		case !ok:
			return nil
		case found == nil && maybe:
			return types.OptionalNone
		case found != nil && maybe:
			return types.OptionalOf(found)
		}
		return found
	}
}

func has(of node, field ref.Val) node {
	return func(f *frame) ref.Val {
		v := of(f)
		if v == nil {
			return nil
		}
		found, ok := member(v, field)
		if !ok {
			return nil
		}
		return types.Bool(found != nil)
	}
}

// member returns a member of a record or a map, or an element of a list; nil where there is
// none. It is false for what has no members of the kind.
func member(v, key ref.Val) (found ref.Val, ok bool) {
	switch name := key.(type) {
	case types.String:
		if r, isRecord := v.(record.Record); isRecord {
			found, _ = r.Member(string(name))
			return found, true
		}
	case types.Int:
	default:
		return nil, false // cel-go knows what other keys mean
	}
	switch v := v.(type) {
	case traits.Mapper:
		if found, ok = v.Find(key); !ok {
			return nil, found == nil
		}
		found = settled(found)
		return found, found != nil
	case traits.Lister:
		i, whole := key.(types.Int)
		if !whole {
			return nil, false
		}
		if i < 0 || i >= v.Size().(types.Int) {
			return nil, true
		}
		found = settled(v.Get(key))
		return found, found != nil
	}

	return nil, false
}

// otherwise compiles what is made of an optional value that is there, or another value.
func otherwise(a, b node, value func(*types.Optional) ref.Val) node {
	return func(f *frame) ref.Val {
		o, ok := a(f).(*types.Optional)
		switch {
		case !ok:
			return nil
		case o.HasValue():
			return value(o)
		}
		return b(f)
	}
}

// entry is a member of a map that is written out.
type entry struct {
	key   ref.Val
	value node
}

func object(entries []entry) node {
	return func(f *frame) ref.Val {
		members := make(map[ref.Val]ref.Val, len(entries))
		for _, e := range entries {
			v := e.value(f)
			if v == nil {
				return nil
			}
			members[e.key] = v
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, members)
	}
}

// having passes on what a function can be called on.
func having(a node, trait int) node {
	return func(f *frame) ref.Val {
		if v := a(f); v != nil && v.Type().HasTrait(trait) {
			return v
		}
		return nil
	}
}

// matches compiles the search for a pattern that is written out.
func matches(in node, pattern string) node {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	weight := 1 + len(pattern)/4
	return unary(in, func(v ref.Val) ref.Val {
		text, ok := v.(types.String)
		if !ok {
			return nil
		}
		return types.Bool(re.MatchString(string(text)))
	}, weight)
}

// unary compiles a call of a function whose work depends on the size of its argument.
func unary(a node, call functions.UnaryOp, weight int) node {
	return func(f *frame) ref.Val {
		v := a(f)
		if v == nil || !f.spend(weight*(1+work(v))) {
			return nil
		}
		return settled(call(v))
	}
}

// flatten compiles the call that makes one list of the lists in a list.
func flatten(a node, call functions.UnaryOp) node {
	return func(f *frame) ref.Val {
		v := a(f)
		list, ok := v.(traits.Lister)
		if !ok || !f.spend(1+size(v)) {
			return nil
		}
		all := size(v)
		for i := range types.Int(size(v)) {
			if inner, ok := list.Get(i).(traits.Lister); ok {
				all = min(all+size(inner), mostWork)
			}
		}
		if !f.spend(all) {
			return nil
		}
		return settled(call(v))
	}
}

// two compiles a call of a function of two arguments, as [unary].
func two(a, b node, call functions.BinaryOp) node {
	return func(f *frame) ref.Val {
		x := a(f)
		if x == nil {
			return nil
		}
		y := b(f)
		if y == nil || !f.spend((1+work(x))*(1+work(y))) {
			return nil
		}
		return settled(call(x, y))
	}
}

// several compiles a call of a function of any number of arguments, as [unary].
func several(args []node, call functions.FunctionOp) node {
	return func(f *frame) ref.Val {
		values, cost := make([]ref.Val, len(args)), 1
		for i, a := range args {
			if values[i] = a(f); values[i] == nil {
				return nil
			}
			if cost *= 1 + work(values[i]); cost > f.left {
				return nil
			}
		}
		if !f.spend(cost) {
			return nil
		}
		return settled(call(values...))
	}
}

// late compiles a call of a function that the source has.
func late(name string, dispatch functions.LateBoundDispatcher, isMember bool, args []node) node {
	return func(f *frame) ref.Val {
		values := make([]ref.Val, len(args))
		for i, a := range args {
			if values[i] = a(f); values[i] == nil {
				return nil
			}
		}
		if dispatch != nil {
			if _, ok := dispatch(isMember, values...); !ok {
				return nil
			}
		}
		v := f.source.Call(name, values)
		if v == nil {
			return nil
		}
		return settled(v)
	}
}

// size returns what passing over a value once costs at most.
func size(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v) / 4
	case types.Bytes:
		return len(v) / 4
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int(n)
		}
	}
	return 0
}

// mostWork bounds a factor, so that no product of them overflows.
const mostWork = 1 << 20

// work returns the factor that an argument of a function adds to the function's cost: a text's
// length, and for a list the square of it, which sorting doesn't exceed.
func work(v ref.Val) int {
	n := min(size(v), mostWork)
	switch v.(type) {
	case types.String, types.Bytes:
		return n
	}
	return min(n*n, mostWork)
}
