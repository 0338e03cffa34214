//go:build unix

package upstream

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts a program into a process group, so that what it started ends
// with it: many servers are started by a launcher.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func termGroup(c *exec.Cmd) error { return signalGroup(c, syscall.SIGTERM) }
func killGroup(c *exec.Cmd) error { return signalGroup(c, syscall.SIGKILL) }

func signalGroup(c *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-c.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
