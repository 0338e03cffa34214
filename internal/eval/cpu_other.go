//go:build !unix

package eval

import (
	"errors"
	"time"
)

// cpuTime is known on unix alone.
func cpuTime() (time.Duration, error) {
	return 0, errors.New("the system doesn't say what a process has used of its cores: measure on another one")
}
