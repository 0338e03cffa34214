// Release makes everything that people install Remit from, out of one commit: archives,
// packages for Debian and Fedora, a container image, a Helm chart, a Homebrew formula, the
// packages of the clients, and what says of them where they come from. Two runs on the same commit give the same bytes.
//
//	go run ./internal/release --out dist
//
// docs/how-to/release.md describes what it makes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// everywhere lists what Remit is released for.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	out := flags.String("out", "dist", "the directory to write to")
	platforms := flags.String("platforms", everywhere, "the platforms to build for, as linux/amd64,darwin/arm64; host is this machine's")
	flags.Parse(os.Args[1:])

	if err := run(context.Background(), os.Stdout, ".", *out, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// release is what is being made.
type release struct {
	source   source
	notices  notices
	binaries []binary
	extras   []entry // completions and the manual, in every archive
	tree     string  // the checkout, which has what builds the clients
	out      string
	leftOut  []string // what could not be made here, and why
}

// run makes a release of the commit that is checked out in root.
func run(ctx context.Context, w io.Writer, root, out string, names []string) error {
	platforms, err := parsePlatforms(names)
	if err != nil {
		return err
	}
	for _, dir := range []*string{&root, &out} {
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	src, end, err := checkout(ctx, root)
	if err != nil {
		return err
	}
	defer end()

	r := &release{source: src, tree: root, out: out}
	if r.binaries, err = src.build(ctx, platforms); err != nil {
		return err
	}
	r.source.version = r.binaries[0].info.Main.Version
	if r.notices, err = src.notices(ctx, r.binaries); err != nil {
		return err
	}
	if r.extras, err = src.extras(ctx); err != nil {
		return err
	}

	// What a later step names by its digest is made by an earlier one.
	steps := []struct {
		name string
		make func(context.Context) error
	}{
		{"archives", r.archives},
		{"deb and rpm", r.packages},
		{"container image", r.image},
		{"Helm chart", r.chart},
		{"Homebrew formula", r.formula},
		{"clients", r.clients},
		{"SBOM", r.sbom},
		{"provenance", r.provenance},
		{"checksums", r.checksums},
	}
	for _, s := range steps {
		if err := s.make(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(w, "made %s\n", s.name)
	}
	for _, what := range r.leftOut {
		fmt.Fprintf(w, "left out %s\n", what)
	}
	fmt.Fprintf(w, "remit %s is in %s\n", r.source.version, out)
	return nil
}

// parsePlatforms reads names such as linux/amd64.
func parsePlatforms(names []string) ([]platform, error) {
	var all []platform
	for _, name := range names {
		if name == "host" {
			name = runtime.GOOS + "/" + runtime.GOARCH
		}
		system, arch, found := strings.Cut(name, "/")
		if !found || !strings.Contains(","+everywhere+",", ","+name+",") {
			return nil, fmt.Errorf("no platform is called %q: there are %s", name, everywhere)
		}
		all = append(all, platform{system: system, arch: arch})
	}
	return all, nil
}

// write writes an artifact.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// number returns the version without the v that Go wants before it.
func (r *release) number() string { return strings.TrimPrefix(r.source.version, "v") }
