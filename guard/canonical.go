package guard

import (
	"strings"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/parser"
)

// Canonical returns the expression without comments, spaces and redundant parentheses.
// It returns a text that isn't CEL unchanged.
func (e Expression) Canonical() string {
	text := strings.TrimSpace(e.Text)
	// Without macros, the expression is written as it was read.
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.ExpressionSizeCodePointLimit(MaxExpression))
	if err != nil {
		return text
	}
	parsed, errs := p.Parse(common.NewTextSource(text))
	if len(errs.GetErrors()) > 0 {
		return text
	}
	canonical, err := parser.Unparse(parsed.Expr(), parsed.SourceInfo())
	if err != nil {
		return text
	}
	return canonical
}
