package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// The directories of the commit that the clients are built in.
const (
	pythonClient     = "clients/python"
	typescriptClient = "clients/typescript"
)

// clients makes the packages of the clients: a wheel and a source package for Python, and a
// tarball for npm. What builds them is what make setup has installed in the checkout at root;
// a package without its builder is left out, and noted.
func (r *release) clients(ctx context.Context) error {
	if err := r.python(ctx); err != nil {
		return err
	}
	return r.typescript(ctx)
}

func (r *release) python(ctx context.Context) error {
	builder := filepath.Join(r.tree, "internal", "mcp", "testdata", "python", "venv", "bin", "hatchling")
	if _, err := os.Stat(builder); err != nil {
		r.leftOut = append(r.leftOut, "the packages for Python: hatchling is not installed, run make python")
		return nil
	}
	env := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.source.date.Unix(), 10), "PYTHONDONTWRITEBYTECODE=1"}
	_, err := output(ctx, r.source.path(pythonClient), env, builder, "build", "-d", r.out)
	return err
}

func (r *release) typescript(ctx context.Context) error {
	compiler := filepath.Join(r.tree, filepath.FromSlash(typescriptClient), "node_modules")
	_, noCompiler := os.Stat(compiler)
	if _, err := exec.LookPath("npm"); err != nil || noCompiler != nil {
		r.leftOut = append(r.leftOut, "the package for npm: its compiler is not installed, run make npm")
		return nil
	}
	dir := r.source.path(typescriptClient)
	if err := os.Symlink(compiler, filepath.Join(dir, "node_modules")); err != nil {
		return err
	}
	if _, err := output(ctx, dir, nil, "npm", "run", "--silent", "build"); err != nil {
		return fmt.Errorf("compile the client: %w", err)
	}
	_, err := output(ctx, dir, nil, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", r.out)
	return err
}
