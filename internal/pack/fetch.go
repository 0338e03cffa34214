package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fetched is a package that was installed to be looked at.
type Fetched struct {
	Version string
	// Command starts the server with Env as its whole environment.
	Command, Env []string
}

// Fetch installs the present version of the pack's package below an empty directory, by
// the registry's own client, without running what the package would run at installation.
func (p *Pack) Fetch(ctx context.Context, dir string) (*Fetched, error) {
	install := map[Registry]func(context.Context, string) (program, version string, err error){NPM: p.fetchNPM, PyPI: p.fetchPyPI}[p.Registry]
	program, version, err := install(ctx, dir)
	if err != nil {
		return nil, err
	}
	for name, text := range p.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	env := append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, p.Env...)
	return &Fetched{Version: version, Command: append([]string{program}, p.Arguments...), Env: env}, nil
}

func (p *Pack) fetchNPM(ctx context.Context, dir string) (program, version string, err error) {
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return "", "", err
	}
	if _, err := run(ctx, dir, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", p.Package+"@latest"); err != nil {
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

func (p *Pack) fetchPyPI(ctx context.Context, dir string) (program, version string, err error) {
	bin := filepath.Join(dir, "venv", "bin")
	if _, err := run(ctx, dir, "python3", "-m", "venv", "venv"); err != nil {
		return "", "", err
	}
	pip := filepath.Join(bin, "pip")
	if _, err := run(ctx, dir, pip, "install", "-q", "--only-binary", ":all:", p.Package); err != nil {
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

// run runs a program in a directory and returns what it printed. The error has the end of
// what it complained about.
func run(ctx context.Context, dir, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		const most = 500
		text := complaints.String()
		return "", fmt.Errorf("%s %s: %w: %s", program, args[0], err, strings.TrimSpace(text[max(0, len(text)-most):]))
	}
	return string(out), nil
}
