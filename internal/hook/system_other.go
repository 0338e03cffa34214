//go:build !linux && !darwin

package hook

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

var (
	errLocked = errors.New("locked")
	// errSystem fails every use on systems where the other end of a socket is
	// unknown: the call is denied.
	errSystem = errors.New("hooks need Linux or macOS, where a socket tells who is at its other end")
)

func lockFile(*os.File) error              { return errSystem }
func checkOwner(string, fs.FileInfo) error { return errSystem }
func detached() *syscall.SysProcAttr       { return nil }
func checkPeer(*net.UnixConn) error        { return errSystem }
