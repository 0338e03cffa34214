//go:build unix

package eval

import (
	"syscall"
	"time"
)

// cpuTime returns what the process has used of the cores so far.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
