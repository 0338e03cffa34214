//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"errors"
	"os"
)

// lockDirectory locks no directory here.
func lockDirectory(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }

// claim locks no file here.
func claim(*os.File) error { return errors.ErrUnsupported }
