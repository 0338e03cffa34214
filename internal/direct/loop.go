package direct

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// loop is a comprehension, with the places of its variables.
type loop struct {
	over, condition, step, result node
	// collects is set where the step makes the next element of a list; the condition then says
	// whether there is one.
	collects      bool
	first, second int // of the range; second is -1 where there is one only
	accumulator   int
	begin         node
	round         int // what one round costs
}

func (c *compiler) place(name string, begin node) int {
	if name == "" {
		return -1
	}
	c.locals++
	c.scopes = append(c.scopes, local{name, c.locals - 1, begin})
	return c.locals - 1
}

func (c *compiler) loop(e ast.ComprehensionExpr) node {
	l := &loop{over: c.node(e.IterRange()), begin: c.node(e.AccuInit())}
	if l.over == nil || l.begin == nil {
		return nil
	}

	outer, before := c.scopes, c.cost
	defer func() { c.scopes = outer }()
	c.scopes = append([]local(nil), outer...)
	l.accumulator = c.place(e.AccuVar(), l.begin)
	within := len(c.scopes)
	l.first, l.second = c.place(e.IterVar(), nil), c.place(e.IterVar2(), nil)
	condition, element := collected(e)
	if l.collects = element != nil; l.collects {
		l.step = c.node(element)
		if l.condition = constant(types.True); condition != nil {
			l.condition = c.node(condition)
		}
	} else {
		l.condition, l.step = c.node(e.LoopCondition()), c.node(e.LoopStep())
	}

	l.round = c.cost - before + 2*nodeCost // a list of one, and what it is added to
	c.scopes = c.scopes[:within]
	l.result = c.node(e.Result())
	if l.condition == nil || l.step == nil || l.result == nil || l.first < 0 || l.accumulator < 0 {
		return nil
	}
	return l.run
}

// collected takes a comprehension that collects a list apart, as map() and filter() are:
// into the condition, nil for none, and the element. It returns no element for others.
func collected(e ast.ComprehensionExpr) (condition, element ast.Expr) {
	is := func(x ast.Expr) bool { return x.Kind() == ast.IdentKind && x.AsIdent() == e.AccuVar() }
	begins := e.AccuInit().Kind() == ast.ListKind && e.AccuInit().AsList().Size() == 0
	always := e.LoopCondition().Kind() == ast.LiteralKind && e.LoopCondition().AsLiteral() == types.True
	if !begins || !always || !is(e.Result()) || e.LoopStep().Kind() != ast.CallKind {
		return nil, nil
	}

	step := e.LoopStep().AsCall()
	if step.FunctionName() == operators.Conditional {
		if !is(step.Args()[2]) || step.Args()[1].Kind() != ast.CallKind {
			return nil, nil
		}
		condition, step = step.Args()[0], step.Args()[1].AsCall()
	}
	if step.FunctionName() != operators.Add || len(step.Args()) != 2 || !is(step.Args()[0]) || step.Args()[1].Kind() != ast.ListKind {
		return nil, nil
	}
	one := step.Args()[1].AsList()
	if one.Size() != 1 || len(one.OptionalIndices()) > 0 || mentions(one.Elements()[0], e.AccuVar()) {
		return nil, nil
	}
	if condition != nil && mentions(condition, e.AccuVar()) {
		return nil, nil
	}

	return condition, one.Elements()[0]
}

func mentions(e ast.Expr, name string) bool {
	found := false
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(x ast.Expr) {
		found = found || (x.Kind() == ast.IdentKind && x.AsIdent() == name)
	}))
	return found
}

func (l *loop) run(f *frame) ref.Val {
	f.locals[l.accumulator] = nil
	over := l.over(f)
	if over == nil {
		return nil
	}
	var list []ref.Val
	if l.collects {
		list = []ref.Val{}
	}

	ok := each(over, l.second >= 0, func(first, second ref.Val) (more, ok bool) {
		if f.locals[l.first] = first; l.second >= 0 {
			f.locals[l.second] = second
		}
		if !f.spend(l.round) {
			return false, false
		}
		goes, isTruth := l.condition(f).(types.Bool)
		switch {
		case !isTruth:
			return false, false
		case !bool(goes):
			return l.collects, true
		}
		v := l.step(f)
		if v == nil {
			return false, false
		}
		if l.collects {
			list = append(list, v)
		} else {
			f.locals[l.accumulator] = v
		}
		return true, true
	})

	if !ok {
		return nil
	}
	if l.collects {
		return types.NewRefValList(types.DefaultTypeAdapter, list)
	}
	return l.result(f)
}

// each goes through a list or a map until there are no more: with the elements of a list, or
// the keys of a map; and where two are asked for, with places and elements, or keys and
// values. It is false where a round is, and for what is neither.
func each(over ref.Val, two bool, round func(first, second ref.Val) (more, ok bool)) bool {
	switch over := over.(type) {
	case traits.Lister:
		n, ok := over.Size().(types.Int)
		if !ok {
			return false
		}
		for i := types.Int(0); i < n; i++ {
			first, second := over.Get(i), ref.Val(nil)
			if two {
				first, second = i, first
			}
			if more, ok := round(first, second); !ok || !more {
				return ok
			}
		}
		return true
	case traits.Mapper:
		for it := over.Iterator(); it.HasNext() == types.True; {
			first, second := it.Next(), ref.Val(nil)
			if two {
				second = over.Get(first)
			}
			if more, ok := round(first, second); !ok || !more {
				return ok
			}
		}
		return true
	}

	return false
}
