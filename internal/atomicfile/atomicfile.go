// Package atomicfile writes files as a whole or not at all.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces or creates a file in an existing directory. The data is on the
// disk before the file gets its name: readers see the old content or the new
// content, never a part, and a later write can rely on this one.
func Write(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".remit-*")
	if err != nil {
		return err
	}

	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode.Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
