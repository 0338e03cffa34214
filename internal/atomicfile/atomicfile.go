// Package atomicfile writes files as a whole or not at all.
package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces or creates a file in an existing directory. The data is on the
// disk before the file gets its name: readers see the old content or the new
// content, never a part, and a later write can rely on this one.
func Write(name string, data []byte, mode fs.FileMode) error {
	return write(name, data, mode, func() error { return nil })
}

// ErrChanged is returned for a file that no longer says what it said.
var ErrChanged = errors.New("the file has been changed meanwhile")

// Replace writes a file anew as [Write] does, if it still says what it said: the look at it
// comes last before the new content, so that what others wrote meanwhile is not undone. A
// link stays, and the file that it names is written; the mode stays, too.
func Replace(name string, was, data []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}

	return write(name, data, info.Mode(), func() error {
		now, err := os.ReadFile(name)
		if err == nil && !bytes.Equal(now, was) {
			err = ErrChanged
		}
		return err
	})
}

// write writes a file, unless the last look before it gets its name says no.
func write(name string, data []byte, mode fs.FileMode, look func() error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".remit-*")
	if err != nil {
		return err
	}

	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode.Perm()), f.Sync(), f.Close())
	if err == nil {
		err = look()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
