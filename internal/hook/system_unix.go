//go:build linux || darwin

package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

var errLocked = errors.New("locked")

// lockFile locks a file until it is closed.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// checkOwner returns an error unless a directory belongs to this user.
func checkOwner(dir string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user: remove it", dir)
	}
	return nil
}

// detached returns attributes that start a process in a session of its own.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// checkPeer returns an error unless the same user is at the other end.
func checkPeer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var uid uint32
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerUser(fd) })
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if int(uid) != os.Geteuid() {
		return fmt.Errorf("the other end of the socket is user %d", uid)
	}
	return nil
}
