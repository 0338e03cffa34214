package pack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Fetched is a package that was installed to be looked at.
type Fetched struct {
	Version string
	// Command starts the server with Env as its whole environment.
	Command, Env []string
	// Definitions are what a tool kit lists; nil for a server.
	Definitions []byte
}

// Fetch installs a version of the pack's package below an empty directory, by the registry's
// own client, without running what the package would run at installation. The empty version
// is the present one, or the one that the pack is pinned to.
func (p *Pack) Fetch(ctx context.Context, dir, version string) (*Fetched, error) {
	install := map[Registry]func(ctx context.Context, dir, version string) (program, installed string, err error){NPM: p.fetchNPM, PyPI: p.fetchPyPI, Go: p.fetchGo}[p.Registry]
	program, version, err := install(ctx, dir, cmp.Or(version, p.Pinned))
	if err != nil {
		return nil, err
	}

	for name, text := range p.Files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}

	env := append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, p.Env...)
	out := &Fetched{Version: version, Command: append([]string{program}, p.Arguments...), Env: env}
	if p.Listing != "" {
		out.Definitions, err = execute(ctx, dir, env, filepath.Join(dir, "venv", "bin", "python"), "-c", p.Listing)
	}
	return out, err
}

func (p *Pack) fetchNPM(ctx context.Context, dir, version string) (program, installed string, err error) {
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return "", "", err
	}
	install := append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", p.Package + "@" + cmp.Or(version, "latest")}, p.With...)
	if _, err := run(ctx, dir, "npm", install...); err != nil {
		return "", "", err
	}

	modules := filepath.Join(dir, "node_modules")
	data, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(p.Package), "package.json"))
	if err != nil {
		return "", "", err
	}
	var about struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return "", "", fmt.Errorf("the package's package.json: %w", err)
	}
	return filepath.Join(modules, ".bin", p.Start), about.Version, nil
}

func (p *Pack) fetchPyPI(ctx context.Context, dir, version string) (program, installed string, err error) {
	bin := filepath.Join(dir, "venv", "bin")
	if _, err := run(ctx, dir, "python3", "-m", "venv", "venv"); err != nil {
		return "", "", err
	}
	pip := filepath.Join(bin, "pip")
	wanted := p.Package
	if version != "" {
		wanted += "==" + version
	}
	if _, err := run(ctx, dir, pip, append([]string{"install", "-q", "--only-binary", ":all:", wanted}, p.With...)...); err != nil {
		return "", "", err
	}

	about, err := run(ctx, dir, pip, "show", p.Package)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(about) {
		if v, ok := strings.CutPrefix(line, "Version: "); ok {
			return filepath.Join(bin, p.Start), strings.TrimSpace(v), nil
		}
	}
	return "", "", errors.New("pip show doesn't say the version of " + p.Package)
}

// fetchGo builds the program. Modules come from where the go command's own configuration
// says, and are checked by it.
func (p *Pack) fetchGo(ctx context.Context, dir, version string) (program, installed string, err error) {
	if _, err := run(ctx, dir, "go", "install", p.Package+"/"+p.Start+"@"+cmp.Or(version, "latest")); err != nil {
		return "", "", err
	}
	program = filepath.Join(dir, path.Base(p.Start))
	about, err := run(ctx, dir, "go", "version", "-m", program)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(about) {
		// As in "	mod	github.com/owner/name	v1.2.3	h1:…".
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "mod" {
			return program, fields[2], nil
		}
	}
	return "", "", errors.New("go version -m doesn't say the version of " + p.Package)
}

// run runs a program of the operator's in a directory and returns what it printed.
func run(ctx context.Context, dir, program string, args ...string) (string, error) {
	out, err := execute(ctx, dir, append(os.Environ(), "GOBIN="+dir), program, args...)
	return string(out), err
}

// execute runs a program with an environment. The error has the end of what it complained
// about.
func execute(ctx context.Context, dir string, env []string, program string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env = dir, env
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		const most = 500
		text := complaints.String()
		return nil, fmt.Errorf("%s %s: %w: %s", program, args[0], err, strings.TrimSpace(text[max(0, len(text)-most):]))
	}
	return out, nil
}
