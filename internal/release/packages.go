package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

// packages makes a deb and an rpm for each architecture of Linux, with nfpm.
func (r *release) packages(ctx context.Context) error {
	var nfpm string
	for _, b := range r.binaries {
		if b.system != "linux" {
			continue
		}
		if nfpm == "" {
			// Built as the program is, it shares what is compiled of both.
			path, err := output(ctx, r.source.dir, []string{"GOFLAGS=-trimpath", "CGO_ENABLED=0"}, "go", "tool", "-n", "-modfile=tools/nfpm.mod", "nfpm")
			if err != nil {
				return err
			}
			nfpm = strings.TrimSpace(string(path))
		}

		stage := filepath.Join(r.source.dir, "..", "stage-"+b.arch)
		if err := r.stage(b, stage); err != nil {
			return err
		}
		for _, kind := range []string{"deb", "rpm"} {
			target, err := filepath.Abs(filepath.Join(r.out, r.archiveBase(b.platform)+"."+kind))
			if err != nil {
				return err
			}
			env := []string{"ARCH=" + b.arch, "VERSION=" + r.number(), "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.source.date.Unix(), 10)}
			if _, err := output(ctx, stage, env, nfpm, "package", "--config", "packaging/linux/nfpm.yaml", "--packager", kind, "--target", target); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage lays out what nfpm takes the files of a package from: the program and packaging/.
func (r *release) stage(b binary, dir string) error {
	entries, err := r.archived(b, "files")
	if err != nil {
		return err
	}
	packaging, err := r.source.files("packaging")
	if err != nil {
		return err
	}
	for _, e := range packaging {
		e.name = "packaging/" + e.name
		entries = append(entries, e)
	}

	// nfpm takes a file's mode and time from the file.
	for _, e := range entries {
		path := filepath.Join(dir, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, e.data, e.mode); err != nil {
			return err
		}
		if err := os.Chtimes(path, r.source.date, r.source.date); err != nil {
			return err
		}
	}
	return nil
}

// chart packs the Helm chart, with the release's version in it.
func (r *release) chart(context.Context) error {
	entries, err := r.source.files("packaging/helm")
	if err != nil {
		return err
	}
	for i, e := range entries {
		if e.name == "remit/Chart.yaml" {
			entries[i].data = bytes.ReplaceAll(e.data, []byte("0.0.0-snapshot"), []byte(r.number()))
		}
	}

	data, err := tarGz(entries, r.source.date)
	if err != nil {
		return err
	}
	return r.write("remit-chart-"+r.number()+".tgz", data)
}

// formula writes the Homebrew formula, which names the archives by their digests.
func (r *release) formula(context.Context) error {
	sums, err := digests(r.out)
	if err != nil {
		return err
	}
	digests := map[string]string{}
	for _, s := range sums {
		digests[s.name] = s.digest
	}

	type archive struct{ System, Arch, URL, Digest string }
	var archives []archive
	words := map[string]string{"darwin": "macos", "linux": "linux", "amd64": "intel", "arm64": "arm"}
	for _, b := range r.binaries {
		if b.system == "windows" {
			continue
		}
		name := r.archiveBase(b.platform) + ".tar.gz"
		archives = append(archives, archive{words[b.system], words[b.arch], fmt.Sprintf("%s/releases/download/%s/%s", home, r.source.version, name), digests[name]})
	}
	if archives == nil {
		return nil
	}

	text, err := r.source.read("packaging/homebrew/remit.rb.tmpl")
	if err != nil {
		return err
	}
	t, err := template.New("formula").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]any{"Version": r.number(), "Archives": archives}); err != nil {
		return err
	}
	return r.write("remit.rb", []byte(b.String()))
}
