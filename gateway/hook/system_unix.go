//go:build linux || darwin

package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

var errLocked = errors.New("locked")

// lockFile locks a file for as long as it is open.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// checkOwner makes sure that a directory is this user's own.
func checkOwner(dir string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is somebody else's: remove it", dir)
	}
	return nil
}

// detached starts a process in a session of its own.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// samePeer makes sure that a user is this one.
func samePeer(uid uint32) error {
	if int(uid) != os.Geteuid() {
		return fmt.Errorf("the other end of the socket is user %d", uid)
	}
	return nil
}
