package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
)

// replaceKeeping writes a file with the given permissions, as a whole or not at all.
// It keeps a symbolic link.
func replaceKeeping(name string, data []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return atomicfile.Write(name, data, mode)
}

// CreateFile writes a file that must not exist yet.
func CreateFile(name string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// Replace writes a file of a client or an agent, after a copy of what it was under
// another name. It fails if the file isn't what it was before.
func Replace(name string, before, after []byte) (backup string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}

	for n := 1; ; n++ {
		if backup = BackupName(name, n); n > maxBackups {
			return "", hint.Wrap(fmt.Errorf("%s: there are already %d backups", name, maxBackups), "remove those that you don't need")
		}
		err := CreateFile(backup, before, info.Mode())
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if same, err := inputs.Read(backup); err == nil && bytes.Equal(same, before) {
			break
		}
	}

	if now, err := inputs.Read(name); err != nil || !bytes.Equal(now, before) {
		return "", hint.Wrap(fmt.Errorf("%s: the file has changed in the meantime", name), "close the client, and try again")
	}
	return backup, replaceKeeping(name, after, info.Mode())
}

// maxBackups is how many backups of a file are kept.
const maxBackups = 20

// BackupName returns the name of the n-th backup of a file, counted from 1.
func BackupName(name string, n int) string {
	if n == 1 {
		return name + ".remit-backup"
	}
	return fmt.Sprintf("%s.remit-backup-%d", name, n)
}

// Backups returns the contents of the backups of a file, the newest first, and
// their names.
func Backups(name string) (earlier [][]byte, names []string, err error) {
	for n := maxBackups; n >= 1; n-- {
		backup := BackupName(name, n)
		old, err := inputs.Read(backup)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		earlier, names = append(earlier, old), append(names, backup)
	}
	return earlier, names, nil
}

// Restore writes a file as it was before [Replace], and removes the backups that
// are equal to it. It fails if the file isn't what it was before.
func Restore(name string, before, after []byte, earlier [][]byte, names []string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if now, err := inputs.Read(name); err != nil || !bytes.Equal(now, before) {
		return hint.Wrap(fmt.Errorf("%s: the file has changed in the meantime", name), "close the client, and try again")
	}
	if err := replaceKeeping(name, after, info.Mode()); err != nil {
		return err
	}
	for i, old := range earlier {
		if bytes.Equal(old, after) {
			if err := os.Remove(names[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
