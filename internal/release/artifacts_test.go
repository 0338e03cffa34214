package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReproducible makes the same release twice, and compares the bytes: a stranger can
// make it again and see that it is what the commit says.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("a second release takes minutes; make release-test makes it")
	}
	first := filepath.Dir(artifact(t, "checksums.txt"))
	second := t.TempDir()
	if err := run(context.Background(), io.Discard, root, second, []string{"host"}); err != nil {
		t.Fatal(err)
	}

	a, err := digests(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a {
		data, err := os.ReadFile(filepath.Join(second, s.name))
		if err != nil {
			t.Error(err)
		} else if digest(data) != s.digest {
			t.Errorf("%s has other bytes the second time", s.name)
		}
	}
	if len(a) < 5 {
		t.Errorf("the release has only %v", a)
	}
}

// TestArchive lists what is in an archive, so that nothing gets in or is lost unnoticed.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	extract(t, artifact(t, host()+".tar.gz"), dir)
	for _, name := range []string{"remit", "README.md", "LICENSE", "CHANGELOG.md", "THIRD_PARTY_LICENSES.txt", "completions/remit.bash", "completions/_remit", "completions/remit.fish", "man/remit.1"} {
		if info, err := os.Stat(only(t, dir, "*", name)); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// maxProgram bounds the program for Linux on amd64, in bytes. It has 45.8 million, and an
// eighth more with every method of every type.
const maxProgram = 46.5e6

// TestSize bounds the program. A look-up of methods by names that the linker can't know
// anywhere in the program makes it keep all methods of all types, and it grows by an eighth.
func TestSize(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the bound is for Linux on amd64")
	}
	dir := t.TempDir()
	extract(t, artifact(t, host()+".tar.gz"), dir)
	info, err := os.Stat(only(t, dir, "*", "remit"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxProgram {
		t.Errorf("the program has %d bytes: go build -ldflags=-dumpdep ./cmd/remit 2>&1 | grep ReflectMethod shows what finds methods by names", info.Size())
	}
}

// TestChecksums finds every artifact in the file of checksums, and the archives in the formula.
func TestChecksums(t *testing.T) {
	name := artifact(t, "checksums.txt")
	listed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	formula, err := os.ReadFile(artifact(t, "remit.rb"))
	if err != nil {
		t.Fatal(err)
	}

	sums, err := digests(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sums {
		if !bytes.Contains(listed, []byte(s.digest+"  "+s.name+"\n")) {
			t.Errorf("%s has no checksum", s.name)
		}
		if strings.HasSuffix(s.name, host()+".tar.gz") && !bytes.Contains(formula, []byte(s.digest)) {
			t.Errorf("the formula doesn't name %s by its digest", s.name)
		}
	}
}

// TestStatements reads the provenance and the SBOM: the one names every artifact before it,
// the other every module with its licence.
func TestStatements(t *testing.T) {
	var statement struct {
		Subject []struct {
			Name   string
			Digest struct{ SHA256 string }
		}
		PredicateType string
	}
	readJSON(t, artifact(t, "_provenance.intoto.json"), &statement)
	named := map[string]string{}
	for _, s := range statement.Subject {
		named[s.Name] = s.Digest.SHA256
	}
	archive, err := os.ReadFile(artifact(t, host()+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if named[filepath.Base(artifact(t, host()+".tar.gz"))] != digest(archive) || statement.PredicateType != "https://slsa.dev/provenance/v1" {
		t.Errorf("the provenance names %v", named)
	}

	var bom struct {
		Components []struct {
			Name, Version string
			Licenses      []any
		}
	}
	readJSON(t, artifact(t, "_sbom.cdx.json"), &bom)
	modules := map[string]string{}
	for _, c := range bom.Components {
		modules[c.Name] = c.Version
		if len(c.Licenses) == 0 {
			t.Errorf("the licence of %s was not recognised", c.Name)
		}
	}
	for _, name := range []string{"std", "modernc.org/sqlite", "cel.dev/cel-go"} {
		if modules[name] == "" {
			t.Errorf("the SBOM lacks %s", name)
		}
	}
}

// TestDeb holds the package to its promises: the services' files are where systemd looks,
// what people edit is theirs in an upgrade, and the scripts are there.
func TestDeb(t *testing.T) {
	need(t, "dpkg-deb")
	deb, dir := artifact(t, ".deb"), t.TempDir()
	command(t, "dpkg-deb", "--control", deb, dir)
	conffiles, err := os.ReadFile(filepath.Join(dir, "conffiles"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/etc/remit/serve.env", "/etc/remit/proxy.env", "/etc/remit/gateway.env", "/etc/remit/gateway.yaml"} {
		if !strings.Contains(string(conffiles), name+"\n") {
			t.Errorf("%s would be overwritten by an upgrade", name)
		}
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		command(t, "sh", "-n", filepath.Join(dir, script))
	}

	list := command(t, "dpkg-deb", "--contents", deb)
	for _, name := range []string{"./usr/bin/remit", "./usr/lib/systemd/system/remit-serve.service", "./usr/lib/systemd/system/remit-gateway.service", "./usr/lib/systemd/system/remit-proxy.service", "./usr/lib/sysusers.d/remit.conf", "./usr/share/man/man1/remit.1"} {
		if !strings.Contains(list, name) {
			t.Errorf("it lacks %s", name)
		}
	}
}

// TestUnits lets systemd read the services, with the program where the package puts it.
func TestUnits(t *testing.T) {
	need(t, "systemd-analyze")
	need(t, "dpkg-deb")
	dir := t.TempDir()
	command(t, "dpkg-deb", "--extract", artifact(t, ".deb"), dir)
	units, err := filepath.Glob(filepath.Join(dir, "usr/lib/systemd/system/remit-*.service"))
	if err != nil || len(units) != 3 {
		t.Fatal(units, err)
	}

	for _, unit := range units {
		data, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		here := filepath.Join(t.TempDir(), filepath.Base(unit))
		if err := os.WriteFile(here, bytes.ReplaceAll(data, []byte("/usr/bin/remit"), []byte(filepath.Join(dir, "usr/bin/remit"))), 0o644); err != nil {
			t.Fatal(err)
		}
		if out := command(t, "systemd-analyze", "verify", "--man=no", here); strings.Contains(out, filepath.Base(unit)) {
			t.Errorf("systemd says:\n%s", out)
		}
		command(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", here) // of 100
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
