package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/hint"
)

// isTemporary reports whether a program is one that go run has made, and removes.
func isTemporary(exe string) bool {
	dir := filepath.Dir(exe)
	return filepath.Base(dir) == "exe" && strings.HasPrefix(filepath.Base(filepath.Dir(filepath.Dir(dir))), "go-build")
}

// Program returns the path by which a client starts this program: the named one, or
// if that is empty, where this program is.
func Program(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", hint.Wrap(err, "name the program with --program")
	}
	if isTemporary(exe) {
		return "", hint.Wrap(fmt.Errorf("%s exists only during this run", exe), "build the program with go build, and run that; or name it with --program")
	}
	// The name in PATH stays when a package manager installs another version.
	if found, err := exec.LookPath("remit"); err == nil && sameFile(found, exe) {
		if found, err = filepath.Abs(found); err == nil {
			return found, nil
		}
	}
	return exe, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}
