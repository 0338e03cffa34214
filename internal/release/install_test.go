package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a user takes from nothing to a first blocked injection, at most.
const patience = 2 * time.Minute

// made makes a release of the commit that is checked out, for this machine: what is not
// committed is in no release. It is made once for all tests.
var made = sync.OnceValues(func() (string, error) {
	return workshop, run(context.Background(), io.Discard, root, workshop, []string{"host"})
})

// workshop is the directory in which it is made.
var workshop = filepath.Join(os.TempDir(), fmt.Sprintf("remit-made-%d", os.Getpid()))

const root = "../.."

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(workshop)
	os.Exit(code)
}

// artifact returns the file of the release whose name has an ending.
func artifact(t *testing.T, ending string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, which a release is made with")
	}
	if err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("this is not a checkout: a release is made of a commit")
	}
	dir, err := made()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil || len(names) != 1 {
		t.Skipf("the release for this platform has no %s", ending)
	}
	return names[0]
}

// installation unpacks an artifact into a fresh directory, and returns the command that
// runs the program from there.
type installation struct {
	name   string
	unpack func(t *testing.T, dir string) []string
}

// installations are the ways to install the program that are tried.
var installations = []installation{
	{"archive", func(t *testing.T, dir string) []string {
		extract(t, artifact(t, host()+".tar.gz"), dir)
		return []string{only(t, dir, "*", "remit")}
	}},
	{"deb", func(t *testing.T, dir string) []string {
		need(t, "dpkg-deb")
		command(t, "dpkg-deb", "--extract", artifact(t, ".deb"), dir)
		return []string{filepath.Join(dir, "usr/bin/remit")}
	}},
	{"image", func(t *testing.T, dir string) []string {
		need(t, "chroot")
		if os.Getuid() != 0 {
			t.Skip("only root may run what is in an image without a container engine")
		}
		image := openImage(t, artifact(t, "_image.tar"), dir)
		return []string{"chroot", "--userspec=" + image.Config.User, dir, image.Config.Entrypoint[0]}
	}},
}

// TestInstall installs the program from each artifact in a fresh home, and blocks an
// injection with it: within two minutes, and without anything else of this machine.
func TestInstall(t *testing.T) {
	session, err := os.ReadFile("testdata/injected.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range installations {
		t.Run(i.name, func(t *testing.T) {
			artifact(t, "checksums.txt") // made before the time counts
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			program := i.unpack(t, t.TempDir())

			home := t.TempDir()
			try := func(stdin []byte, args ...string) string {
				cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], args...)...)
				cmd.Stdin, cmd.Env = bytes.NewReader(stdin), []string{"HOME=" + home}
				if i.name == "image" {
					cmd.Env = []string{"HOME=/var/lib/remit"}
				}
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("remit %v: %v\n%s", args, err, out)
				}
				return string(out)
			}

			if out := try(nil, "version"); !strings.Contains(out, "(commit ") {
				t.Errorf("remit version doesn't say its commit: %s", out)
			}
			verdicts := map[string]string{}
			for line := range strings.Lines(try(session, "session")) {
				var d struct{ Type, Call, Verdict string }
				if err := json.Unmarshal([]byte(line), &d); err != nil {
					t.Fatal(err)
				}
				verdicts[d.Call] = d.Verdict
			}
			if verdicts["read"] != "allow" || verdicts["asked"] != "allow" || verdicts["injected"] == "allow" || verdicts["injected"] == "" {
				t.Errorf("the verdicts are %v: the injected call must not run, and the others must", verdicts)
			}
		})
	}
}

// TestImage holds the container image to what a cluster asks of it.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	image := openImage(t, artifact(t, "_image.tar"), dir)
	if image.Config.User != "65532:65532" {
		t.Errorf("it runs as %q", image.Config.User)
	}
	for _, name := range []string{"etc/ssl/certs/ca-certificates.crt", "usr/share/doc/remit/THIRD_PARTY_LICENSES.txt"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(data) < 1000 {
			t.Errorf("%s: %v, %d bytes", name, err, len(data))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "bin/sh")); err == nil {
		t.Error("it has a shell")
	}
}

// image is what is read of an image's configuration.
type image struct {
	Config struct {
		User       string
		Entrypoint []string
	}
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// openImage unpacks the image of a layout, the way a container engine does: from the index
// by digests, each of which must be right.
func openImage(t *testing.T, name, dir string) image {
	t.Helper()
	layout := t.TempDir()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	untar(t, bytes.NewReader(data), layout)

	type descriptor struct{ Digest string }
	type manifest struct {
		Manifests []descriptor
		Config    descriptor
		Layers    []descriptor
	}
	blob := func(d descriptor) []byte {
		algorithm, name, _ := strings.Cut(d.Digest, ":")
		data, err := os.ReadFile(filepath.Join(layout, "blobs", algorithm, name))
		if err != nil || digest(data) != name {
			t.Fatalf("blob %s: %v", d.Digest, err)
		}
		return data
	}
	read := func(data []byte, err error, into any) {
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	var top, index, one manifest
	var i image
	data, err = os.ReadFile(filepath.Join(layout, "index.json"))
	read(data, err, &top)
	read(blob(top.Manifests[0]), nil, &index)
	read(blob(index.Manifests[0]), nil, &one)
	read(blob(one.Config), nil, &i)
	for n, l := range one.Layers {
		z, err := gzip.NewReader(bytes.NewReader(blob(l)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(z)
		if err != nil || "sha256:"+digest(layer) != i.RootFS.DiffIDs[n] {
			t.Fatalf("layer %d: %v", n, err)
		}
		untar(t, bytes.NewReader(layer), dir)
	}
	return i
}

func extract(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	untar(t, z, dir)
}

// untar unpacks a tar file with its owners, where this user may give files away.
func untar(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if err == io.EOF {
			return
		}
		if err == nil {
			err = place(in, h, filepath.Join(dir, filepath.FromSlash(h.Name)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func place(in io.Reader, h *tar.Header, path string) error {
	if h.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(path, h.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, h.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
	if os.Getuid() != 0 {
		return nil
	}
	return os.Lchown(path, h.Uid, h.Gid)
}

func host() string {
	p, _ := parsePlatforms([]string{"host"})
	return fmt.Sprintf("_%s_%s", p[0].system, p[0].arch)
}

func only(t *testing.T, parts ...string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(parts...))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v: %v, %v", parts, names, err)
	}
	return names[0]
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
