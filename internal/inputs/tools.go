package inputs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Tools reads files of tool definitions, one for each server. A server is called
// like its file.
func Tools(files []string) ([]*schema.Catalogue, error) {
	var out []*schema.Catalogue
	for _, name := range files {
		data, err := ReadAs(name, "a file of tool definitions (*.json)")
		if err != nil {
			return nil, err
		}
		c, err := schema.Parse(name, data)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o *schema.Catalogue) bool { return o.Server == c.Server }) {
			return nil, hint.Wrap(fmt.Errorf("%s: a server named %q was already read", name, c.Server), "the server is called like the file: rename one of the files")
		}
		out = append(out, c)
	}
	return out, nil
}

// Contract reads a contract file.
func Contract(name string) (*contract.File, error) {
	data, err := ReadAs(name, "a contract file (*.yaml) in it")
	if err != nil {
		return nil, err
	}
	return contract.Load(name, data)
}

// ExistingContract reads a contract file, or returns nil if it doesn't exist.
func ExistingContract(name string) (*contract.File, error) {
	f, err := Contract(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// ContractFiles returns the contract files at a path: the file itself, or those of
// a directory.
func ContractFiles(path string) ([]string, error) {
	return YAML(path, "contract", "make some with remit contract synth --out "+path+" TOOLS.json")
}

// Contracts reads the contract files at a path. It reports the mistakes of all
// files.
func Contracts(path string) ([]*contract.File, error) {
	names, err := ContractFiles(path)
	if err != nil {
		return nil, err
	}

	var out []*contract.File
	var errs []error
	for _, name := range names {
		f, err := Contract(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, f)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// readGuard reads a guard file.
func readGuard(name string) (*guard.File, error) {
	data, err := ReadAs(name, "a guard file (*.yaml) in it")
	if err != nil {
		return nil, err
	}
	samples, err := guard.ReadSamples(os.DirFS(filepath.Dir(name)))
	if err != nil {
		return nil, err
	}
	tests, err := policydoc.ReadTests(name)
	if err != nil {
		return nil, err
	}
	return guard.LoadApart(name, data, tests, samples...)
}

// Guards reads the guard files at a path. The error has the mistakes of all
// files, as [guard.Errors].
func Guards(path string) ([]*guard.File, error) {
	files, mistakes, err := LintGuards(path)
	if err == nil && len(mistakes) > 0 {
		return nil, mistakes
	}
	return files, err
}

// LintGuards reads the guard files at a path, and returns the mistakes in them
// beside the files that have none.
func LintGuards(path string) ([]*guard.File, guard.Errors, error) {
	if guards := filepath.Join(path, "guards"); IsDir(guards) && IsDir(filepath.Join(path, "mapping")) {
		return nil, nil, hint.Wrap(fmt.Errorf("%s is what a policy document was compiled into, and only its guards decide calls", path), "name "+guards)
	}
	names, err := YAML(path, "guard", "write one file a tool, and one for every tool: docs/reference/guards.md")
	if err != nil {
		return nil, nil, err
	}

	var files []*guard.File
	var mistakes guard.Errors
	for _, name := range names {
		f, err := readGuard(name)
		var found guard.Errors
		switch {
		case errors.As(err, &found):
			mistakes = append(mistakes, found...)
		case err != nil:
			return nil, nil, err
		default:
			files = append(files, f)
		}
	}
	return files, mistakes, nil
}

// IsDir reports whether a path is a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Deployment reads the tools that guards are compiled for: files of tool definitions, and a
// path with their contracts. Without a path, contracts are made from the tools'
// schemas.
func Deployment(tools []string, contracts string) (guard.Deployment, error) {
	all, err := Tools(tools)
	if err != nil {
		return guard.Deployment{}, err
	}
	if contracts == "" {
		return guard.Deployment{Tools: all, Contracts: synthesized(all)}, nil
	}

	scope := guard.Deployment{}
	if scope.Contracts, err = Contracts(contracts); err != nil {
		return guard.Deployment{}, err
	}
	for i, c := range all {
		assigned := Assign(c, scope.Contracts)
		if len(assigned) == 0 {
			return guard.Deployment{}, hint.Wrap(fmt.Errorf("%s: no contract file in %s is about server %q, or names a tool of it", tools[i], contracts, c.Server),
				"make one with "+display.Command("remit", "contract", "synth", "--out", contracts, tools[i])+", or leave --contracts out to have it made from the schemas")
		}
		scope.Tools = append(scope.Tools, assigned...)
	}
	return scope, nil
}

// synthesized returns contracts made from the schemas of tools.
func synthesized(tools []*schema.Catalogue) []*contract.File {
	var out []*contract.File
	for _, c := range tools {
		out = append(out, synth.Contract(c))
	}
	return out
}

// Assign divides the tools of one list among the servers whose contracts name
// them: a recording has one list for all servers, and contracts have one file
// each. A tool that no file names is left out, and so stays unknown.
func Assign(c *schema.Catalogue, files []*contract.File) []*schema.Catalogue {
	if slices.ContainsFunc(files, func(f *contract.File) bool { return f.Server == c.Server }) {
		return []*schema.Catalogue{c}
	}

	var out []*schema.Catalogue
	for _, f := range files {
		part := &schema.Catalogue{Server: f.Server}
		for _, t := range c.Tools {
			if _, ok := f.Tool(t.Name); ok {
				part.Tools = append(part.Tools, t)
			}
		}
		if len(part.Tools) > 0 {
			out = append(out, part)
		}
	}
	return out
}
