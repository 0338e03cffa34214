package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/remit-project/remit/internal/raced"
)

// TestOtherSystems holds every package and its tests to its types on Windows, the system that
// differs most: nothing else reads those files before a release. Compiling for it what Remit
// imports takes seven minutes of CPU. Here it is read for its declarations alone.
func TestOtherSystems(t *testing.T) {
	raced.SkipTable(t)
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	found, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   here,
		Env:   append(os.Environ(), "GOOS=windows", "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			parsed, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if parsed != nil && !strings.HasPrefix(name, here) {
				declarations(parsed)
			}
			return parsed, err
		},
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}

	if len(found) < 100 {
		t.Errorf("there are only %d packages", len(found))
	}
	for _, p := range found {
		if strings.HasSuffix(p.ID, ".test") {
			continue // the program that go test makes of the others
		}
		for _, wrong := range p.Errors {
			t.Errorf("%s: %v", p.ID, wrong)
		}
	}
}

// declarations leaves nothing of a file's functions but what their callers see.
func declarations(f *ast.File) {
	for _, d := range f.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
			function.Body = &ast.BlockStmt{}
		}
	}
}
