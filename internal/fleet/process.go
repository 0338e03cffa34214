package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// startBound is how long a replica may take until it listens, and endBound until it has
// ended when it is asked to: longer than the programs' own grace.
const (
	startBound = 2 * time.Minute
	endBound   = time.Minute
)

// Process is a replica that runs.
type Process struct {
	// URL is where it listens, as it has logged.
	URL string

	cmd *exec.Cmd
	// ended is closed when it has ended, with err.
	ended chan struct{}
	err   error
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// Start starts a program that serves, and returns when it listens. What it warns of goes to log.
func Start(ctx context.Context, log io.Writer, program string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	// A program with the race detector in it would otherwise wait for a second at its end.
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	text, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a replica: %w", err)
	}

	at := make(chan string, 1)
	go func() {
		defer close(p.ended)
		for in := bufio.NewScanner(text); in.Scan(); {
			if !strings.Contains(in.Text(), " level=INFO ") {
				fmt.Fprintln(log, in.Text())
			}
			if m := listening.FindStringSubmatch(in.Text()); m != nil && len(at) == 0 {
				at <- m[1]
			}
		}
		_, _ = io.Copy(log, text) // what is not a line
		p.err = p.cmd.Wait()
	}()

	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	select {
	case p.URL = <-at:
		return p, nil
	case <-p.ended:
		return nil, fmt.Errorf("a replica ended before it listened: %w", p.err)
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("a replica doesn't listen: %w", ctx.Err()), p.Kill())
	}
}

// Kill ends the replica at once, as a crash does.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.ended
	return nil
}

// Stop asks the replica to end, and returns how it did.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
		return p.err
	case <-time.After(endBound):
		return errors.Join(errors.New("a replica doesn't end when it is asked to"), p.Kill())
	}
}
