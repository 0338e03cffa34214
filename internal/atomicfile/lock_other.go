//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "errors"

// lockDirectory locks no directory here.
func lockDirectory(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
