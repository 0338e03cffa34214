package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// notice is what a module that the program is made of asks to be said of it.
type notice struct {
	module *debug.Module
	ids    []string // of its licences, in SPDX's words; none where no licence was recognised
	texts  []entry
}

// notices are sorted by module.
type notices []notice

// legal matches the names of files that must travel with a copy.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([.-].*)?$`)

// notices reads the licences of every module that is in any of the programs. A module without one
// stops the release: it may not be passed on.
func (s source) notices(ctx context.Context, binaries []binary) (notices, error) {
	modules := map[string]*debug.Module{}
	for _, b := range binaries {
		for _, m := range b.info.Deps {
			modules[m.Path] = m
		}
	}
	list, err := output(ctx, s.dir, []string{"GOFLAGS=-mod=mod"}, "go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, slices.Sorted(maps.Keys(modules))...)...)
	if err != nil {
		return nil, err
	}

	var all notices
	for line := range strings.Lines(string(list)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		n, err := readNotice(modules[path], dir)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b notice) int { return cmp.Compare(a.module.Path, b.module.Path) })
	return all, nil
}

// readNotice reads the licences in a module's own directory.
func readNotice(m *debug.Module, dir string) (notice, error) {
	n := notice{module: m}
	files, err := os.ReadDir(dir)
	if err != nil {
		return n, err
	}

	for _, f := range files {
		if !legal.MatchString(f.Name()) || !f.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return n, err
		}
		n.texts = append(n.texts, entry{name: f.Name(), data: data})
		for _, match := range licensecheck.Scan(data).Match {
			if !match.IsURL && !slices.Contains(n.ids, match.ID) {
				n.ids = append(n.ids, match.ID)
			}
		}
	}
	if len(n.texts) == 0 {
		return n, fmt.Errorf("%s has no licence: it can't be passed on", m.Path)
	}
	return n, nil
}

// text returns all of it in one file.
func (all notices) text() []byte {
	var b bytes.Buffer
	b.WriteString("Remit contains these modules. Each stands under its own licence.\n")
	for _, n := range all {
		for _, t := range n.texts {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n%s\n\n%s\n", strings.Repeat("=", 80), n.module.Path, n.module.Version, t.name, strings.Repeat("=", 80), bytes.TrimSpace(t.data))
		}
	}
	return b.Bytes()
}
