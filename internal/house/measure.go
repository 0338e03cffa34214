package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// longFunction is how many lines a function may have without a blank line.
	longFunction = 20
	// maxComplexity is the highest cyclomatic complexity that a function may have.
	maxComplexity = 25
)

// Rule is a rule that source code is held to.
type Rule int

// The rules of the house.
const (
	Mixed   Rule = iota // conditions don't mix && and || without parentheses
	Dense               // functions of more than 20 lines have a blank line
	Complex             // functions have a cyclomatic complexity of at most 25
	rules
)

var ruleNames = [rules]string{"mixed", "dense", "complex"}

var ruleMessages = [rules]string{
	Mixed:   "mixes && and || without parentheses: name the parts",
	Dense:   "has more than 20 lines and no blank line: part its steps",
	Complex: "has a cyclomatic complexity over 25: split it, or use a table",
}

func (r Rule) String() string { return ruleNames[r] }

// Finding is a place that breaks a rule.
type Finding struct {
	Rule     Rule
	Package  string // the package's directory, relative to the root
	File     string // relative to the root
	Line     int
	Function string // empty in declarations of variables
}

// Message describes what is wrong and what to do.
func (f Finding) Message() string {
	if f.Function == "" {
		return ruleMessages[f.Rule]
	}
	return f.Function + " " + ruleMessages[f.Rule]
}

// Source is the non-test Go code below a directory.
type Source struct {
	set   *token.FileSet
	files []sourceFile
}

type sourceFile struct {
	path string // relative to the root, with slashes
	text []byte
	ast  *ast.File
}

// Read parses the non-test Go code below root. It skips test data and the
// packages that tests install.
func Read(root string) (*Source, error) {
	s := &Source{set: token.NewFileSet()}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if d.IsDir() {
			if path != root && slices.Contains(skippedDirectories, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}

		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return s.add(root, path)
	})
	return s, err
}

var skippedDirectories = []string{".git", "bin", "node_modules", "testdata", "venv"}

func (s *Source) add(root, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(s.set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}

	s.files = append(s.files, sourceFile{filepath.ToSlash(relative), text, file})
	return nil
}

// Findings returns all places that break a rule, in the order of files and lines.
func (s *Source) Findings() []Finding {
	var out []Finding
	for _, f := range s.files {
		for _, d := range f.ast.Decls {
			name := ""
			if function, ok := d.(*ast.FuncDecl); ok {
				name = functionName(function)
				if s.isDense(f, function) {
					out = append(out, s.finding(Dense, f, function.Pos(), name))
				}
				if complexity(function) > maxComplexity {
					out = append(out, s.finding(Complex, f, function.Pos(), name))
				}
			}

			for _, pos := range mixedConditions(d) {
				out = append(out, s.finding(Mixed, f, pos, name))
			}
		}
	}
	return out
}

func (s *Source) finding(r Rule, f sourceFile, pos token.Pos, function string) Finding {
	return Finding{r, packageOf(f.path), f.path, s.set.Position(pos).Line, function}
}

func packageOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// functionName returns the name of a function, with its receiver's type.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	return receiver(f.Recv.List[0].Type) + "." + f.Name.Name
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// isLong reports whether a function has more lines than one without a blank line
// may have.
func (s *Source) isLong(f *ast.FuncDecl) bool {
	first, last := s.set.Position(f.Pos()).Line, s.set.Position(f.End()).Line
	return last-first+1 > longFunction
}

// isDense reports whether a long function has no blank line. A body of one statement
// that lists cases or returns a literal has no steps that a blank line could part.
func (s *Source) isDense(file sourceFile, f *ast.FuncDecl) bool {
	if f.Body == nil || !s.isLong(f) || isOneList(f.Body) {
		return false
	}

	first, last := s.set.Position(f.Body.Lbrace), s.set.Position(f.Body.Rbrace)
	return !strings.Contains(string(file.text[first.Offset:last.Offset]), "\n\n")
}

func isOneList(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	switch body.List[0].(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ReturnStmt:
		return true
	}
	return false
}

// complexity returns the cyclomatic complexity of a function and the literals in it:
// one, and one more for each branch, loop, case and logical operator.
func complexity(f *ast.FuncDecl) int {
	n := 1

	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})

	return n
}

// mixedConditions returns where || has an operand of && without parentheses, once
// for each condition.
func mixedConditions(root ast.Node) []token.Pos {
	var out []token.Pos
	ast.Inspect(root, func(node ast.Node) bool {
		e, ok := node.(*ast.BinaryExpr)
		if !ok || !mixes(e) {
			return true
		}
		out = append(out, e.Pos())
		return false
	})
	return out
}

func mixes(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.LOR {
		return false
	}
	return isAnd(b.X) || isAnd(b.Y) || mixes(b.X) || mixes(b.Y)
}

func isAnd(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && b.Op == token.LAND
}
