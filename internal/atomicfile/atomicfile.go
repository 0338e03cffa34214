// Package atomicfile writes files as a whole or not at all, one program at a time.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockName is the file in a directory by which programs take turns where the system can't lock
// the directory itself. It stays: removing it would let two of them hold a lock, each on a file
// of its own.
const lockName = ".remit.lock"

// Write replaces or creates a file in an existing directory. The data is on the
// disk before the file gets its name: readers see the old content or the new
// content, never a part, and a later write can rely on this one.
func Write(name string, data []byte, mode fs.FileMode) error {
	return write(name, data, mode, func() error { return nil })
}

// Lock keeps others that lock a directory from changing its files, in this process and in others,
// until the returned function is called. The system takes the lock from a program that ends
// without that. Files are locked for as long as it takes to read and rewrite them, and not while
// waiting for a person or a model.
func Lock(dir string) (unlock func(), err error) {
	unlock, err = lockDirectory(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		unlock, err = lockedfile.MutexAt(filepath.Join(dir, lockName)).Lock()
	}
	if err != nil {
		return nil, fmt.Errorf("the files of %s can't be locked for an edit: %w", dir, err)
	}
	return unlock, nil
}

// ErrClaimed is returned for a file that another program writes to.
var ErrClaimed = errors.New("another program is writing to the file")

// Claim keeps others that claim an open file from writing to it as long as it is open: the error
// is [ErrClaimed] if another program has claimed it. Where the system can't lock a file like
// that, Claim has no effect.
func Claim(f *os.File) error {
	if err := claim(f); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// ErrChanged is returned for a file that no longer says what it said.
var ErrChanged = errors.New("the file has been changed meanwhile")

// Replace writes a file as [Write] does, if its content is still was. The directory is locked for
// the comparison and the write, so that of two callers who replace the same content one gets
// [ErrChanged]. A change by a program that doesn't lock, such as an editor, is noticed up to the
// comparison. A link stays, and the file that it names is written; the mode stays, too.
func Replace(name string, was, data []byte) error {
	return locked(name, func(name string) error { return replace(name, was, data) })
}

// Create writes a file as [Write] does where there is none: else the error is [fs.ErrExist]. The
// directory is locked, as for [Replace].
func Create(name string, data []byte, mode fs.FileMode) error {
	unlock, err := Lock(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer unlock()
	return write(name, data, mode, func() error {
		_, err := os.Lstat(name)
		switch {
		case err == nil:
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		case errors.Is(err, fs.ErrNotExist):
			return nil
		}
		return err
	})
}

// Remove removes a file, if it still says what it said: else the error is [ErrChanged]. The
// directory is locked, as for [Replace].
func Remove(name string, was []byte) error {
	return locked(name, func(name string) error {
		if err := unchanged(name, was); err != nil {
			return err
		}
		return os.Remove(name)
	})
}

// Edit replaces a file by what a function makes of it, and returns that. The directory is locked
// from the reading on, so that no other edit is undone.
func Edit(name string, edit func(was []byte) ([]byte, error)) (data []byte, err error) {
	err = locked(name, func(name string) error {
		was, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if data, err = edit(was); err != nil || bytes.Equal(data, was) {
			return err
		}
		return replace(name, was, data)
	})
	return data, err
}

// locked does something to the file that a name leads to while its directory is locked.
func locked(name string, do func(name string) error) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	unlock, err := Lock(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer unlock()
	return do(name)
}

func replace(name string, was, data []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return write(name, data, info.Mode(), func() error { return unchanged(name, was) })
}

// unchanged returns [ErrChanged] where a file no longer says what it said.
func unchanged(name string, was []byte) error {
	now, err := os.ReadFile(name)
	if err == nil && !bytes.Equal(now, was) {
		err = ErrChanged
	}
	return err
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
