package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Every expression that is compiled on use can be compiled: a mistake in one is found here and
// not on its first use.
func TestPatternsCompile(t *testing.T) {
	seen := map[string]bool{}
	total := 0
	for _, path := range files(t, ".go") {
		dir := filepath.Dir(path)
		if seen[dir] {
			continue
		}
		seen[dir] = true

		for at, expression := range patterns(t, dir) {
			total++
			if _, err := regexp.Compile(expression); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	if total < 50 {
		t.Errorf("only %d patterns were found", total)
	}
}

// patterns returns the arguments of all calls of pattern.OnUse in a directory, by place.
func patterns(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}

	set, parsed, constants := token.NewFileSet(), []*ast.File(nil), map[string]ast.Expr{}
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
				for i, name := range spec.Names {
					constants[name.Name] = spec.Values[i]
				}
			}
			return true
		})
	}

	out := map[string]string{}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !selects(call.Fun, "pattern", "OnUse") {
				return true
			}
			at := set.Position(call.Pos()).String()
			expression, ok := constantText(call.Args[0], constants)
			if !ok {
				t.Errorf("%s: the argument is not a constant of this package", at)
			}
			out[at] = expression
			return true
		})
	}
	return out
}

// constantText returns the text of an expression of literals and constants.
func constantText(e ast.Expr, constants map[string]ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.Ident:
		value, ok := constants[e.Name]
		if !ok {
			return "", false
		}
		return constantText(value, constants)
	case *ast.BinaryExpr:
		left, ok := constantText(e.X, constants)
		right, also := constantText(e.Y, constants)
		return left + right, ok && also
	case *ast.ParenExpr:
		return constantText(e.X, constants)
	}
	return "", false
}
