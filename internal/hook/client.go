package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Client asks the daemon.
type Client struct {
	// Dir is the daemon's directory, and Identity this program's identity.
	Dir, Identity string
	// Start starts a daemon and returns when it serves.
	Start    func(ctx context.Context) error
	Settings Settings
}

// maxTries bounds the attempts to reach a daemon: there may be none, one of
// another version, or one that is ending.
const maxTries = 4

// Ask sends an event to the daemon, and starts the daemon if there is none. After
// an error the call must not run.
func (c *Client) Ask(ctx context.Context, e *Event) (Answer, error) {
	var last error
	for range maxTries {
		r, err := c.exchange(ctx, request{Identity: c.Identity, Settings: c.Settings, Event: e})
		switch {
		case ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded):
			return Answer{}, fmt.Errorf("no answer within %s", AnswerTime)
		case err == nil && r.Error != "":
			return Answer{}, errors.New(r.Error)
		case err == nil && !r.Stale:
			return r.Answer, nil
		}
		last = err
		if err := c.Start(ctx); err != nil {
			return Answer{}, fmt.Errorf("the daemon can't be started: %w", err)
		}
	}
	return Answer{}, fmt.Errorf("the daemon doesn't answer: %w", last)
}

// Stop ends the daemon and reports whether there was one.
func (c *Client) Stop(ctx context.Context) (bool, error) {
	path, err := socket(c.Dir)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); err != nil {
		return false, nil
	}
	if _, err = c.exchange(ctx, request{Stop: true}); errors.Is(err, errNobody) {
		return false, nil
	}
	return err == nil, err
}

// errNobody means that no daemon listens.
var errNobody = errors.New("no daemon listens")

func (c *Client) exchange(ctx context.Context, r request) (response, error) {
	path, err := socket(c.Dir)
	if err != nil {
		return response{}, err
	}
	dialed, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return response{}, fmt.Errorf("%w: %w", errNobody, err)
	}
	defer dialed.Close()

	conn, ok := dialed.(*net.UnixConn)
	if !ok {
		return response{}, errors.New("not a Unix socket")
	}
	if err := checkPeer(conn); err != nil {
		return response{}, err
	}
	if until, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(until); err != nil {
			return response{}, err
		}
	}

	if err := json.NewEncoder(conn).Encode(r); err != nil {
		return response{}, err
	}
	var out response
	d := json.NewDecoder(io.LimitReader(conn, maxAnswer))
	if err := d.Decode(&out); err != nil {
		return response{}, fmt.Errorf("the answer can't be read: %w", err)
	}

	switch out.Answer.Verdict {
	case "allow", "ask", "deny":
	default:
		if out.Error == "" && !out.Stale && !r.Stop {
			return response{}, errors.New("the answer is empty")
		}
	}
	return out, nil
}

// maxLog is the size in bytes at which the daemon's log starts over.
const maxLog = 1 << 20

// Spawn starts a program as the daemon, in a session of its own so that it
// outlives the agent, and waits until it reports that it serves or why it
// doesn't.
func Spawn(ctx context.Context, dir string, args ...string) error {
	if err := makePrivate(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, "hook.log")
	mode := os.O_APPEND
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		mode = os.O_TRUNC
	}
	log, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|mode, 0o600)
	if err != nil {
		return err
	}

	defer log.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stderr, cmd.SysProcAttr = dir, log, detached()
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}

	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(io.LimitReader(said, maxLine)).ReadString('\n')
		line <- strings.TrimSpace(text)
	}()

	select {
	case text := <-line:
		said.Close()
		if text == Ready {
			return cmd.Process.Release()
		}
		if text == "" {
			text = "it ended at once: see " + name
		}
		return errors.Join(errors.New(text), cmd.Wait())
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("it doesn't serve in time: see %s", name), ctx.Err())
	}
}

// Ready is the line by which a daemon reports that it serves; any other line is
// an error.
const Ready = "ready"

// maxLine bounds that line.
const maxLine = 4096

// Dir returns the daemon's directory for a store.
func Dir(storePath string) string { return filepath.Join(filepath.Dir(storePath), "hook") }

// Deadline bounds a hook that starts now.
func Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, time.Now().Add(AnswerTime))
}
