package guard

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/parser"
)

// quickParser returns a parser of what an environment parses, except for variables, which don't
// matter to it. cel-go has two: the one that an environment uses words mistakes better, and this
// one needs a tenth of the time, which counts where there are thousands of rules.
func quickParser(env *cel.Env) (*parser.Parser, error) {
	p, err := parser.NewParser(
		parser.EnablePrattParser(true),
		parser.Macros(env.Macros()...),
		parser.PopulateMacroCalls(true),
		parser.EnableOptionalSyntax(true),
		parser.ExpressionSizeCodePointLimit(MaxExpression),
		parser.MaxRecursionDepth(maxNesting),
		parser.MaxExpressionNodeCount(maxNodes),
	)
	if err != nil {
		return nil, fmt.Errorf("guards: %w", err)
	}
	return p, nil
}

// parse parses an expression. What the quick parser doesn't take, the environment's own parser
// decides, and says why not.
func (u *universe) parse(env *cel.Env, text string) (*cel.Ast, *cel.Issues) {
	source := common.NewTextSource(text)
	tree, errs := u.quick.Parse(source)
	if tree == nil || len(errs.GetErrors()) > 0 {
		return env.Parse(text)
	}
	parsed := cel.ParsedExprToAstWithSource(nil, source)
	*parsed.NativeRep() = *tree // cel-go has no other way to check the tree of this parser
	return parsed, nil
}
