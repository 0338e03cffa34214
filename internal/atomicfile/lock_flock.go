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
	if err := flock(d, syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return func() { _ = d.Close() }, nil // which unlocks it
}

func claim(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// flock locks an open file or directory.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrClaimed
		case errors.Is(err, syscall.EBADF), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP):
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		return err
	}
}
