package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/debug"

	"github.com/remit-project/remit/internal/direct"
)

// ByCEL leaves every expression of a set to cel-go.
func ByCEL(s *Set) {
	for _, g := range s.guards {
		for _, p := range g.policies {
			for _, v := range p.variables {
				v.expression.byCEL()
			}
			p.require.byCEL()
		}
		for _, d := range g.duties {
			d.when.byCEL()
			d.require.byCEL()
		}
	}
}

func (e *expression) byCEL() {
	if e != nil {
		e.direct = func() *direct.Program { return nil }
	}
}

// Parsers returns what the quick parser and the environment's own make of a text; empty where
// they don't take it.
func Parsers(t testing.TB) func(text string) (quick, own string) {
	u, err := newUniverse(Deployment{})
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) (string, string) {
		source := common.NewTextSource(text)
		tree, errs := u.quick.Parse(source)
		quick := ""
		if len(errs.GetErrors()) == 0 {
			quick = outline(tree)
		}
		parsed, issues := u.base.Parse(text)
		if issues.Err() != nil {
			return quick, ""
		}
		return quick, outline(parsed.NativeRep())
	}
}

// outline writes a tree with the beginnings of its parts, and the macros in it.
func outline(tree *ast.AST) string {
	var b strings.Builder
	b.WriteString(debug.ToAdornedDebugString(tree.Expr(), adorner{tree.SourceInfo()}))
	calls := tree.SourceInfo().MacroCalls()
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		b.WriteString("\n" + debug.ToAdornedDebugString(calls[id], adorner{tree.SourceInfo()}))
	}
	return b.String()
}

// adorner writes where a part begins.
type adorner struct{ info *ast.SourceInfo }

func (a adorner) GetMetadata(part any) string {
	e, ok := part.(interface{ ID() int64 })
	if !ok {
		return ""
	}
	if name, ok := part.(ast.Expr); ok && strings.HasPrefix(name.AsIdent(), ".") {
		return "" // at the dot or behind it
	}
	at, _ := a.info.GetOffsetRange(e.ID())
	return fmt.Sprintf("@%d", at.Start)
}
