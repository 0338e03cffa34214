//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockDirectory locks a directory itself, which leaves nothing in it. The error is
// [errors.ErrUnsupported] on file systems that lock only what is open for writing, such as NFS.
func lockDirectory(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return func() { _ = d.Close() }, nil // which unlocks it
	case errors.Is(err, syscall.EBADF), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP):
		err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return nil, errors.Join(err, d.Close())
}
