package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"io"
	"path"
	"slices"
	"strings"
)

// Figures are the measures of a source tree. The product is its non-test Go code
// without evaluation, examples, helpers of tests, and checks of the source.
type Figures struct {
	Lines          int    `json:"lines"`          // of the product
	Packages       int    `json:"packages"`       // of the product
	PublicPackages int    `json:"publicPackages"` // importable by other modules
	Symbols        int    `json:"symbols"`        // exported by them: constants, variables, types, functions, methods
	Fields         int    `json:"fields"`         // exported by their exported struct types
	Functions      int    `json:"functions"`
	Mixed          int    `json:"mixedConditions"` // && and || without parentheses
	Long           int    `json:"longFunctions"`   // functions of more than 20 lines
	Dense          int    `json:"denseFunctions"`  // long functions without a blank line
	Complex        int    `json:"complexFunctions"`
	Highest        int    `json:"highestComplexity"`
	HighestIn      string `json:"highestComplexityIn"`
}

// Figures measures the product.
func (s *Source) Figures() Figures {
	var out Figures
	packages := map[string]bool{}
	public := map[string]bool{}
	for _, f := range s.files {
		pkg := packageOf(f.path)
		if !isProduct(pkg) {
			continue
		}

		packages[pkg] = true
		out.Lines += bytes.Count(f.text, []byte("\n"))
		s.countFunctions(&out, f)

		if isPublic(pkg, f.ast.Name.Name) {
			public[pkg] = true
			for _, d := range f.ast.Decls {
				symbols, fields := exports(d)
				out.Symbols += symbols
				out.Fields += fields
			}
		}
	}

	out.Packages, out.PublicPackages = len(packages), len(public)
	for _, f := range s.Findings() {
		if !isProduct(f.Package) {
			continue
		}
		switch f.Rule {
		case Mixed:
			out.Mixed++
		case Dense:
			out.Dense++
		case Complex:
			out.Complex++
		}
	}
	return out
}

// Write prints the figures as text.
func (f Figures) Write(w io.Writer) {
	lines := []struct {
		name  string
		value int
		note  string
	}{
		{"lines of the product", f.Lines, ""},
		{"packages", f.Packages, ""},
		{"public packages", f.PublicPackages, ""},
		{"exported symbols", f.Symbols, ""},
		{"exported fields", f.Fields, ""},
		{"functions", f.Functions, ""},
		{"mixed conditions", f.Mixed, ""},
		{"functions over 20 lines", f.Long, ""},
		{"  without a blank line", f.Dense, ""},
		{"functions over complexity 25", f.Complex, ""},
		{"highest complexity", f.Highest, f.HighestIn},
	}

	for _, line := range lines {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-30s %7d  %s", line.name, line.value, line.note), " "))
	}
}

func (s *Source) countFunctions(out *Figures, f sourceFile) {
	for _, d := range f.ast.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}

		out.Functions++
		if s.isLong(function) {
			out.Long++
		}
		if n := complexity(function); n > out.Highest {
			out.Highest, out.HighestIn = n, packageOf(f.path)+"."+functionName(function)
		}
	}
}

// helpers are the names of packages that only tests use.
var helpers = []string{"llmtest", "mcptest", "pdftest", "sdktest", "storetest"}

// isProduct reports whether a package is part of the product.
func isProduct(pkg string) bool {
	parts := strings.Split(pkg, "/")
	switch {
	case parts[0] == "eval" || parts[0] == "examples" || parts[0] == "tools":
		return false
	case strings.HasPrefix(pkg, "cmd/remit-eval"):
		return false
	case parts[0] == "internal" && len(parts) > 1 && (parts[1] == "eval" || parts[1] == "house"):
		return false
	}
	return !slices.Contains(helpers, path.Base(pkg))
}

// isPublic reports whether other modules can import a package.
func isPublic(pkg, name string) bool {
	return name != "main" && !slices.Contains(strings.Split(pkg, "/"), "internal")
}

// exports counts what a declaration exports.
func exports(d ast.Decl) (symbols, fields int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			symbols++
		}

	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				symbols += countExported(spec.Names)
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					symbols++
					fields += exportedFields(spec.Type)
				}
			}
		}
	}
	return symbols, fields
}

func exportedFields(e ast.Expr) int {
	n := 0
	if t, ok := e.(*ast.StructType); ok {
		for _, f := range t.Fields.List {
			n += countExported(f.Names)
		}
	}
	return n
}

func countExported(names []*ast.Ident) int {
	n := 0
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}
