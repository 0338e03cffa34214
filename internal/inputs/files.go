// Package inputs reads the files that a user names: tool definitions, contracts
// and guards. Errors say what to name or write instead.
package inputs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/hint"
)

// MaxSize bounds a file that is read whole, in bytes. Tool definitions and
// contracts are far smaller, and the packages that parse them have bounds of
// their own.
const MaxSize = 64 << 20

// Read reads a file of at most 64 MiB.
func Read(name string) ([]byte, error) { return ReadAs(name, "a file") }

// ReadAs is [Read] for a file that should be what, such as "a contract file". If
// name is a directory, the advice of the error is to give what.
func ReadAs(name, what string) ([]byte, error) {
	f, err := Open(name, what)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: the file is larger than %d MiB", name, MaxSize>>20)
	}
	return data, nil
}

// Open opens a file that should be what for reading. It fails for a directory.
func Open(name, what string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, Missing(err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, hint.Wrap(fmt.Errorf("%s is a directory", name), "give "+what)
	}
	return f, nil
}

// Missing adds advice to an error about a file that doesn't exist. It returns
// other errors as they are.
func Missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Wrap(err, "check the path; it is relative to the current directory")
	}
	return err
}

// YAML returns path if it is a file, and the YAML files in it if it is a
// directory, without hidden ones. If there are none, the error names what was
// expected, such as "contract", and gives the advice.
func YAML(path, what, advice string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && advice != "" {
		return nil, hint.Wrap(fmt.Errorf("%s is not there", path), "check the path; it is relative to the current directory; or "+advice)
	}
	if err != nil {
		return nil, Missing(err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}

	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if isYAML(e) {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, hint.Wrap(fmt.Errorf("%s: there are no %s files (*.yaml) in here", path, what), advice)
	}
	return names, nil
}

func isYAML(e fs.DirEntry) bool {
	ext := filepath.Ext(e.Name())
	named := ext == ".yaml" || ext == ".yml"
	hidden := strings.HasPrefix(e.Name(), ".")
	return named && !hidden && !e.IsDir()
}
