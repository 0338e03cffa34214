package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// source is the commit that a release is made of, in a directory of its own: what is changed or
// untracked in a working tree gets into no release.
type source struct {
	dir     string
	version string
	commit  string
	date    time.Time // the commit's: no file of a release has another
}

// checkout checks out the commit of a repository, and returns what removes it again.
func checkout(ctx context.Context, root string) (source, func(), error) {
	temp, err := os.MkdirTemp("", "remit-release-")
	if err != nil {
		return source{}, nil, err
	}
	end := func() { os.RemoveAll(temp) }

	s := source{dir: filepath.Join(temp, "remit")}
	if err := s.clone(ctx, root); err != nil {
		end()
		return source{}, nil, err
	}
	return s, end, nil
}

func (s *source) clone(ctx context.Context, root string) error {
	commit, err := output(ctx, root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	s.commit = strings.TrimSpace(string(commit))
	if _, err := output(ctx, root, nil, "git", "clone", "--quiet", "--shared", "--no-checkout", root, s.dir); err != nil {
		return err
	}
	if _, err := output(ctx, s.dir, nil, "git", "checkout", "--quiet", "--detach", s.commit); err != nil {
		return err
	}

	date, err := output(ctx, s.dir, nil, "git", "show", "--no-patch", "--format=%cI", s.commit)
	if err != nil {
		return err
	}
	s.date, err = time.Parse(time.RFC3339, strings.TrimSpace(string(date)))
	s.date = s.date.UTC()
	return err
}

// path returns where a file or directory of the commit is.
func (s source) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// read returns a file of the commit.
func (s source) read(name string) ([]byte, error) { return os.ReadFile(s.path(name)) }

// files returns all files below a directory of the commit, by their names from there.
func (s source) files(dir string) ([]entry, error) {
	root := s.path(dir)
	var all []entry
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, entry{name: filepath.ToSlash(name), mode: 0o644, data: data})
		return err
	})
	return all, err
}

// platform is what a binary runs on, in Go's words.
type platform struct{ system, arch string }

// binary is the program for one platform.
type binary struct {
	platform
	data []byte
	info *buildinfo.BuildInfo
}

// name returns the program's file name.
func (p platform) name() string {
	if p.system == "windows" {
		return "remit.exe"
	}
	return "remit"
}

// flags leave out what differs between machines, what only debuggers read, and half of the room
// between functions. What the environment says of flags doesn't count.
var flags = []string{"-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid= -funcalign=16"}

// build builds the program for each platform.
func (s source) build(ctx context.Context, platforms []platform) ([]binary, error) {
	var all []binary
	for _, p := range platforms {
		name := s.program(p)
		env := []string{"GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOOS=" + p.system, "GOARCH=" + p.arch}
		args := append(append([]string{"build"}, flags...), "-o", name, "./cmd/remit")
		if _, err := output(ctx, s.dir, env, "go", args...); err != nil {
			return nil, err
		}

		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.Read(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		all = append(all, binary{platform: p, data: data, info: info})
	}
	return all, nil
}

// extras returns what goes beside the program on every platform: completions and the
// manual, as the program itself prints them.
func (s source) extras(ctx context.Context) ([]entry, error) {
	printed := []struct {
		name string
		args []string
	}{
		{"completions/remit.bash", []string{"completion", "bash"}},
		{"completions/_remit", []string{"completion", "zsh"}},
		{"completions/remit.fish", []string{"completion", "fish"}},
		{"man/remit.1", []string{"manual"}},
	}

	host, err := s.host(ctx)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, p := range printed {
		data, err := output(ctx, s.dir, nil, host, p.args...)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name: p.name, mode: 0o644, data: data})
	}
	return all, nil
}

// program returns where the program for a platform is built. Windows runs what is called so.
func (s source) program(p platform) string {
	return filepath.Join(s.dir, "..", p.system+"-"+p.arch+".exe")
}

// host returns the program for this machine, and builds it where it is no part of the release.
func (s source) host(ctx context.Context) (string, error) {
	here := platform{system: runtime.GOOS, arch: runtime.GOARCH}
	name := s.program(here)
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	_, err := s.build(ctx, []platform{here})
	return name, err
}

// output runs a program, and returns what it prints.
func output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errors.Bytes())
	}
	return data, nil
}
