package generation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/label"
)

// asking returns the policy of a rule that was never found, with a condition that says to which
// calls it applies: those pass that it has nothing to do with, or that it is sure of, and each
// other one gets the verdict of a policy that isn't enforced. The condition is the last version
// of the rule, or the alternatives of it, that lets no call pass which a test denies, and lets
// one pass that a test allows. False where no version has any.
func (w *work) asking(ctx context.Context, tried []candidate) (guard.Policy, bool, error) {
	for _, c := range slices.Backward(tried) {
		if len(w.borrowed(c))+len(onWordsAlone(c)) > 0 {
			continue
		}

		p := w.policy(c)
		p.Message, p.Otherwise = w.Unenforced(w.task.Policy).Message, w.options.Otherwise
		text, err := w.sure(ctx, p)
		if err != nil {
			return p, false, err
		}
		if text == "" {
			continue
		}

		p.Require.Text = text
		verdicts, err := w.verdicts(ctx, p)
		if err != nil {
			return p, false, err
		}
		if p.Examples = w.decidedSo(verdicts); !has(p.Examples, label.Allow) || !has(p.Examples, p.Otherwise) {
			continue
		}
		if p, err = w.folded(ctx, p); err == nil {
			p, err = w.pruned(ctx, p)
		}
		return p, err == nil, err
	}
	return guard.Policy{}, false, nil
}

// sure returns the part of a rule's condition that lets no call pass which a test denies; ""
// where there is none.
func (w *work) sure(ctx context.Context, p guard.Policy) (string, error) {
	conjuncts, err := alternatives(p.Require.Text)
	if err != nil {
		return "", nil //nolint:nilerr // a text that is no expression has no part
	}
	passed, err := w.passed(ctx, p)
	if err != nil || len(passed) == 0 {
		return p.Require.Text, err
	}

	var kept []string
	for _, parts := range conjuncts {
		var sure []string
		for _, part := range parts {
			one := p
			one.Require.Text = part
			lets, err := w.passed(ctx, one)
			if err != nil {
				return "", err
			}
			if !slices.ContainsFunc(lets, func(name string) bool { return slices.Contains(passed, name) }) {
				sure = append(sure, part)
			}
		}
		if len(sure) == 0 {
			return "", nil
		}
		kept = append(kept, "("+strings.Join(sure, " || ")+")")
	}
	return strings.Join(kept, " && "), nil
}

// passed returns the names of the tests that expect a denial and that a rule lets pass. One that
// has mistakes lets all of them pass.
func (w *work) passed(ctx context.Context, p guard.Policy) ([]string, error) {
	verdicts, err := w.verdicts(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range w.tests.examples {
		r, ok := verdicts[e.Name]
		if e.Expect == label.Deny && (!ok || r.Got == label.Allow) {
			out = append(out, e.Name)
		}
	}
	return out, nil
}

// verdicts returns what a rule says of the tests, by their names; none where it has mistakes.
func (w *work) verdicts(ctx context.Context, p guard.Policy) (map[string]guardtest.Result, error) {
	p.Examples = w.tests.examples
	rule, err := w.compile(&p)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no rule
	}
	out := map[string]guardtest.Result{}
	for _, r := range guardtest.Run(ctx, rule) {
		out[r.Example] = r
	}
	return out, ctx.Err()
}

// decidedSo returns the tests that a rule decides, with the verdicts that it gives them.
func (w *work) decidedSo(verdicts map[string]guardtest.Result) []guard.Example {
	var out []guard.Example
	for _, e := range w.tests.examples {
		if r, ok := verdicts[e.Name]; ok && r.Failed == "" {
			e.Expect = r.Got
			out = append(out, e)
		}
	}
	return out
}

// alternatives returns the parts of a condition: all of the first must hold, of each the one or
// the other.
func alternatives(text string) ([][]string, error) {
	env, err := cel.NewCustomEnv(cel.OptionalTypes(), cel.ClearMacros(), cel.ParserExpressionSizeLimit(guard.MaxExpression))
	if err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, issues.Err()
	}

	tree := parsed.NativeRep()
	var out [][]string
	for _, conjunct := range operands(tree.Expr(), operators.LogicalAnd) {
		var parts []string
		for _, e := range operands(conjunct, operators.LogicalOr) {
			part, err := cel.ExprToString(e, tree.SourceInfo())
			if err != nil {
				return nil, fmt.Errorf("the part of a condition: %w", err)
			}
			parts = append(parts, part)
		}
		out = append(out, parts)
	}
	return out, nil
}

// operands returns what an operator brings together, however it is nested.
func operands(e ast.Expr, operator string) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operator {
		return []ast.Expr{e}
	}
	var out []ast.Expr
	for _, a := range e.AsCall().Args() {
		out = append(out, operands(a, operator)...)
	}
	return out
}
