package mutation

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
)

// Cover returns which examples of a policy are enough, in their order: few that notice every
// mutant that any of them notices, and one of each verdict. Of those that notice as much, it
// prefers some. The others say the same as these. All are enough where the rule passes not all
// of them.
func Cover(ctx context.Context, g *guard.Guard, policy string, preferred func(name string) bool) ([]guard.Example, error) {
	i := slices.IndexFunc(g.File.Policies, func(p guard.Policy) bool { return p.Name == policy })
	if i < 0 {
		return nil, fmt.Errorf("there is no policy %s", policy)
	}
	p := &g.File.Policies[i]
	if g.Err() != nil || p.Require.Empty() || !passes(ctx, g, p) {
		return p.Examples, ctx.Err()
	}

	open, err := noticed(ctx, g, p)
	if err != nil {
		return nil, err
	}
	chosen := make([]bool, len(p.Examples))
	best := func(worth func(at int) int) int {
		best, most := -1, 0
		for at := range p.Examples {
			n := 2 * worth(at)
			if n > 0 && preferred(p.Examples[at].Name) {
				n++
			}
			if n > most {
				best, most = at, n
			}
		}
		return best
	}
	for len(open) > 0 {
		at := best(func(at int) int {
			n := 0
			for _, by := range open {
				if by[at] {
					n++
				}
			}
			return n
		})
		chosen[at] = true
		open = slices.DeleteFunc(open, func(by []bool) bool { return by[at] })
	}

	for _, verdict := range []label.Verdict{label.Allow, label.Deny, label.Ask} {
		at := best(func(at int) int {
			switch {
			case p.Examples[at].Expect != verdict:
				return 0
			case chosen[at]:
				return 2
			}
			return 1
		})
		if at >= 0 {
			chosen[at] = true
		}
	}

	var out []guard.Example
	for at, e := range p.Examples {
		if chosen[at] {
			out = append(out, e)
		}
	}
	return out, ctx.Err()
}

// noticed returns the mutants of a rule that some example notices, each by the examples that do:
// those that it fails, or, where it fails none, those on which it can't be decided.
func noticed(ctx context.Context, g *guard.Guard, p *guard.Policy) ([][]bool, error) {
	var out [][]bool
	for _, part := range g.Parts() {
		if part.Policy != p.Name {
			continue
		}
		changes, err := changesOf(g, part.Expression.Text, shownBy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Expression.Position, err)
		}

		by := make([][]bool, len(changes))
		var wg sync.WaitGroup
		next := make(chan int)
		for range min(runtime.GOMAXPROCS(0), len(changes)) {
			wg.Go(func() {
				for i := range next {
					if mutant, err := g.With(part, changes[i].text); err == nil {
						by[i] = noticing(ctx, mutant, p.Examples)
					}
				}
			})
		}

		for i := range changes {
			next <- i
		}
		close(next)
		wg.Wait()
		out = append(out, by...)
	}
	return slices.DeleteFunc(out, func(by []bool) bool { return !slices.Contains(by, true) }), ctx.Err()
}

// shownBy returns the edits of a tree, and coarser ones than a slip makes: a test may be there to
// show what they leave out.
func shownBy(g *guard.Guard, a *ast.AST) []edit {
	out := editsOf(g, a)
	keep := func(part func(ast.CallExpr) ast.Expr) func(ast.Expr, ast.ExprFactory, func() int64) {
		return func(e ast.Expr, f ast.ExprFactory, _ func() int64) { e.SetKindCase(f.CopyExpr(part(e.AsCall()))) }
	}

	ast.PreOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case e.Kind() == ast.ListKind && e.AsList().Size() > 1:
			for i := range e.AsList().Elements() {
				out = append(out, edit{e.ID(), "an element is dropped", func(e ast.Expr, f ast.ExprFactory, _ func() int64) {
					e.SetKindCase(f.NewList(e.ID(), slices.Delete(copies(f, e.AsList().Elements()), i, i+1), nil))
				}})
			}
		case e.Kind() != ast.CallKind:
		case e.AsCall().FunctionName() == "filter" && e.AsCall().IsMemberFunction():
			out = append(out, edit{e.ID(), "the filter is dropped", keep(func(c ast.CallExpr) ast.Expr { return c.Target() })})
		case e.AsCall().FunctionName() == operators.Conditional:
			for i := 1; i <= 2; i++ {
				out = append(out, edit{e.ID(), "one case stands for both", keep(func(c ast.CallExpr) ast.Expr { return c.Args()[i] })})
			}
		}
	}))
	return out
}

// noticing reports of each example whether it notices a mutant.
func noticing(ctx context.Context, mutant *guard.Guard, examples []guard.Example) []bool {
	killed, crashed := make([]bool, len(examples)), make([]bool, len(examples))
	for i := range examples {
		r := guardtest.Result{Want: examples[i].Expect}
		guardtest.Judge(ctx, mutant, &examples[i], &r)
		crashed[i] = r.Failed != ""
		killed[i] = r.Failed == "" && r.Got != r.Want
	}
	if slices.Contains(killed, true) {
		return killed
	}
	return crashed
}
